/* kernel: TED-Join's arithmetic, ‖p‖² + ‖q‖² − 2⟨p,q⟩ in FP64 on tensor cores, with FASTED's tiling.
 *
 * A block tile has 128 × 128 pairs; each half of its columns belongs to one block of 4 warps of 64 × 32. Slices have 16
 * dimensions (128-byte rows), with 4 stages of cp.async. The last slice is multiplied in steps of 4 dimensions, to
 * which points are padded.
 *
 * What limits it: the FP64 tensor pipe (66 TFLOPS on H200 with m16n8k16). Per slice a warp reads (64 + 32)·128 B = 12
 * KB for 32768 FMAs: 96 of 260 clocks of shared-memory bandwidth for each of the four sub-cores' share.
 */
#pragma once

#include "kernels/parts/stage.cuh"
#include "kernels/ted/shape.h"
#include "kernels/tiled/settle.cuh"

namespace eb {

constexpr int ted_tile = EB_TED_TILE, ted_halves = EB_TED_HALVES, ted_columns = EB_TED_COLUMNS;
constexpr int ted_threads = EB_TED_THREADS, ted_stages = EB_TED_STAGES;
constexpr int ted_warp_rows = EB_TED_WARP_ROWS, ted_warp_columns = EB_TED_WARP_COLUMNS;
constexpr int ted_row_blocks = ted_warp_rows / 16, ted_column_blocks = ted_warp_columns / 8;
constexpr int ted_shared_bytes = ted_stages * EB_TED_STAGE_BYTES;

__device__ __forceinline__ double load_one(uint32_t address)
{
    double value;
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(value) : "r"(address));
    return value;
}

/* ‖p‖² of a block's points, copied with the first slice. Loading them where they are used took four successive waits
 * for L2, most of a tile's time when d is small. */
struct ted_norms {
    double row[ted_tile], column[ted_columns];
};

__device__ __forceinline__ void fetch_norms(ted_norms &to, const double *rows, const double *columns, int thread)
{
    static_assert(ted_threads == ted_tile && ted_columns <= ted_tile);
    copy_async_8(shared_address(&to.row[thread]), rows + thread);
    if (thread < ted_columns)
        copy_async_8(shared_address(&to.column[thread]), columns + thread);
}

/* A warp's inner products so far, and its lane's offsets. A lane reads row g plus multiples of 8. */
struct ted_warp {
    double d[ted_row_blocks][ted_column_blocks][4] = {};
    uint32_t a_row, b_row; /* within a stage */
    int g, t;

    __device__ __forceinline__ ted_warp(int warp, int lane) : g(eb_f64_row(lane)), t(lane % 4)
    {
        a_row = static_cast<uint32_t>((eb_ted_row(warp) + g) * row_bytes + eb_f64_within(t));
        b_row = static_cast<uint32_t>((ted_tile + eb_ted_column(warp) + g) * row_bytes + eb_f64_within(t));
    }

    /* Dimension t + 4·step of a row is double t%2 of chunk 2·step + t/2. */
    __device__ __forceinline__ uint32_t place(int step) const { return eb_f64_place(step, g, t); }

    __device__ __forceinline__ void multiply_slice(uint32_t stage)
    {
        double b[ted_column_blocks][4];
#pragma unroll
        for (int c = 0; c < ted_column_blocks; c++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                b[c][e] = load_one(stage + b_row + c * 8 * row_bytes + place(e));
#pragma unroll
        for (int m = 0; m < ted_row_blocks; m++) {
            double a[8];
#pragma unroll
            for (int e = 0; e < 8; e++)
                a[e] = load_one(stage + a_row + (m * 16 + e % 2 * 8) * row_bytes + place(e / 2));
#pragma unroll
            for (int c = 0; c < ted_column_blocks; c++)
                mma_f64(d[m][c], a, b[c]);
        }
    }

    __device__ __forceinline__ void multiply_step(uint32_t stage, int step)
    {
        double b[ted_column_blocks];
#pragma unroll
        for (int c = 0; c < ted_column_blocks; c++)
            b[c] = load_one(stage + b_row + c * 8 * row_bytes + place(step));
#pragma unroll
        for (int m = 0; m < ted_row_blocks; m++) {
            const double upper = load_one(stage + a_row + m * 16 * row_bytes + place(step)),
                         lower = load_one(stage + a_row + (m * 16 + 8) * row_bytes + place(step));
#pragma unroll
            for (int c = 0; c < ted_column_blocks; c++)
                mma_f64_step(d[m][c], upper, lower, b[c]);
        }
    }
};

/* Multiplies a block's tile. Rows are `stride` bytes long and apart. */
__device__ __forceinline__ void multiply_tile(ted_warp &products, const double *rows, const double *columns,
                                              size_t stride, uint32_t shared, int thread)
{
    for_each_slice<ted_tile, ted_columns, ted_threads, ted_stages, swizzle_f64>(
        reinterpret_cast<const unsigned char *>(rows), reinterpret_cast<const unsigned char *>(columns), stride, shared,
        thread, [&](uint32_t stage, int chunks) {
            if (chunks == row_chunks) {
                products.multiply_slice(stage);
                return;
            }
#pragma unroll 1
            for (int step = 0; step < chunks / 2; step++)
                products.multiply_step(stage, step);
        });
}

template <output writes> __global__ void __launch_bounds__(ted_threads, 2) ted_tiles(const f64_arguments args)
{
    extern __shared__ __align__(1024) unsigned char shared_raw[];
    __shared__ waiting_hits<double> hits[ted_threads / 32];
    __shared__ ted_norms norms;
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    const tile at = tile_of(args, blockIdx.x / ted_halves);
    if (!at.inside)
        return;
    const uint32_t row0 = at.row * ted_tile, column0 = at.column * ted_tile + blockIdx.x % ted_halves * ted_columns;
    const size_t stride = static_cast<size_t>(args.d_padded) * sizeof(double);

    fetch_norms(norms, args.a.norm + row0, args.b.norm + column0, thread);
    ted_warp products(warp, lane);
    multiply_tile(products, args.a.points + row0 * static_cast<size_t>(args.d_padded),
                  args.b.points + column0 * static_cast<size_t>(args.d_padded), stride, shared_address(shared_raw),
                  thread);

    /* A lane has rows g and g + 8 of each 16, and columns 2t and 2t + 1 of each 8. */
    settler<writes> settle(args, &hits[warp], lane);
    const int first_row = warp / 2 * ted_warp_rows + lane / 4,
              first_column = warp % 2 * ted_warp_columns + lane % 4 * 2;
    const auto column_of = [&](int k) { return column0 + static_cast<uint32_t>(first_column + k / 2 * 8 + k % 2); };
    double norm_column[2 * ted_column_blocks];
#pragma unroll
    for (int k = 0; k < 2 * ted_column_blocks; k++)
        norm_column[k] = load_one(shared_address(&norms.column[first_column + k / 2 * 8 + k % 2]));
#pragma unroll
    for (int m = 0; m < ted_row_blocks; m++) {
        const auto row_of = [&](int half) { return row0 + static_cast<uint32_t>(first_row + m * 16 + half * 8); };
        double s[2][2 * ted_column_blocks];
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const double norm_row = load_one(shared_address(&norms.row[first_row + m * 16 + half * 8]));
#pragma unroll
            for (int k = 0; k < 2 * ted_column_blocks; k++) {
                const double sum = __dadd_rn(norm_row, norm_column[k]);
                s[half][k] = __fma_rn(-2.0, products.d[m][k / 2][2 * half + k % 2], sum); /* 2·product is exact */
            }
        }
        settle.take(s, row_of, column_of);
    }
    settle.finish();
}

} // namespace eb
