/* Rung 1, naive: one thread for each pair of points. It reads both from global memory, dimension by dimension.
 *
 * points: n × d FP16 numbers, row by row. A pair counts if Σ (p − q)² ≤ limit, in FP32. neighbours[i] becomes the
 * number of points within ε of point i, itself included.
 *
 * Launch: n / 16 × n / 16 blocks, rounded up, of 16 × 16 threads.
 * What limits it: each coordinate is read n times, and each time for two operations.
 */
#pragma once

#include <cuda_fp16.h>
#include <stdint.h>

__global__ void ladder_naive(const __half *points, const float *norms, uint32_t n, uint32_t d, float limit,
                             uint32_t *neighbours)
{
    const uint32_t i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    if (i >= n || j >= n)
        return;
    const __half *p = points + (size_t)i * d, *q = points + (size_t)j * d;
    float s = 0;
    for (uint32_t k = 0; k < d; k++) {
        const float t = __half2float(p[k]) - __half2float(q[k]);
        s += t * t;
    }
    if (s <= limit)
        atomicAdd(neighbours + i, 1);
}
