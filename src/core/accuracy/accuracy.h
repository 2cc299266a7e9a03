/* accuracy: how a fast engine's result differs from the truth's (FASTED paper §4.6, Eq. 3, Fig. 11).
 *
 * Overlap: mean over points of |N_fast ∩ N_true| / |N_fast ∪ N_true|, self excluded; a point without neighbours in
 * either result counts as 1. Distance error: dist_fast − dist_true over pairs in both results, self excluded, each
 * unordered pair once. self_pairs.h includes self pairs, as the paper's authors do. NaN-safe: errors that are not
 * finite are counted separately and are in no mean, maximum or bin.
 *
 * Of a sample (core/sample/rows.h), only the drawn points are compared, each with all points: pairs are ordered pairs
 * (drawn point, other point), so that a pair of two drawn points counts twice. Means have 95 % intervals.
 */
#pragma once

#include "core/accuracy/boundary.h"
#include "core/engine/problem.h"
#include "core/join/neighbours.h"
#include "core/sample/band.h"
#include "core/sample/rows.h"

#define EB_OVERLAP_BINS 20u

/* A histogram of errors, symmetric about 0. */
typedef struct eb_histogram {
    size_t bins;      /* ≥ 100 */
    double low, high; /* bin k covers [low + k·w, low + (k+1)·w) with w = (high − low)/bins; the last bin is closed */
    uint64_t *count; /* [bins] */
    uint64_t under, over;
} eb_histogram;

#define EB_HISTOGRAM_MIN_BINS 100u
#define EB_HISTOGRAM_DEFAULT_BINS 200u
#define EB_HISTOGRAM_MAX_BINS 1000000u

/* Numbers of neighbours of a point, self excluded: those in both results, and those in at least one. */
typedef struct eb_point_overlap {
    uint32_t common, either;
} eb_point_overlap;

typedef struct eb_accuracy {
    size_t n;  /* points compared */
    size_t of; /* points of the dataset: more than n if only a sample was compared */
    double eps;
    uint64_t pairs_fast, pairs_true;       /* |R| of each; of a sample the entries of its rows, self pairs included */
    uint64_t common, only_fast, only_true; /* unordered pairs, self excluded; of a sample ordered pairs */
    bool self_pairs;          /* true: the members below include self pairs; those above, but for |R|, never do */
    uint64_t self_common;     /* self pairs in both results, if self_pairs */
    eb_point_overlap *points; /* [n] */
    double overlap;           /* mean over points */
    double overlap_min;
    eb_band overlap_in, error_in;            /* of a sample: where overlap and error_mean of all points are; else NAN */
    uint64_t overlap_bins[EB_OVERLAP_BINS];  /* points by overlap, [0,1] in equal bins, the last closed */
    double error_mean, error_std, error_max; /* std over all pairs, max of |error|; NAN without finite errors */
    uint64_t error_nan;                      /* common pairs whose error is NaN or infinite */
    eb_histogram errors; /* range: to the largest |error|, at most 6 std beyond the mean; outliers: in under and over */
    double wrong_gap;    /* largest |dist_true − ε| of a pair that only one result has; 0: none */
    uint64_t ties;       /* pairs with |dist_true − ε| ≤ ε·2^-40; only those in a table unless `beyond` is set */
    double beyond; /* no pair is between ε and this distance: the next true distance, or the end of the search; NAN: not
                      searched */
    eb_boundary_pair *boundary; /* nearest to ε by |dist_true − ε|, nearest first; dist_fast NAN where not in_fast */
    size_t boundary_count;
} eb_accuracy;

typedef struct eb_accuracy_request {
    const eb_dataset *dataset;
    double eps;
    const eb_sampled_rows *rows;       /* the drawn points; NULL: all are compared */
    const eb_neighbours *fast, *truth; /* complete tables with distances, of the self-join or of rows->points with the
                                          dataset */
    size_t bins;                       /* of the histogram; 0: 200; 100 to 10^6, else EB_USAGE */
    size_t boundary;                   /* number of boundary pairs; 0: 20 */
    unsigned threads;
} eb_accuracy_request;

static inline bool eb_accuracy_is_sampled(const eb_accuracy *accuracy) { return accuracy->of > accuracy->n; }

/* The bin of common/either, computed in integers: 3/5 belongs to bin 12 of 20, whatever 0.6 is in binary. */
static inline size_t eb_overlap_bin(uint64_t common, uint64_t either)
{
    uint64_t bin = either > 0 ? common * EB_OVERLAP_BINS / either : EB_OVERLAP_BINS;
    return bin < EB_OVERLAP_BINS ? (size_t)bin : EB_OVERLAP_BINS - 1;
}

/* Sums over errors by Welford's update: no cancellation, even if the spread is small beside the mean. */
typedef struct eb_moments {
    uint64_t count;
    double mean, squares, max; /* squares: Σ(error − mean)²; max: of |error| */
} eb_moments;

void eb_moments_add(eb_moments *moments, double error);
void eb_moments_report(const eb_moments *moments, int exponent, eb_accuracy *out); /* error_mean, _std, _max */

/* Sets overlap, its interval if sampled, from the sums of the points' overlaps and of their squares. */
void eb_overlap_report(double sum, double squares, eb_accuracy *out);

/* Errors are summed as error·2^exponent, which brings ε near 1, so that no square leaves FP64's range. */
int eb_error_exponent(double eps);

eb_code eb_accuracy_compute(const eb_accuracy_request *request, eb_job *job, eb_accuracy *out, eb_status *status);
void eb_accuracy_free(eb_accuracy *accuracy); /* frees what *accuracy holds */

/* Half-width of the range for errors with this mean, spread and largest size: the largest, but at most six standard
 * deviations beyond the mean, rounded up to a readable number. If all errors are 0 or there are none (NAN), a range far
 * below what matters at ε. */
double eb_error_range(double mean, double std, double largest, double eps);

/* An empty histogram from −range to range. */
eb_code eb_histogram_new(size_t bins, double range, eb_histogram *out, eb_status *status);
void eb_histogram_add(eb_histogram *histogram, double error);          /* error: finite */
void eb_histogram_merge(eb_histogram *into, const eb_histogram *from); /* same bins, same range */
