/* near_bound: when FP16 products on tensor cores decide which of many vectors is nearest to a point by the FP32 chain
 * of kernels.h.
 *
 * The frame: points are multiplied by a power of two S, vectors by T, then rounded to FP16. With the unrounded scaled x
 * and c, X = ‖x‖, C the greatest ‖c‖, m and M the lengths of what rounding took from x, and at most from a c: the order
 * of vectors by distance D is that of a(c) = h(c) − ⟨x, c⟩, h(c) = ‖c‖² · S/T / 2, since D · ST/2 = X² · T/S / 2 +
 * a(c). The kernel computes q = fl(fl(h) − p), p the tensor core's sum. H: the greatest h.
 *
 * 1 Rounded operands: |⟨x, c⟩ − ⟨x̃, c̃⟩| ≤ X·M + m·(C + M).
 * 2 Sums (tensor/bound.h, step 1): a block of 8 products or of 16 loses at most 5 · 2^-23 of (X + m)·(C + M), so d of
 *   them, padded to 64, lose less than (d + 64) · 2^-23 of it; and products of FP16's subnormal numbers
 *   (d + 64) · 2^-38 of X + m + C + M + 1.
 * 3 fl(h) and the subtraction: 2^-23 · (H + (X + m)·(C + M)).
 * 4 The chain is off by γ·D, γ = (d + 4) · 2^-24, and by d · 2^-149 where squares vanish. D · ST/2 ≤ X² · T/S + 2·H.
 *
 * So the vector with the least q is the chain's nearest, and no other is equally near, if the second least q is more
 * than twice the sum of 1 to 3, and the sum of 4 · 2/(1 − γ), above it: the width below. H may be infinite, and the
 * width is then, too.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "kernels/parts/both.h"

/* The power of two for coordinates of at most this size: it brings them below 2^13, so that products are far from the
 * greatest numbers of FP16 and FP32. */
static inline double eb_near_scale(double most) { return most > 0 ? ldexp(1, 12 - ilogb(most)) : 1; }

/* True if the chain cannot overflow and γ is small. The greatest coordinates of points and of vectors. */
static inline bool eb_near_fits(size_t d, double most_of_points, double most_of_vectors)
{
    const double most = most_of_points + most_of_vectors;
    return d <= 65536 && most * most * (double)d < 0x1p120;
}

/* What the width needs of all vectors. */
typedef struct eb_near_bound {
    double length, moved, loss, vanished, constant, of_square;
} eb_near_bound;

/* length, moved, half_square: C, M and H. */
static inline eb_near_bound eb_near_bound_of(size_t d, double point_scale, double vector_scale, double length,
                                             double moved, double half_square)
{
    const double gamma = (double)(d + 4) * 0x1p-24, chain = 2.1 * gamma;
    const eb_near_bound bound = {.length = length,
                                 .moved = moved,
                                 .loss = (double)(d + 65) * 0x1p-23,
                                 .vanished = (double)(d + 64) * 0x1p-38,
                                 .constant = 2 * (double)(d + 64) * 0x1p-38 * (length + moved + 1) +
                                             (0x1p-22 + 2 * chain) * half_square +
                                             (double)d * 0x1p-146 * point_scale * vector_scale,
                                 .of_square = chain * vector_scale / point_scale};
    return bound;
}

/* length, moved: X and m of a point. */
EB_BOTH double eb_near_width(eb_near_bound of, double length, double moved)
{
    const double greatest = of.length + of.moved, product = (length + moved) * greatest;
    const double off = length * of.moved + moved * greatest + of.loss * product + of.vanished * (length + moved);
    return (2 * off + of.of_square * length * length + of.constant) * (1 + 0x1p-40);
}
