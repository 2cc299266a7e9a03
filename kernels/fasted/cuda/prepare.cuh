/* prepare: computes a side's norms s and levels {h, s} from padded FP16 rows.
 *
 * s_i = Σ p², k ascending, as the option `norms` says (switches.h); p² is exact in FP32, so that an FMA rounds once. h
 * serves the hot test a ≥ h_i + h_j, which must pass every pair with q ≤ T, where q = fl(fl(s_i + s_j) − 2a). q ≤ T
 * implies a ≥ (s_i + s_j)/2·(1 − 2^-24) − T/2·(1 + 2^-23). The hot test's own addition rounds by at most 2^-24 of |h_i|
 * + |h_j|. Lowering h by 2^-21·(s/2 + T/4) covers both with room to spare.
 */
#pragma once

#include <cstdint>

#include <cuda_fp16.h>

#include "kernels/fasted/cuda/levels.cuh"
#include "kernels/fasted/switches.h"

namespace eb {

constexpr int prepare_points_a_block = 32; /* one warp; each lane sums one point */
constexpr int prepare_slice = 64;

/* Adds the squares of two neighbouring coordinates. */
template <eb_fasted_norms norms, class sum> __device__ sum add_squares(sum s, float2 p)
{
    if constexpr (norms == EB_NORMS_FP64)
        return s + (static_cast<double>(p.x * p.x) + static_cast<double>(p.y * p.y));
    else if constexpr (norms == EB_NORMS_CHAIN)
        return __fmaf_rz(p.y, p.y, __fmaf_rz(p.x, p.x, s));
    else
        return __fadd_rz(s, __fmaf_rz(p.x, p.x, p.y * p.y));
}

/* One warp per block. The slice goes through shared memory so that global reads are whole rows. Staged rows are padded
 * by one 4-byte word, so that the lanes, one row each, read different banks. */
template <eb_fasted_norms norms, class sum>
static __global__ void __launch_bounds__(32)
    norms_of(const __half *points, uint32_t n, uint32_t n_padded, uint32_t d_padded, float *norm)
{
    __shared__ __half2 staged[prepare_points_a_block][prepare_slice / 2 + 1];
    const uint32_t first = blockIdx.x * prepare_points_a_block, lane = threadIdx.x;
    sum s = 0;
    for (uint32_t k = 0; k < d_padded; k += prepare_slice) {
        __syncwarp();
        for (int r = 0; r < prepare_points_a_block; r++)
            if (first + r < n_padded)
                staged[r][lane] =
                    reinterpret_cast<const __half2 *>(points + static_cast<size_t>(first + r) * d_padded + k)[lane];
        __syncwarp();
        for (int c = 0; c < prepare_slice / 2; c++)
            s = add_squares<norms>(s, __half22float2(staged[lane][c]));
    }
    if (first + lane < n_padded)
        norm[first + lane] = first + lane < n ? static_cast<float>(s) : 0.0f;
}

/* Returns {h, s}; for a padding point, a level that no product passes. */
static __device__ float2 level_of(const float *norm, uint32_t i, uint32_t n, float threshold)
{
    const float never = __int_as_float(0x7f800000); /* +Inf */
    if (i >= n)
        return make_float2(never, never);
    const float s = norm[i], half = s * 0.5f, e = threshold * 0.25f;
    return make_float2(__fsub_rd(__fsub_rd(half, e), __fmul_ru(0x1p-21f, __fadd_ru(half, e))), s);
}

static __global__ void __launch_bounds__(column_levels::points)
    levels_of(const float *norm, uint32_t n, uint32_t n_padded, float threshold, float2 *level, column_levels *columns)
{
    keep_level(level_of(norm, blockIdx.x * column_levels::points + threadIdx.x, n, threshold), n_padded, level,
               columns);
}

} // namespace eb
