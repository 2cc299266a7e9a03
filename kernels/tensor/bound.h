/* bound: by how much the arithmetic of a rung can be below the squared distance of its rounded points. With it a join
 * computes only the pairs that can be hits (kernels/walk/emulated.h).
 *
 * Let ŷ be the rounded points in the frame's unit (cpu/frame.h), N = ‖ŷ‖, a = ⟨ŷ_i, ŷ_j⟩, â what the tensor core gives.
 * The engine's q = fl(fl(n_i + n_j) − 2â) is compared with T, a square in that unit.
 *
 * 1 A block aligns its K + 1 terms to the exponent η. The largest term loses nothing, each of the other K less than
 *   2^(η − F). 2^η is at most M, the largest term; or 2^e·N_j where coordinates below the least normal number 2^e have
 *   its exponent; or 2^(e0). Rounding the sum loses at most u·M': 2^-23 toward zero in FP32, 2^-13 in E8M13, 2^-11 in
 *   FP16. M and M' are at most N_i·N_j and the loss so far. So B blocks lose at most
 *     L·N_i·N_j + Z, L = (1 + K·2^-F + u)^B − 1, Z = B·K·2^-F·(2^e·(N_i + N_j) + 2^2e + 2^e0) + B·v,
 *   v the unit of the sums' subnormal numbers. 2·N_i·N_j ≤ N_i² + N_j².
 * 2 Promoted sums lose L of one group of blocks, as Σ N_ig·N_jg ≤ N_i·N_j over the groups g, and 2^-24 of the sum so
 *   far for each addition. A halved adder is one with groups of 32 coordinates; FP16 sums lose 2^-11.
 * 3 Several parts: N is the sum of the parts' lengths. Left out are the products of parts p and q with p + q ≥ parts:
 *   twice these are at most ‖x_1‖² of each point with two parts, t·‖x_1‖² + (1 + 1/t)·‖x_2‖² with three.
 * 4 Norms: the sum of d/2 + 1 truncations (d + 1 where squares are added one by one) is above N²·(1 − (d/2 + 2)·2^-23).
 * fl(n_i + n_j) loses 2^-24 of it. The last rounding is monotone: q ≤ T implies n_i + n_j − 2â ≤ T·(1 + 2^-23).
 *
 * So q ≤ T implies ‖ŷ_i − ŷ_j‖² ≤ T·(1 + 2^-23) + w_i + w_j, w the width below.
 * 5 Upward: steps 1 to 3 bound |â − a|, and truncated norms are at most N². With FP64 norms, rounded once, and the sum
 *   of two norms, q is above ‖ŷ_i − ŷ_j‖² by at most w_i + w_j, w the width of points whose debias has the other sign,
 *   times 1 + 2^-23 for the last rounding.
 */
#pragma once

#include <math.h>

#include "kernels/tensor/rung.h"

/* A build that weakens one of these must fail its tests (tests/mutants). */
#ifndef EB_TENSOR_LOSS
#define EB_TENSOR_LOSS 1.0 /* of step 1's L */
#endif
#ifndef EB_TENSOR_MOVED
#define EB_TENSOR_MOVED 1.0 /* of the distance that a point moves when it is rounded */
#endif

/* What the bound needs of a rounded point. */
typedef struct eb_rounded_point {
    double length[3]; /* of its parts */
    double square;    /* ‖ŷ‖², of all parts together */
    double debias;    /* what is added to the norm, may be negative */
} eb_rounded_point;

/* Loss of a chain of blocks, of N_i·N_j (step 1). */
static inline double eb_tensor_chain_loss(const eb_adder *adder, double blocks)
{
    static const double unit[] = {[EB_SUM_F32] = 0x1p-23, [EB_SUM_E8M13] = 0x1p-13, [EB_SUM_F16] = 0x1p-11};
    const double block = adder->block * ldexp(1, -(int)adder->fraction) + unit[adder->rounding];
    return EB_TENSOR_LOSS * expm1(blocks * log1p(block)) * (1 + 0x1p-30);
}

/* L of steps 1 and 2 for chains of `length` operands. */
static inline double eb_tensor_loss(const eb_rung *rung, double length)
{
    const eb_adder *adder = &rung->adder;
    const double group = rung->promote ? rung->promote : adder->halved ? 2 * adder->block : length;
    const double groups = ceil(length / group), inner = adder->halved ? 2 * adder->block : group;
    const double within = eb_tensor_chain_loss(adder, ceil(inner / adder->block));
    const double additions = groups + (adder->halved ? length / (2 * adder->block) : 0);
    const double unit = adder->halved && adder->rounding == EB_SUM_F16 ? 0x1p-11 : 0x1p-24;
    const double outside = group >= length && !adder->halved ? 0 : expm1(additions * unit) * (1 + 0x1p-30);
    return within + (1 + within) * outside;
}

/* Z of step 1, half of it for each point. */
static inline double eb_tensor_vanished(const eb_rung *rung, double length, double norm)
{
    const eb_adder *adder = &rung->adder;
    const double least = ldexp(1, eb_number_type_of(rung->number)->least_exponent), blocks = length / adder->block + 1;
    const double cut = blocks * adder->block * ldexp(1, -(int)adder->fraction);
    const double subnormal = adder->rounding == EB_SUM_F16 ? 0x1p-24 : 0x1p-136;
    return cut * (least * norm + least * least + ldexp(1, adder->zero)) + blocks * subnormal;
}

/* w of a point with floating-point coordinates, for chains of `length` operands in d dimensions; INFINITY if sums can
 * overflow. */
static inline double eb_tensor_width_float(const eb_rung *rung, double length, double d, const eb_rounded_point *p)
{
    const double norm = p->length[0] + p->length[1] + p->length[2], product = norm * norm, third = p->length[2];
    const double most = rung->adder.rounding == EB_SUM_F16 ? 60000 : 0x1p120;
    const double loss = eb_tensor_loss(rung, length);
    if (!(product * (1 + loss) < most))
        return INFINITY;
    const double left_out = rung->parts < 2   ? 0
                            : rung->parts < 3 ? p->length[1] * p->length[1]
                                              : 0x1p-8 * p->length[1] * p->length[1] + 257 * third * third;
    const double sums = rung->norms == EB_NORMS_CHAIN ? d : d / 2;
    const double norms = (sums + 6) * 0x1p-23 * (p->square + fabs(p->debias));
    const double width = loss * product + 2 * eb_tensor_vanished(rung, length, norm) + left_out + norms - p->debias;
    return fmax(0, width) * (1 + 0x1p-30);
}

/* w of a point with 8-bit coordinates. Products are exact; with a step a point, FP32 rounds norms, the product of two
 * steps, and the result, which are normal FP32 numbers in the range below. Two slices leave out the product of the
 * lower ones. */
static inline double eb_tensor_width_s8(const eb_rung *rung, const eb_rounded_point *p)
{
    const double rounding = (rung->step_a_point ? 0x1p-20 : 0x1p-48) * (p->square + fabs(p->debias));
    if (rung->step_a_point && p->square > 0 && (p->square < 0x1p-80 || p->square > 0x1p100))
        return INFINITY;
    return fmax(0, rounding + p->length[1] * p->length[1] - p->debias) * (1 + 0x1p-30);
}

/* w of a point in FP64: chains of d fused steps. */
static inline double eb_tensor_width_f64(double d, const eb_rounded_point *p) { return (d + 8) * 0x1p-51 * p->square; }
