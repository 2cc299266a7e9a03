/* levels: the levels {h, s} of engine tensor's points (fasted/cuda/levels.cuh), by arithmetic type.
 *
 * chain: FASTED's, from FP32 norms. bytes: byte_levels.h, norms are whole numbers. wide: h = ⌊(n − T/2)/(2·unit)⌋ − 1,
 * so that q ≤ T implies a/unit ≥ h_i + h_j: one below more than covers FP64's roundings of numbers below 2^42. own
 * steps: FASTED's h, for the kernel's sums: divided by their unit, a power of two.
 */
#pragma once

#include "kernels/fasted/cuda/prepare.cuh"
#include "kernels/tensor/cuda/chain.cuh"
#include "kernels/tensor/cuda/steps.cuh"

namespace eb {

/* What levels are made of, on the device; unused ones are nullptr. */
struct level_sources {
    const float *norm, *step;
    const double *square;
};

static __device__ __forceinline__ float2 level_made(chain_numbers, const level_sources &from, uint32_t i, uint32_t n,
                                                    float threshold, double)
{
    return level_of(from.norm, i, n, threshold);
}

static __device__ __forceinline__ int2 level_made(byte_numbers, const level_sources &from, uint32_t i, uint32_t n,
                                                  uint32_t threshold, double)
{
    if (i >= n)
        return byte_numbers::never();
    const int s = __float_as_int(from.norm[i]);
    return make_int2(eb_bytes_level(s, threshold), s);
}

static __device__ __forceinline__ int2 level_made(wide_products, const level_sources &from, uint32_t i, uint32_t n,
                                                  double threshold, double unit)
{
    if (i >= n)
        return wide_products::never();
    const double h = floor((from.square[i] - 0.5 * threshold) / (2 * unit)) - 1;
    return make_int2(static_cast<int>(fmin(fmax(h, -static_cast<double>(wide_never)), static_cast<double>(wide_never))),
                     0);
}

static __device__ __forceinline__ float2 level_made(stepped_products, const level_sources &from, uint32_t i, uint32_t n,
                                                    float threshold, double unit)
{
    if (i >= n)
        return stepped_products::never();
    const float h = level_of(from.norm, i, n, threshold).x;
    return make_float2(h * static_cast<float>(1 / unit), from.step[i]);
}

/* Padding points get a level that never passes. unit: of the sums (steps.cuh); 1 for the others. */
template <class numbers>
static __global__ void __launch_bounds__(side_levels<numbers>::points)
    make_levels(level_sources from, uint32_t n, uint32_t n_padded, typename numbers::squared threshold, double unit,
                typename numbers::pair *level, typename side_levels<numbers>::columns_of *columns)
{
    keep_level(level_made(numbers{}, from, blockIdx.x * side_levels<numbers>::points + threadIdx.x, n, threshold, unit),
               n_padded, level, columns);
}

} // namespace eb
