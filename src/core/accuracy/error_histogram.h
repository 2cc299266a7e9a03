/* error_histogram: a histogram symmetric about 0, its range chosen from what there is to show. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"

typedef struct eb_histogram { /* symmetric about 0 */
    size_t bins;              /* ≥ 100 */
    double low, high; /* bin k covers [low + k·w, low + (k+1)·w) with w = (high − low)/bins, the last closed */
    uint64_t *count;  /* [bins] */
    uint64_t under, over;
} eb_histogram;

#define EB_HISTOGRAM_MIN_BINS 100u
#define EB_HISTOGRAM_DEFAULT_BINS 200u
#define EB_HISTOGRAM_MAX_BINS 1000000u

/* The half-width for errors of this mean, spread and largest size: the largest, but no more than six standard
 * deviations beyond the mean, rounded up to a round number. Errors that are all 0, or none at all (NAN), get a range
 * far below what matters at ε. */
double eb_error_range(double mean, double std, double largest, double eps);

/* Empty, −range … range. */
eb_code eb_histogram_new(size_t bins, double range, eb_histogram *out, eb_status *status);
void eb_histogram_add(eb_histogram *histogram, double error);          /* a finite number */
void eb_histogram_merge(eb_histogram *into, const eb_histogram *from); /* same bins, same range */
