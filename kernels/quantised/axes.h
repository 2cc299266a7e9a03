/* axes: images of points for the 8-bit filter (bound.h) with fewer numbers: the coordinates along some principal axes,
 * and the distance from the space of these axes. Distances of images are never above those of the points. Host and
 * device.
 *
 * Let t = (p − c)·2^e, and Q have m orthogonal axes of length 1 or a little less, such that ‖Qᵀ‖ ≤ 1. Let
 *     z = Qᵀt,   ρ = √(‖t‖² − ‖z‖²) ≥ 0.
 * With B = (I − QQᵀ)^½ the map t ↦ (Qᵀt, Bt) keeps all lengths, and ρ = ‖Bt‖. So, by the triangle inequality in B's
 * image,
 *     ‖z_i − z_j‖² + (ρ_i − ρ_j)² ≤ ‖Qᵀ(t_i − t_j)‖² + ‖B(t_i − t_j)‖² = ‖t_i − t_j‖².
 * Coordinate m + 1 of an image is ρ minus a constant. The distance of two images gives no upper bound of the points'
 * distance, so that no pair is sure.
 *
 * 1 ‖Qᵀ‖ ≤ 1. Let A be axes, and G = AᵀA computed in FP64. Then ‖A‖² ≤ 1 + ‖G − I‖_F + m·(d + 8)·2^-52·(1 + ‖G − I‖_F),
 *   since a sum of d products is within (d + 8)·2^-53 of the sum of their absolute values, which is at most ‖a‖·‖b‖. Q
 *   is A divided by the root of this bound; rounding it changes ‖Q‖ by no more than √m·2^-53.
 * 2 z. Let y be t in FP64; y is within 2^-52·‖y‖ of t, and the map to the image lengthens no distance. A sum of d
 *   products of y with an axis q has an error of at most (d + 8)·2^-53·‖y‖·‖q‖. As Σ‖q‖² ≤ m, the error of z as a whole
 *   is at most e = (d + 8)·√m·2^-53·‖y‖.
 * 3 ρ. The sums ‖y‖² and ‖z‖² have relative errors of at most (d + 8)·2^-53 and (m + 8)·2^-53, and z's squared length
 *   has an error of e·(2‖y‖ + e). So their difference has an error of at most w = 2^-52·(d + m + 32 +
 *   2·(d + 8)·√m)·‖y‖², and its root of at most √w, since |a − b| ≤ √|a² − b²| for a, b ≥ 0. The roundings that follow
 *   are those of bound.h.
 */
#pragma once

#include "kernels/quantised/bound.h"

/* A build that weakens one of these must fail its tests (tests/mutants). */
#ifndef EB_AXES_LENGTH
#define EB_AXES_LENGTH 1.0 /* largest length of an axis (step 1) */
#endif
#ifndef EB_AXES_LOST
#define EB_AXES_LOST 1.0 /* fraction of the root's error that counts (step 3) */
#endif

/* The divisor of axes whose products have ‖G − I‖_F = defect. */
static inline double eb_axes_divisor(double defect, unsigned m, unsigned d)
{
    const double square = 1 + defect + m * (d + 8.0) * 0x1p-52 * (1 + defect);
    return sqrt(square) * (1 + m * 0x1p-52) / EB_AXES_LENGTH;
}

/* The errors of steps 2 and 3 as a fraction of ‖y‖. */
EB_BOTH_AT_RUN_TIME double eb_axes_off(unsigned m, unsigned d)
{
    const double root = sqrt((double)m), lost = (d + 8) * root * 0x1p-52;
    return 0x1p-51 + lost + EB_AXES_LOST * sqrt(0x1p-52 * (d + m + 32) + 2 * lost);
}

/* ρ from ‖y‖² and ‖z‖². */
EB_BOTH_AT_RUN_TIME double eb_axes_rest(double y_squared, double z_squared)
{
    const double rest = y_squared - z_squared;
    return rest > 0 ? sqrt(rest) : 0;
}

/* The point of m + 1 summed coordinates, which are `scale` times (z, ρ minus a constant). */
EB_BOTH_AT_RUN_TIME eb_quantised_point eb_axes_point_of(eb_quantised_sums sums, unsigned m, unsigned d,
                                                        double y_squared, double scale)
{
    return eb_quantised_point_off(sums, m + 1, eb_axes_off(m, d) * scale * sqrt(y_squared));
}
