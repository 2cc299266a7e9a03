/* product_cost: seconds of all pairs' products by the warpgroup kernel, for the choice of a way. Rates of
 * tests/bench/gpu.md. Plain C and C++. */
#pragma once

#include <math.h>

#include "core/engine/device.h"
#include "kernels/parts/depth.h"

/* Of bytes: at the limit, with a fixed cost of 75 coordinates for each pair. */
static inline double eb_byte_products_s(const double limit[EB_LIMITS], double pairs, double columns)
{
    const double fastest = fmax(limit[EB_LIMIT_WGMMA_I8], limit[EB_LIMIT_MMA_I8]);
    const double multiplied = (double)eb_multiplied_bytes((size_t)columns);
    return pairs * 2 * (multiplied + 75) / (fastest > 0 ? fastest : 1.8e15);
}

/* Of FP16: at 0.8 of the limit, with a fixed cost of 25 coordinates. */
static inline double eb_f16_products_s(const double limit[EB_LIMITS], double pairs, double columns)
{
    const double fastest = fmax(limit[EB_LIMIT_WGMMA_F16], limit[EB_LIMIT_MMA_F16]);
    const double multiplied = (double)eb_multiplied_bytes(2 * (size_t)columns) / 2;
    return pairs * 2 * (multiplied + 25) / (0.8 * (fastest > 0 ? fastest : 8e14));
}
