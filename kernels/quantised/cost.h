/* cost: seconds of the 8-bit filter's steps, for the choice of a way before the points are uploaded and the choice of
 * images afterwards. Plain C and C++. */
#pragma once

#include "kernels/parts/product_cost.h"

/* Finding a candidate takes 0.2 ns. FP64 reads two rows of each pair that it decides, at 4.8 TB/s. */
static inline double eb_quantised_candidates_s(double candidates, double decided, double row_bytes)
{
    return 2e-10 * candidates + 2 * row_bytes * fmax(0, decided) / 4.8e12;
}

/* Projecting n points to axes runs at half of the FP64 limit. FP64 rows are written and read again for it. */
static inline double eb_quantised_axes_s(const double limit[EB_LIMITS], double n, double d, double columns)
{
    const double fastest = fmax(limit[EB_LIMIT_MMA_F64], limit[EB_LIMIT_F64]);
    return 2 * n * d * columns / (0.5 * (fastest > 0 ? fastest : 6e13)) + 24 * n * d / 3e12;
}
