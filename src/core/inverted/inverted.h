/* inverted: an inverted file of points as product-quantised residuals (H. Jégou, M. Douze, C. Schmid, Product
 * Quantization for Nearest Neighbor Search, PAMI 33(1), 2011: IVFADC).
 *
 * Each point belongs to the list of the nearest of nlist centroids. The residual, the point's difference to that
 * centroid, is cut into m pieces of d/m coordinates. For each piece the file keeps the number of the nearest of 256
 * entries in that subspace's book: m bytes a point. A query scans its nprobe nearest lists. For each list it makes a
 * table of m × 256 squared distances from its own residual's pieces to the entries; a point's squared distance is the
 * sum of m of them (question.h).
 *
 * The layout of codes suits warps and vectors. A list is whole blocks of 32 points; a block is m rows of 32 bytes, row
 * j the 32 points' codes of subspace j. So 32 lanes read a sector of 32 bytes at once, four blocks side by side 128
 * bytes, and a lane sums j = 0, 1, … on every machine. Places without a point have code 0 and no row.
 */
#pragma once

#include <string.h>

#include "core/data/dataset.h"

#define EB_BOOK_ENTRIES 256u
#define EB_LIST_BLOCK 32u
#define EB_MAX_LISTS 1048576u

typedef struct eb_inverted_shape {
    size_t nlist, m; /* number of lists; pieces of a residual, a divisor of d */
} eb_inverted_shape;

/* Owns its arrays. Immutable once built, so threads search it without locks. Coordinates are the points' times
 * 2^exponent, rounded to FP32. */
typedef struct eb_inverted_file {
    size_t n, d; /* points in the lists, coordinates */
    eb_inverted_shape shape;
    size_t piece;     /* d / m */
    int exponent;     /* 0 unless FP32 cannot hold the points' squares */
    float *centroids; /* nlist × d */
    float *books;     /* m × 256 × piece */
    uint64_t *blocks; /* [nlist + 1] list l has blocks blocks[l] … blocks[l + 1] − 1 */
    uint32_t *count;  /* [nlist] points of a list */
    uint32_t *row;    /* [32 · blocks] dataset row at each place; ascending in a list */
    uint8_t *codes;   /* [blocks × m × 32] */
} eb_inverted_file;

/* EB_USAGE for a shape that n × d points cannot have. */
eb_code eb_inverted_check(const eb_inverted_shape *shape, size_t n, size_t d, eb_status *status);

/* The usual shape: the power of two nearest to √n lists; the most pieces, up to 64, that have two coordinates or more,
 * or one if d is small. */
eb_inverted_shape eb_usual_shape(size_t n, size_t d);

static inline const uint8_t *eb_block_codes(const eb_inverted_file *file, uint64_t block)
{
    return file->codes + block * file->shape.m * EB_LIST_BLOCK;
}

/* A dataset's row in the file's form: d values times 2^exponent, rounded to FP32. room: [d], scratch. */
void eb_inverted_row(const eb_inverted_file *file, const eb_dataset *ds, size_t row, double *room, float *out);

/* Distance from 0 to the book's farthest entry. */
float eb_book_reach(const eb_inverted_file *file, size_t book);

/* The exponent by which these points fit FP32, squares and sums of d squares included. One pass over float points. */
int eb_inverted_exponent(const eb_dataset *ds);

/* EB_BAD_VALUE if queries are so large that FP32 cannot hold their squared distances to the file's points. */
eb_code eb_inverted_check_queries(const eb_inverted_file *file, const eb_dataset *ds, eb_status *status);

void eb_inverted_free(eb_inverted_file *file); /* frees what *file holds; a zeroed file is fine */
