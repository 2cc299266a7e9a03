/* cost: seconds of the 8-bit filter's steps, for the choice of a way before the points are uploaded and the choice of
 * images afterwards. Plain C and C++. */
#pragma once

#include "kernels/parts/product_cost.h"

/* Finding a candidate takes 0.2 ns. Two rows are read of each pair that is decided, at 4.8 TB/s: of FP16 copies if
 * these are shorter, and then the points' own rows of one pair in twenty (kernels/filters/second_look.cuh). */
static inline double eb_quantised_candidates_s(double candidates, double decided, double d, double row_bytes)
{
    const double copy = 2 * d, read = row_bytes > copy ? copy + 0.05 * row_bytes : row_bytes;
    return 2e-10 * candidates + 2 * read * fmax(0, decided) / 4.8e12;
}

/* Distances of pairs that FP16 has decided. */
static inline double eb_quantised_distances_s(double pairs, double d, double row_bytes)
{
    return row_bytes > 2 * d ? 2 * row_bytes * pairs / 4.8e12 : 0;
}

/* Projecting n points to axes runs at half of the FP64 limit. FP64 rows are written and read again for it. */
static inline double eb_quantised_axes_s(const double limit[EB_LIMITS], double n, double d, double columns)
{
    const double fastest = fmax(limit[EB_LIMIT_MMA_F64], limit[EB_LIMIT_F64]);
    return 2 * n * d * columns / (0.5 * (fastest > 0 ? fastest : 6e13)) + 24 * n * d / 3e12;
}
