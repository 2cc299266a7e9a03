/* bins: how far MiSTIC's layers are cut: by the distance to a reference point, or by a coordinate. Host and device
 * share it.
 *
 * Pairs within ε are in neighbouring bins. A layer's value v is 1-Lipschitz: |v(p) − v(q)| ≤ ‖p − q‖. A bin's width is
 * at least ε(1 + 2⁻¹⁶), and at least a 2²⁰-th of the greatest value there can be, so that a quotient is at most 2²⁰; of
 * d FMAs, a root and a division it is off by less than 2²⁰·(d + 4)·2⁻⁵³ < 2⁻¹⁸ for d ≤ 2¹⁴, and a pair within ε by FP64
 * sums is no farther apart than ε(1 + 2⁻²²); for FP32 sums whoever asks gives a wider ε. Two quotients then differ by
 * less than 1.
 */
#pragma once

#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#define EB_BINS_INLINE __host__ __device__ static inline
#else
#define EB_BINS_INLINE static inline
#endif

#define EB_BIN_BITS 21u /* of a bin's number */

/* Of a width beyond ε. A build that tests its tests makes it less. */
#ifndef EB_BIN_SLACK
#define EB_BIN_SLACK 0x1p-16
#endif

/* most: no value of a layer is above it. */
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
