/* levels: the values that kernels compare products with, stored beside a side's points: {h, s} of each point, and the h
 * and s of 256 points each in contiguous columns. An engine's rules extend such a side with the data that levels are
 * computed from. */
#pragma once

#include "kernels/device/gpu.cuh"
#include "kernels/fasted/cuda/arguments.cuh"

namespace eb {

template <class numbers> struct side_levels {
    using level_type = typename numbers::level;
    using pair = typename numbers::pair;
    using columns_of = levels_of_columns<level_type>;
    static constexpr int points = columns_of::points;
    static constexpr size_t bytes_a_row = sizeof(pair) + (sizeof(columns_of) + points - 1) / points;

    device_array<pair> level;
    device_array<columns_of> columns;

    eb_code reserve(size_t rows, eb_status *status)
    {
        const char *what = "making room for the levels";
        EB_TRY(level.reserve(rows, what, status));
        return columns.reserve(blocks_of(rows), what, status);
    }
    /* Number of blocks of threads that make levels, `points` levels each. */
    static unsigned blocks_of(size_t rows) { return static_cast<unsigned>((rows + points - 1) / points); }

    /* Rows [at, at + count) of the side as a panel, numbered from `first`. */
    levelled_panel<numbers> panel(const typename numbers::point *rows, size_t at, size_t count, size_t first) const
    {
        return {{},
                rows,
                level.get() + at,
                at % points == 0 ? columns.get() + at / points : nullptr,
                static_cast<uint32_t>(count),
                static_cast<uint32_t>(first)};
    }
};

/* Levels with the squared norms that they are computed from. */
template <class numbers> struct side_norms : side_levels<numbers> {
    using typename side_levels<numbers>::level_type;
    static constexpr size_t bytes_a_row = sizeof(level_type) + side_levels<numbers>::bytes_a_row;

    device_array<level_type> norm;

    eb_code reserve(size_t rows, eb_status *status)
    {
        EB_TRY(norm.reserve(rows, "making room for the norms", status));
        return side_levels<numbers>::reserve(rows, status);
    }
};

static __device__ __forceinline__ int least_of_warp(int x) { return __reduce_min_sync(~0u, x); }

static __device__ __forceinline__ float least_of_warp(float x)
{
    for (int distance = 16; distance > 0; distance /= 2)
        x = fminf(x, __shfl_xor_sync(~0u, x, distance));
    return x;
}

static __device__ __forceinline__ int greatest_of_warp(int x) { return __reduce_max_sync(~0u, x); }

static __device__ __forceinline__ float greatest_of_warp(float x)
{
    for (int distance = 16; distance > 0; distance /= 2)
        x = fmaxf(x, __shfl_xor_sync(~0u, x, distance));
    return x;
}

/* Stores a block's 256 levels, their least h and their greatest s. All threads call it, each with its own level;
 * threads from n_padded on have no row. */
template <class pair, class value>
static __device__ __forceinline__ void keep_level(pair mine, uint32_t n_padded, pair *level,
                                                  levels_of_columns<value> *columns)
{
    constexpr int points = levels_of_columns<value>::points, warps = points / 32;
    static_assert(warps <= 32);
    __shared__ value least[warps], most[warps];
    const uint32_t i = blockIdx.x * points + threadIdx.x;
    const value smallest = least_of_warp(mine.x), largest = greatest_of_warp(mine.y);
    levels_of_columns<value> &of = columns[blockIdx.x];
    if (i < n_padded)
        level[i] = mine;
    of.h[threadIdx.x] = mine.x;
    of.s[threadIdx.x] = mine.y;
    if (threadIdx.x % 32 == 0) {
        least[threadIdx.x / 32] = smallest;
        most[threadIdx.x / 32] = largest;
    }
    __syncthreads();
    if (threadIdx.x >= 32)
        return;
    const value low = least_of_warp(least[threadIdx.x % warps]), high = greatest_of_warp(most[threadIdx.x % warps]);
    if (threadIdx.x == 0) {
        of.least = low;
        of.most = high;
    }
}

} // namespace eb
