/* error_histogram: a histogram of errors, symmetric about 0, with a range that fits the errors. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"

typedef struct eb_histogram {
    size_t bins;      /* ≥ 100 */
    double low, high; /* bin k covers [low + k·w, low + (k+1)·w) with w = (high − low)/bins; the last bin is closed */
    uint64_t *count; /* [bins] */
    uint64_t under, over;
} eb_histogram;

#define EB_HISTOGRAM_MIN_BINS 100u
#define EB_HISTOGRAM_DEFAULT_BINS 200u
#define EB_HISTOGRAM_MAX_BINS 1000000u

/* Half-width of the range for errors with this mean, spread and largest size: the largest, but at most six standard
 * deviations beyond the mean, rounded up to a readable number. If all errors are 0 or there are none (NAN), a range far
 * below what matters at ε. */
double eb_error_range(double mean, double std, double largest, double eps);

/* An empty histogram from −range to range. */
eb_code eb_histogram_new(size_t bins, double range, eb_histogram *out, eb_status *status);
void eb_histogram_add(eb_histogram *histogram, double error);          /* error: finite */
void eb_histogram_merge(eb_histogram *into, const eb_histogram *from); /* same bins, same range */
