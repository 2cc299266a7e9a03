/* neighbour_histogram: the distribution of the points' numbers of neighbours. */
#pragma once

#include "core/base/status.h"

#include <stddef.h>
#include <stdint.h>

#define EB_NEIGHBOUR_BINS 48u

typedef struct eb_neighbour_histogram {
    uint32_t least, median, most;
    double mean;
    size_t alone; /* points without neighbours */
    size_t bins;  /* ≤ EB_NEIGHBOUR_BINS, each `width` counts wide, from 0 on */
    uint32_t width;
    double centre[EB_NEIGHBOUR_BINS], points[EB_NEIGHBOUR_BINS];
    double over; /* points beyond the last bin, ≤ 2 %; 0 unless the largest count is twice the 98th percentile */
} eb_neighbour_histogram;

/* counts: [n], n ≥ 1. */
eb_code eb_neighbour_histogram_of(const uint32_t *counts, size_t n, eb_neighbour_histogram *out, eb_status *status);
