/* distance: the steps of a squared distance before and after the products: q = (n_i + n_j) − 2a.
 *
 * Floating-point types: all steps in FP32. n = ‖ŷ‖², summed as FASTED's authors do (kernels/fasted/switches.h); with
 * several parts, or debias, in FP64 and rounded once. FP64: the same in FP64, norms and products by chains of fused
 * steps. S8: whole numbers in FP64, n = Σ level²; with a step a point t FP32 again, a = fl(fl(t_i·t_j)·fl(Σ)) and n =
 * fl(fl(t·t)·Σ level²). A negative q is 0.
 */
#pragma once

#include "kernels/tensor/cpu/round.h"

/* n of a rounded point, whose debias is set. κ: its factor, 0 without debias. The value is an FP32 number where the
 * steps are FP32. */
double eb_norm_of(const eb_rung *rung, double debias, const eb_rounding_row *row, size_t d);

static inline double eb_at_least_0(double q) { return q < 0 ? 0 : q; } /* NaN stays */

static inline double eb_q_of_f32(float n_i, float n_j, float a)
{
    const float sum = n_i + n_j;
    return (double)(sum - 2 * a);
}

static inline double eb_q_of_f64(double n_i, double n_j, double a) { return (n_i + n_j) - 2 * a; }

/* The product of two points with steps of their own. sum: that of their levels. */
static inline float eb_stepped_product(float t_i, float t_j, int64_t sum)
{
    const float steps = t_i * t_j;
    return steps * (float)sum;
}
