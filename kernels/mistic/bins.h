/* bins: the width of the bins into which MiSTIC's layers are cut, by the distance to a reference point or by a
 * coordinate. Shared by host and device.
 *
 * Pairs within ε are in the same or in neighbouring bins. Proof: a layer's value v is 1-Lipschitz, |v(p) − v(q)| ≤
 * ‖p − q‖. A bin's width is at least ε(1 + 2⁻¹⁶), and at least 2⁻²⁰ of the greatest possible value, so that a quotient
 * value / width is at most 2²⁰. The quotient comes from d FMAs, a root and a division; its error is less than
 * 2²⁰·(d + 4)·2⁻⁵³ < 2⁻¹⁸ for d ≤ 2¹⁴. A pair within ε by FP64 sums is at most ε(1 + 2⁻²²) apart; for FP32 sums the
 * caller passes a wider ε. So two quotients differ by less than 1.
 */
#pragma once

#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#define EB_BINS_INLINE __host__ __device__ static inline
#else
#define EB_BINS_INLINE static inline
#endif

#define EB_BIN_BITS 21u /* bits of a bin's number */

/* The relative amount by which a width exceeds ε. tests/mutants compiles with a smaller one. */
#ifndef EB_BIN_SLACK
#define EB_BIN_SLACK 0x1p-16
#endif

/* most: an upper bound of the layer's values. */
EB_BINS_INLINE double eb_bin_width(double eps, double most)
{
    const double width = fmax(eps * (1 + EB_BIN_SLACK), most * 0x1p-20);
    return width > 0 ? width : 1;
}

EB_BINS_INLINE uint32_t eb_bin_of(double value, double width)
{
    const double at = floor(value / width);
    return at > 0 ? (uint32_t)fmin(at, 0x1p20) : 0;
}
