/* inverted: an inverted file whose points are product-quantised residuals (H. Jégou, M. Douze, C. Schmid, Product
 * Quantization for Nearest Neighbor Search, PAMI 33(1), 2011: IVFADC).
 *
 * Each point belongs to the list of the nearest of nlist centroids. What it is away from it, its residual, is cut into
 * m pieces of d/m coordinates, and of each piece the nearest of 256 entries in that subspace's book is kept: m bytes a
 * point. A query looks at the nprobe nearest lists; for each it makes a table of m × 256 squared distances from its own
 * residual's pieces to the entries, and a point's squared distance is the sum of m of them (question.h).
 *
 * Codes lie as warps and vectors read them: a list is whole blocks of 32 points, a block m rows of 32 bytes, row j the
 * 32 points' codes of subspace j. So 32 lanes read a sector of 32 bytes at once, four blocks side by side 128 bytes,
 * and a lane's sums go j = 0, 1, … on every machine. Places without a point have code 0 and no row.
 */
#pragma once

#include <string.h>

#include "core/data/dataset.h"

#define EB_BOOK_ENTRIES 256u
#define EB_LIST_BLOCK 32u
#define EB_MAX_LISTS 1048576u

typedef struct eb_inverted_shape {
    size_t nlist, m; /* lists; pieces of a residual, by which d is divisible */
} eb_inverted_shape;

/* Owns its arrays. Immutable once built: threads search it without locks. Coordinates are the points' times
 * 2^exponent, rounded to FP32. */
typedef struct eb_inverted_file {
    size_t n, d; /* points in the lists, coordinates */
    eb_inverted_shape shape;
    size_t piece;     /* d / m */
    int exponent;     /* 0 but for points whose squares FP32 could not hold */
    float *centroids; /* nlist × d */
    float *books;     /* m × 256 × piece */
    uint64_t *blocks; /* [nlist + 1] list l is blocks[l] … blocks[l + 1] − 1 */
    uint32_t *count;  /* [nlist] points of a list */
    uint32_t *row;    /* [32 · blocks] which of the dataset's rows a place holds; ascending in a list */
    uint8_t *codes;   /* [blocks × m × 32] */
} eb_inverted_file;

/* EB_USAGE, in a sentence, for shapes that n × d points cannot have. */
eb_code eb_inverted_check(const eb_inverted_shape *shape, size_t n, size_t d, eb_status *status);

/* Shapes as they are usually chosen: the power of two that is nearest to √n lists; the most pieces, 64 at most, of two
 * coordinates or more, of one where there are few. */
eb_inverted_shape eb_usual_shape(size_t n, size_t d);

static inline const uint8_t *eb_block_codes(const eb_inverted_file *file, uint64_t block)
{
    return file->codes + block * file->shape.m * EB_LIST_BLOCK;
}

/* A dataset's row as the file has points: d values times 2^exponent, rounded to FP32. room: [d]. */
void eb_inverted_row(const eb_inverted_file *file, const eb_dataset *ds, size_t row, double *room, float *out);

/* How far a book's farthest entry is from 0. */
float eb_book_reach(const eb_inverted_file *file, size_t book);

/* By what power of two these points fit, squares and sums of d of them included. One pass over floats. */
int eb_inverted_exponent(const eb_dataset *ds);

/* EB_BAD_VALUE for points too large to be looked for in it: FP32 could not hold how far they are from it. */
eb_code eb_inverted_check_queries(const eb_inverted_file *file, const eb_dataset *ds, eb_status *status);

void eb_inverted_free(eb_inverted_file *file); /* what it holds; a zeroed one is fine */
