/* cost: what the 8-bit filter's steps take, for who chooses before and after points are there. Plain C and C++. */
#pragma once

#include <math.h>

#include "core/engine/device.h"

/* tests/bench/gpu.md: products of all pairs at 0.8 of the limit, and at every pair what 40 coordinates take. */
static inline double eb_quantised_products_s(const double limit[EB_LIMITS], double pairs, double columns)
{
    const double fastest = fmax(limit[EB_LIMIT_WGMMA_I8], limit[EB_LIMIT_MMA_I8]);
    return pairs * 2 * (128 * ceil(columns / 128) + 40) / (0.8 * (fastest > 0 ? fastest : 1.8e15));
}

/* A candidate takes 0.2 ns to be found, and FP64 reads two rows of each pair it decides at 4.8 TB/s. */
static inline double eb_quantised_candidates_s(double candidates, double decided, double row_bytes)
{
    return 2e-10 * candidates + 2 * row_bytes * fmax(0, decided) / 4.8e12;
}

/* n points along axes, at half of what FP64 reaches, by way of FP64 rows that are written and read again. */
static inline double eb_quantised_axes_s(const double limit[EB_LIMITS], double n, double d, double columns)
{
    const double fastest = fmax(limit[EB_LIMIT_MMA_F64], limit[EB_LIMIT_F64]);
    return 2 * n * d * columns / (0.5 * (fastest > 0 ? fastest : 6e13)) + 24 * n * d / 3e12;
}
