/* prepare: computes what the kernels need of byte points: squared norms s and levels {h, s} (byte_levels.h). */
#pragma once

#include "kernels/fasted/cuda/levels.cuh"

namespace eb {

constexpr unsigned rows_prepared_a_block = 8; /* one for each warp */

/* Subtracts `shift` from each of four bytes. Only the first `left` are coordinates; the others are padding and become
 * 0. */
static __device__ uint32_t less(uint32_t word, uint32_t shift, int left)
{
    const uint32_t there = left >= 4 ? ~0u : left <= 0 ? 0 : (1u << 8 * left) - 1;
    return __vsub4(word, shift * 0x01010101u) & there;
}

/* Subtracts `shift` from every coordinate and sums the squares. */
template <bool is_signed>
static __global__ void __launch_bounds__(32 * rows_prepared_a_block)
    norms_of_bytes(uint8_t *points, uint32_t n, uint32_t n_padded, uint32_t d, uint32_t d_padded, uint32_t shift,
                   int *norm)
{
    const uint32_t row = blockIdx.x * rows_prepared_a_block + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= n_padded)
        return;
    uint32_t *words = reinterpret_cast<uint32_t *>(points + static_cast<size_t>(row) * d_padded);
    int s = 0;
    for (uint32_t w = lane; row < n && w < d_padded / 4; w += 32) {
        uint32_t word = words[w];
        if (shift != 0)
            words[w] = word = less(word, shift, static_cast<int>(d) - static_cast<int>(4 * w));
        if constexpr (is_signed)
            s = __dp4a(static_cast<int>(word), static_cast<int>(word), s);
        else
            s = static_cast<int>(__dp4a(word, word, static_cast<uint32_t>(s)));
    }
    s = __reduce_add_sync(~0u, s);
    if (lane == 0)
        norm[row] = s;
}

/* Places past the last point get a level that never passes. */
static __global__ void __launch_bounds__(levels_of_columns<int>::points)
    levels_of_bytes(const int *norm, uint32_t n, uint32_t n_padded, uint32_t threshold, int2 *level,
                    levels_of_columns<int> *columns)
{
    const uint32_t i = blockIdx.x * levels_of_columns<int>::points + threadIdx.x;
    keep_level(i < n ? make_int2(eb_bytes_level(norm[i], threshold), norm[i])
                     : make_int2(EB_BYTES_NEVER_H, EB_BYTES_NEVER_S),
               n_padded, level, columns);
}

} // namespace eb
