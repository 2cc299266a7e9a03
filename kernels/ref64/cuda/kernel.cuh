/* kernel: the FP64 reference's kernel on CUDA cores, for any d: t = pₖ − qₖ, s ← fma(t, t, s), k ascending, s ≤ ε·ε.
 * few.cuh has a faster one for few dimensions.
 *
 * A block tile is 128 × 128 pairs. Each of two blocks of 128 threads has half of its columns, a thread 8 × 8 pairs: 64
 * independent chains hide the FP64 latency, and 16 loads of 16 bytes (two dimensions) feed 256 FP64 instructions. A
 * thread's rows are 16 apart and its columns 8, so that the 8 lanes of a load phase read 8 neighbouring rows, which the
 * swizzle puts at different places. The registers suffice for two blocks an SM: while one block loads or settles its
 * pairs, the other computes.
 *
 * The limit is the FP64 pipe: two instructions (a DADD, a DFMA) for each dimension of a pair. Points are padded to an
 * even number of dimensions, with zero in every point: t = 0 leaves s unchanged, bit for bit.
 */
#pragma once

#include "kernels/parts/stage.cuh"
#include "kernels/ref64/shape.h"
#include "kernels/tiled/settle.cuh"

namespace eb {

constexpr int ref64_tile = EB_REF64_TILE, ref64_halves = EB_REF64_HALVES, ref64_columns = EB_REF64_COLUMNS;
constexpr int ref64_threads = EB_REF64_THREADS, ref64_stages = EB_REF64_STAGES, ref64_pairs = EB_REF64_PAIRS;
constexpr int ref64_shared_bytes = ref64_stages * EB_REF64_STAGE_BYTES;

__device__ __forceinline__ double2 load_two(uint32_t address)
{
    double2 value;
    asm volatile("ld.shared.v2.f64 {%0,%1}, [%2];" : "=d"(value.x), "=d"(value.y) : "r"(address));
    return value;
}

/* Adds a coordinate to a pair's sum. */
__device__ __forceinline__ double add_difference(double s, double p, double q)
{
    const double t = __dsub_rn(p, q);
    return __fma_rn(t, t, s);
}

template <output writes>
__global__ void __launch_bounds__(ref64_threads, EB_REF64_RESIDENT) ref64_tiles(const f64_arguments args)
{
    extern __shared__ __align__(1024) unsigned char shared_raw[];
    __shared__ waiting_hits<double> hits[ref64_threads / 32];
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    const tile at = tile_of(args, blockIdx.x / ref64_halves);
    if (!at.inside)
        return;
    const uint32_t row0 = at.row * ref64_tile,
                   column0 = at.column * ref64_tile + blockIdx.x % ref64_halves * ref64_columns;
    const size_t stride = static_cast<size_t>(args.d_padded) * sizeof(double);

    /* 16 × 8 threads cover the half tile; a warp is 4 rows of threads. */
    const int ty = eb_ref64_row(thread), tx = eb_ref64_column(thread);
    double s[ref64_pairs / 2][2][ref64_pairs] = {};
    for_each_slice<ref64_tile, ref64_columns, ref64_threads, ref64_stages, swizzle_f64>(
        reinterpret_cast<const unsigned char *>(args.a.points) + row0 * stride,
        reinterpret_cast<const unsigned char *>(args.b.points) + column0 * stride, stride, shared_address(shared_raw),
        thread, [&](uint32_t stage, int chunks) {
            /* Rows ty + 16·m and columns tx + 8·c: multiples of 8, so the swizzle is that of ty and tx. */
            const uint32_t a = stage + static_cast<uint32_t>(ty * row_bytes);
            const uint32_t b = stage + static_cast<uint32_t>((ref64_tile + tx) * row_bytes);
#pragma unroll 1
            for (int chunk = 0; chunk < chunks; chunk++) {
                double2 p[ref64_pairs];
#pragma unroll
                for (int m = 0; m < ref64_pairs; m++)
                    p[m] = load_two(a + m * 16 * row_bytes + static_cast<uint32_t>(chunk ^ swizzle_f64::of(ty)) * 16);
#pragma unroll
                for (int c = 0; c < ref64_pairs; c++) {
                    const double2 q =
                        load_two(b + c * 8 * row_bytes + static_cast<uint32_t>(chunk ^ swizzle_f64::of(tx)) * 16);
#pragma unroll
                    for (int m = 0; m < ref64_pairs; m++)
                        s[m / 2][m % 2][c] = add_difference(s[m / 2][m % 2][c], p[m].x, q.x);
#pragma unroll
                    for (int m = 0; m < ref64_pairs; m++)
                        s[m / 2][m % 2][c] = add_difference(s[m / 2][m % 2][c], p[m].y, q.y);
                }
            }
        });

    settler<writes> settle(args, &hits[warp], lane);
#pragma unroll
    for (int two = 0; two < ref64_pairs / 2; two++)
        settle.take(
            s[two], [&](int m) { return row0 + static_cast<uint32_t>(ty + 32 * two + 16 * m); },
            [&](int c) { return column0 + static_cast<uint32_t>(tx + 8 * c); });
    settle.finish();
}

} // namespace eb
