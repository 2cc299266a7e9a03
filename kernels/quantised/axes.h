/* axes: points seen along few of their principal axes, and how far each lies from all of these: fewer numbers for the
 * 8-bit filter (bound.h), whose distances are never above the points' own. Host and device.
 *
 * t = (p − c)·2^e, Q: m orthogonal axes of length 1, or a little less, so that none is longer for it: ‖Qᵀ‖ ≤ 1. Let
 *     z = Qᵀt,   ρ = √(‖t‖² − ‖z‖²) ≥ 0.
 * With B = (I − QQᵀ)^½ the map t ↦ (Qᵀt, Bt) keeps all lengths, and ρ = ‖Bt‖. So, by the triangle inequality in B's
 * image,
 *     ‖z_i − z_j‖² + (ρ_i − ρ_j)² ≤ ‖Qᵀ(t_i − t_j)‖² + ‖B(t_i − t_j)‖² = ‖t_i − t_j‖².
 * An m + 1'st coordinate is ρ less a number that is the same for all. Nothing is said of how much less a distance
 * becomes: no pair is sure.
 *
 * 1 ‖Qᵀ‖ ≤ 1. Of axes A, G = AᵀA as FP64 has it, ‖A‖² ≤ 1 + ‖G − I‖_F + m·(d + 8)·2^-52·(1 + ‖G − I‖_F), since a sum of
 *   d products is within (d + 8)·2^-53 of their sizes' sum, which is at most ‖a‖·‖b‖. Q is A divided by the root of it,
 *   rounded, which changes ‖Q‖ by no more than √m·2^-53.
 * 2 z. y, FP64's t, is within 2^-52·‖y‖ of it, and nothing becomes farther on the way from t to its image. A sum of d
 *   products of y with an axis q is off by (d + 8)·2^-53·‖y‖·‖q‖ at most, and Σ‖q‖² ≤ m: all together by
 *   e = (d + 8)·√m·2^-53·‖y‖.
 * 3 ρ. ‖y‖² and ‖z‖² as sums are within (d + 8)·2^-53 and (m + 8)·2^-53 of themselves, and z's squared length is off by
 *   e·(2‖y‖ + e); so their difference by w = 2^-52·(d + m + 32 + 2·(d + 8)·√m)·‖y‖² at most, and as |a − b| ≤ √|a² −
 * b²| for a, b ≥ 0, its root by √w. What follows is rounded as it is in bound.h, and counted there.
 */
#pragma once

#include "kernels/quantised/bound.h"

/* Tests that weaken a bound must fail: a build may define these otherwise. */
#ifndef EB_AXES_LENGTH
#define EB_AXES_LENGTH 1.0 /* of an axis, at most: 1 */
#endif
#ifndef EB_AXES_LOST
#define EB_AXES_LOST 1.0 /* of what the root loses, how much counts: 3 */
#endif

/* What axes are divided by, of whose products `defect` is ‖G − I‖_F. */
static inline double eb_axes_divisor(double defect, unsigned m, unsigned d)
{
    const double square = 1 + defect + m * (d + 8.0) * 0x1p-52 * (1 + defect);
    return sqrt(square) * (1 + m * 0x1p-52) / EB_AXES_LENGTH;
}

/* 2 and 3, as a share of ‖y‖. */
static inline EB_QUANTISED_BOTH double eb_axes_off(unsigned m, unsigned d)
{
    const double root = sqrt((double)m), lost = (d + 8) * root * 0x1p-52;
    return 0x1p-51 + lost + EB_AXES_LOST * sqrt(0x1p-52 * (d + m + 32) + 2 * lost);
}

/* ρ, of ‖y‖² and ‖z‖². */
static inline EB_QUANTISED_BOTH double eb_axes_rest(double y_squared, double z_squared)
{
    const double rest = y_squared - z_squared;
    return rest > 0 ? sqrt(rest) : 0;
}

/* Of a point's m + 1 coordinates, which are `scale` times (z, ρ less a number). */
static inline EB_QUANTISED_BOTH eb_quantised_point eb_axes_point_of(eb_quantised_sums sums, unsigned m, unsigned d,
                                                                    double y_squared, double scale)
{
    return eb_quantised_point_off(sums, m + 1, eb_axes_off(m, d) * scale * sqrt(y_squared));
}
