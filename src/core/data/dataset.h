/* dataset: n points in d dimensions, where they came from, and what they hash to.
 *
 * Shape: n × d, row i at rows + i·stride, elements of a row contiguous, little-endian, possibly unaligned (rows may lie
 * in a mapped file; an .fvecs row has a 4-byte header between rows, hence stride). Immutable once made: engines on
 * other threads read it without locks. Values are finite: every loader refuses NaN and ±Inf, naming row and column.
 */
#pragma once

#include "core/base/dtype.h"
#include "core/base/job.h"
#include "core/base/status.h"
#include "core/data/labels.h"
#include "core/files/file_id.h"

#define EB_MAX_DIMENSIONS 65536u
#define EB_MAX_POINTS 2147483647u /* 2³¹ − 1: a point's index fits an int32 in every file format we write */
#define EB_NO_POINT UINT32_MAX    /* in the place of a point's index */

/* What a file of ann-benchmarks has beside its points. */
enum { EB_HAS_TEST = 1, EB_HAS_NEIGHBORS = 2, EB_HAS_DISTANCES = 4 };

typedef struct eb_dataset {
    size_t n, d;
    eb_dtype dtype;
    const unsigned char *rows;
    size_t stride;          /* bytes from one row to the next, ≥ d · element size */
    double greatest, least; /* of a sealed F64 dataset: the greatest |x|, and the least but 0; else 0 */
    char sha256[65];        /* hex; of dtype name, n, d (as text "f32 100 3\n") and the rows' bytes without gaps */
    char *source;    /* what a person types to load it again: "demo", "/path/x.csv scale=minmax", "synth uniform 1000 16
                        seed=42" */
    eb_file_id file; /* the file they were read from; none for what was made */
    const char *format;           /* "fvecs", "npy", "synth", … static text */
    char header[64];              /* the beginning of the line that was taken for a header; "": none was */
    char remark[160];             /* what a person should know of the file; "": nothing */
    unsigned companions;          /* EB_HAS_TEST …; 0: none that are of use, or something inside it was named */
    eb_labels *labels;            /* what the points are called; NULL: nothing */
    size_t left_out, filled;      /* rows left out, and values filled in, because they were missing */
    void (*release)(void *owner); /* frees what rows points into; NULL: nothing to free */
    eb_code (*check)(const void *owner,
                     eb_status *status); /* of eb_dataset_check; NULL: nobody can change the points */
    void *owner;
} eb_dataset;

/* Checks shape limits (n in 1…EB_MAX_POINTS, d in 1…EB_MAX_DIMENSIONS, n·stride fits size_t). `where` begins the
 * sentence, e.g. the file's name. */
eb_code eb_dataset_check_shape(const char *where, unsigned long long n, unsigned long long d, eb_dtype dtype,
                               eb_status *status);

/* EB_BAD_VALUE where a value is NaN or Inf, row and column counted from 0. */
eb_code eb_dataset_check_finite(const eb_dataset *ds, eb_status *status);

/* Scans floats for NaN/Inf (EB_BAD_VALUE, row and column counted from 0) and fills sha256. Call once after filling the
 * rest; on failure the caller still owns the dataset. Also fills greatest and least. The job (may be NULL) hears a
 * cancel every few milliseconds; progress: phase "checking points", one unit a row. */
eb_code eb_dataset_seal_in(eb_dataset *ds, eb_job *job, eb_status *status);
static inline eb_code eb_dataset_seal(eb_dataset *ds, eb_status *status)
{
    return eb_dataset_seal_in(ds, NULL, status);
}

/* EB_CHANGED, in a sentence, when the file is no longer the one that was sealed: rows that lie in it may be others now,
 * and so is all that was computed since. A few microseconds; asked before results are believed. */
eb_code eb_dataset_check(const eb_dataset *ds, eb_status *status);

/* Row i, as stored. */
static inline const unsigned char *eb_row(const eb_dataset *ds, size_t i) { return ds->rows + i * ds->stride; }

/* Releases everything, the struct too. NULL is fine. */
void eb_dataset_free(eb_dataset *ds);

/* The truth for one pair (DESIGN, Conventions): t = pₖ − qₖ in FP64, s ← fma(t, t, s), k ascending. Slow and obvious:
 * the definition that every engine is held to. Returns the squared distance. */
double eb_truth_distance2_between(const eb_dataset *left, size_t i, const eb_dataset *right, size_t j,
                                  int exponent); /* of x·2^exponent, of two sets */
static inline double eb_truth_distance2_scaled(const eb_dataset *ds, size_t i, size_t j, int exponent)
{
    return eb_truth_distance2_between(ds, i, ds, j, exponent);
}
static inline double eb_truth_distance2(const eb_dataset *ds, size_t i, size_t j)
{
    return eb_truth_distance2_scaled(ds, i, j, 0);
}

/* dist ≤ ε as the truth decides it, inclusive: s ≤ ε·ε, the product rounded once to FP64. */
static inline double eb_squared_threshold(double eps) { return eps * eps; }

/* x·2^exponent: how ε goes to points that are scaled (scaling.h). Beyond the largest double, that one. */
double eb_scaled_eps(double eps, int exponent);

/* The smallest ε ≥ 0 with s ≤ fl(ε'·ε'), ε' = ε·2^exponent: inverse of the test above, exact to the last bit. s finite,
 * ≥ 0. Where no double is large enough, the largest. */
double eb_smallest_eps_scaled(double s, int exponent);
static inline double eb_smallest_eps(double s) { return eb_smallest_eps_scaled(s, 0); }
