/* Rung 4, pipeline: a slice is copied into shared memory (cp.async) while the previous slice is multiplied.
 *
 * New: two buffers, and copies that need no registers and that no thread waits for. The rest is as in mma.cuh: tile,
 * fragments, arguments, launch.
 *
 * What limits it: rows of 80 bytes waste a fifth of shared memory and allow only short slices, each of which ends in a
 * barrier. Blocks that run at the same time read different columns, more than L2 holds.
 */
#pragma once

#include <cuda_fp16.h>
#include <stdint.h>

namespace ladder_pipeline_parts {

constexpr uint32_t tile = 128, slice = 32, pitch = slice + 8; /* 80 bytes a row: eight rows lie in different banks */

__device__ void copy(__half *to, const __half *from) /* 16 bytes */
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(to))),
                 "l"(from));
}

__device__ void load(uint32_t (&fragment)[4], const __half *row)
{
    const uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
                 : "r"(address));
}

/* sum (16 × 8) += a (16 × 16) · bᵀ (8 × 16). With g = lane / 4, t = lane % 4 a lane has columns 2t and 2t + 1: of row g
 * in sum[0] and sum[1], of row g + 8 in sum[2] and sum[3]. */
__device__ void multiply(float (&sum)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                 "{%0,%1,%2,%3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* Counts each row's hits. The four lanes of a row hold its sums for the warp's columns. */
__device__ void count(const float (&sum)[4][8][4], uint32_t row, uint32_t column, const float *norms, float limit,
                      uint32_t *neighbours)
{
    const uint32_t g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    for (int m = 0; m < 4; m++)
        for (int half = 0; half < 2; half++) {
            const uint32_t i = row + 16 * m + 8 * half + g;
            const float norm = norms[i];
            uint32_t hits = 0;
            for (int c = 0; c < 8; c++)
                for (int e = 0; e < 2; e++)
                    hits += (norm + norms[column + 8 * c + 2 * t + e]) - 2 * sum[m][c][2 * half + e] <= limit;
            hits += __shfl_xor_sync(~0u, hits, 1);
            hits += __shfl_xor_sync(~0u, hits, 2);
            if (t == 0 && hits > 0)
                atomicAdd(neighbours + i, hits);
        }
}

} // namespace ladder_pipeline_parts

__global__ __launch_bounds__(128) void ladder_pipeline(const __half *points, const float *norms, uint32_t n, uint32_t d,
                                                       float limit, uint32_t *neighbours)
{
    using namespace ladder_pipeline_parts;
    __shared__ __align__(16) __half left[2][tile][pitch], right[2][tile][pitch];
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = blockIdx.y * tile,
                   column = blockIdx.x * tile, warp_row = warp / 2 * 64, warp_column = warp % 2 * 64;
    float sum[4][8][4] = {};

    auto fetch = [&](uint32_t buffer, uint32_t k0) {
        for (uint32_t e = threadIdx.x; e < tile * slice / 8 && k0 < d; e += 128) {
            const uint32_t point = e / 4, k = e % 4 * 8;
            copy(&left[buffer][point][k], points + (size_t)(row + point) * d + k0 + k);
            copy(&right[buffer][point][k], points + (size_t)(column + point) * d + k0 + k);
        }
        asm volatile("cp.async.commit_group;");
    };
    fetch(0, 0);
    for (uint32_t k0 = 0, now = 0; k0 < d; k0 += slice, now ^= 1) {
        fetch(now ^ 1, k0 + slice);
        asm volatile("cp.async.wait_group 1;" ::: "memory"); /* all slices but the newest have arrived */
        __syncthreads();
        for (uint32_t k = 0; k < slice; k += 16) {
            uint32_t a[4][4], b[4];
            for (int m = 0; m < 4; m++)
                load(a[m], &left[now][warp_row + 16 * m + lane % 16][k + lane / 16 * 8]);
            for (int c = 0; c < 8; c += 2) {
                load(b, &right[now][warp_column + 8 * c + lane % 8 + lane / 16 * 8][k + lane / 8 % 2 * 8]);
                for (int m = 0; m < 4; m++) {
                    multiply(sum[m][c], a[m], b[0], b[1]);
                    multiply(sum[m][c + 1], a[m], b[2], b[3]);
                }
            }
        }
        __syncthreads();
    }
    count(sum, row + warp_row, column + warp_column, norms, limit, neighbours);
}
