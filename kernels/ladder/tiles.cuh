/* Rung 2, tiles: a block computes 64 × 64 pairs from slices of its points in shared memory, a thread 4 × 4 of them.
 *
 * New: a coordinate read from global memory serves 64 pairs, one read from shared memory serves 4. Arguments as in
 * naive.cuh. d is a multiple of 64; the array has rows beyond the n points, up to a multiple of 256.
 *
 * Launch: n / 64 × n / 64 blocks, rounded up, of 16 × 16 threads.
 * What limits it: FP32 units do one multiplication and one addition per lane; tensor cores would do hundreds.
 */
#pragma once

#include <cuda_fp16.h>
#include <stdint.h>

__global__ __launch_bounds__(256) void ladder_tiles(const __half *points, const float *norms, uint32_t n, uint32_t d,
                                                    float limit, uint32_t *neighbours)
{
    constexpr uint32_t tile = 64, slice = 32;
    __shared__ float left[slice][tile + 1], right[slice][tile + 1]; /* k-major; 65: columns lie in different banks */
    const uint32_t row = blockIdx.y * tile, column = blockIdx.x * tile, thread = threadIdx.y * 16 + threadIdx.x;
    float s[4][4] = {};

    for (uint32_t k0 = 0; k0 < d; k0 += slice) {
        for (uint32_t e = thread; e < tile * slice; e += 256) {
            const uint32_t point = e / slice, k = e % slice;
            left[k][point] = __half2float(points[(size_t)(row + point) * d + k0 + k]);
            right[k][point] = __half2float(points[(size_t)(column + point) * d + k0 + k]);
        }
        __syncthreads();
        for (uint32_t k = 0; k < slice; k++) {
            float p[4], q[4];
            for (int e = 0; e < 4; e++) {
                p[e] = left[k][threadIdx.y + 16 * e];
                q[e] = right[k][threadIdx.x + 16 * e];
            }
            for (int a = 0; a < 4; a++)
                for (int b = 0; b < 4; b++) {
                    const float t = p[a] - q[b];
                    s[a][b] += t * t;
                }
        }
        __syncthreads();
    }

    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            const uint32_t i = row + threadIdx.y + 16 * a, j = column + threadIdx.x + 16 * b;
            if (i < n && j < n && s[a][b] <= limit)
                atomicAdd(neighbours + i, 1);
        }
}
