/* dataset: n points in d dimensions, their origin and their hash.
 *
 * Shape: n × d, row i at rows + i·stride, elements of a row contiguous, little-endian, possibly unaligned (rows may lie
 * in a mapped file; .fvecs files have a 4-byte header before each row, hence stride). A finished dataset is immutable,
 * so engines on other threads read it without locks. Values are finite: every loader refuses NaN and ±Inf, naming row
 * and column.
 */
#pragma once

#include "core/base/dtype.h"
#include "core/base/job.h"
#include "core/base/status.h"
#include "core/data/labels.h"
#include "core/files/file_id.h"

#define EB_MAX_DIMENSIONS 65536u
#define EB_MAX_POINTS 2147483647u /* 2³¹ − 1: a point's index fits an int32 in every file format we write */
#define EB_NO_POINT UINT32_MAX    /* index that stands for no point */

/* Sets that a file of ann-benchmarks has beside its points. */
enum { EB_HAS_TEST = 1, EB_HAS_NEIGHBORS = 2, EB_HAS_DISTANCES = 4 };

typedef struct eb_dataset {
    size_t n, d;
    eb_dtype dtype;
    const unsigned char *rows;
    size_t stride;          /* bytes from one row to the next, ≥ d · element size */
    double greatest, least; /* largest and smallest |x| > 0 of a sealed F64 dataset; other datasets: 0 */
    char sha256[65];        /* hex; of dtype name, n, d (as text "f32 100 3\n") and the rows' bytes without gaps */
    char *source;           /* the argument that loads it again: "demo", "/path/x.csv scale=minmax" */
    eb_file_id file;        /* the file of the points; no file if they were generated */
    const char *format;     /* "fvecs", "npy", "synth", … static text */
    char header[64];        /* beginning of the line that was read as a header; "": none */
    char remark[160];       /* a remark on the file for the person; "": none */
    unsigned companions; /* EB_HAS_TEST …: usable sets in the same file; 0: none, or the path names an object inside
                            the file */
    const unsigned char *mapped; /* a mapped file, [mapped_bytes]; NULL: none. Rows outside it, as copies of this struct
                                  * have them, are memory of the program. */
    size_t mapped_bytes;
    eb_labels *labels;            /* labels of the points; NULL: none */
    size_t left_out, filled;      /* rows left out and values filled in because values were missing */
    void (*release)(void *owner); /* frees the memory that rows points into; NULL: nothing to free */
    eb_code (*check)(const void *owner, eb_status *status); /* for eb_dataset_check; NULL: the points cannot change */
    void *owner;
} eb_dataset;

/* Checks shape limits (n in 1…EB_MAX_POINTS, d in 1…EB_MAX_DIMENSIONS, n·stride fits size_t). `where` begins the
 * sentence, e.g. the file's name. */
eb_code eb_dataset_check_shape(const char *where, unsigned long long n, unsigned long long d, eb_dtype dtype,
                               eb_status *status);

/* EB_BAD_VALUE if a value is NaN or Inf; row and column are counted from 0. */
eb_code eb_dataset_check_finite(const eb_dataset *ds, eb_status *status);

/* Checks that all values are finite and fills sha256, greatest and least. Call once after filling the rest; on failure
 * the caller still owns the dataset. Reads the job's cancel flag every few milliseconds (the job may be NULL);
 * progress: phase "checking points", one unit a row. */
eb_code eb_dataset_seal_in(eb_dataset *ds, eb_job *job, eb_status *status);
static inline eb_code eb_dataset_seal(eb_dataset *ds, eb_status *status)
{
    return eb_dataset_seal_in(ds, NULL, status);
}

/* EB_CHANGED if the file changed since the dataset was sealed: mapped rows and results computed from them may then be
 * wrong. Takes a few microseconds; called before results are shown. */
eb_code eb_dataset_check(const eb_dataset *ds, eb_status *status);

static inline const unsigned char *eb_row(const eb_dataset *ds, size_t i) { return ds->rows + i * ds->stride; }

/* Tells that rows have been read and are not needed again soon: pages of a mapped file leave the process's memory. The
 * bytes stay as they are. */
void eb_dataset_passed(const eb_dataset *ds, size_t first, size_t rows);

/* Releases everything, the struct too. NULL is fine. */
void eb_dataset_free(eb_dataset *ds);

/* The exact squared distance of one pair, by definition: t = pₖ − qₖ in FP64, s ← fma(t, t, s), k ascending. Slow and
 * obvious; all engines are tested against it. Coordinates are multiplied by 2^exponent. */
double eb_truth_distance2_between(const eb_dataset *left, size_t i, const eb_dataset *right, size_t j, int exponent);
static inline double eb_truth_distance2(const eb_dataset *ds, size_t i, size_t j)
{
    return eb_truth_distance2_between(ds, i, ds, j, 0);
}

/* The threshold of the pair test s ≤ ε·ε, the product rounded once to FP64. */
static inline double eb_squared_threshold(double eps) { return eps * eps; }

/* ε·2^exponent: ε for scaled points (scaling.h). At most the largest double. */
double eb_scaled_eps(double eps, int exponent);

/* The smallest ε ≥ 0 with s ≤ fl(ε'·ε'), ε' = ε·2^exponent: the inverse of the pair test, exact to the last bit. s must
 * be finite and ≥ 0. If no double is large enough, the largest one. */
double eb_smallest_eps_scaled(double s, int exponent);
static inline double eb_smallest_eps(double s) { return eb_smallest_eps_scaled(s, 0); }
