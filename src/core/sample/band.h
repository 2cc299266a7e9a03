/* band: 95 % intervals of means over points that were drawn at random, without replacement.
 *
 * unseen: share of all points that was not drawn, which the interval's width shrinks with; 1: the points drawn are few.
 */
#pragma once

#include <stddef.h>

/* Holds the mean over all points for 95 of 100 samples. NAN: unknown. */
typedef struct eb_band {
    double low, high;
} eb_band;

/* Of a mean of shares, in [0, 1], with this variance. If all `count` shares are alike, it follows the rule of three: up
 * to 3/count of the others may differ. */
eb_band eb_band_of_share(double mean, double variance, size_t count, double unseen);

/* Of Σ value / Σ weight, by the scatter of the points' value − ratio · weight. NAN for fewer than two points, or
 * without weight. */
eb_band eb_band_of_ratio(const double *value, const double *weight, size_t count, double unseen);
