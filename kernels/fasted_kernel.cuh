/* fasted_kernel: FASTED's block-tile kernel (ICPP'25, Table 2) with every optimisation of §3.3 as a template switch.
 *
 *            block tile 128 × 128 of the distance matrix, 4 warps          one warp: 64 × 64, as 4 × 8 mma tiles
 *            ┌─────────────┬─────────────┐
 *   A rows   │  warp 0     │  warp 1     │   k runs in slices of 64 dimensions; a stage of shared memory holds
 *   (points) │  64 × 64    │  64 × 64    │   128 + 128 points × 64 FP16 = 32 KB, filled by cp.async while the tensor
 *            ├─────────────┼─────────────┤   cores work on the stage before.
 *            │  warp 2     │  warp 3     │
 *            └─────────────┴─────────────┘
 *
 * Data path: global (L2, tiles in 8 × 8 squares) → cp.async 16 B → shared (stage.cuh) → ldmatrix.x4 → mma.sync. The sum over k
 * ascends in every variant, so all variants give the same bits.
 *
 * Epilogue: a pair is a hit when q = (s_i + s_j) − 2a ≤ T, T the largest FP32 not above ε². The hot test a ≥ h_i + h_j, with
 * h rounded down (fasted_prepare.cuh), passes every hit and few others; what passes is compacted through shared memory, tested
 * exactly, and appended to the result. Padding points have h = +Inf and never pass.
 *
 * Registers: 128 accumulators + 2 × (16 + 16) of fragments; two blocks an SM leave 255 for each thread. What limits it: at
 * d ≥ 1024 mma.sync's issue (0.6 of its register-only rate), below that the epilogue and the start of each tile; eight warps of
 * 64 × 32 hide those better. Rates are in bench/gpu.md.
 */
#ifndef EB_KERNELS_FASTED_KERNEL_CUH
#define EB_KERNELS_FASTED_KERNEL_CUH

#include <type_traits>

#include <cuda_fp16.h>

#include "core/ablation.h"
#include "kernels/hits.cuh"
#include "kernels/stage.cuh"
#include "kernels/tile_order.cuh"

namespace eb {

/* One side of the join: points row-major, padded to whole tiles and to whole slices of 64 dimensions with zeros. */
struct f16_panel {
    const __half *points;
    const float *norm;      /* s */
    const float *half_norm; /* h; +Inf for padding points */
    uint32_t count;         /* points, padding apart */
    uint32_t first;         /* number of its first point in the dataset */
};

struct fasted_arguments {
    f16_panel a, b;
    uint32_t d_padded, tile_rows, tile_columns;
    uint64_t first_tile;
    float threshold; /* T */
    hit_buffer<float> out;
    float *dense;    /* dense: q of every pair, row-major, b.count a row */
};

/* A variant: the switches of core/ablation.h turned into shapes. */
template <uint32_t set, output output_, bool wide_> struct fasted_shape {
    static constexpr bool on(uint32_t bit) { return (set & bit) == bit; }
    static constexpr output writes = output_;
    static constexpr bool squares = on(EB_TILE_ORDER), async = on(EB_ASYNC_COPY), reuse = on(EB_WARP_TILE);
    static constexpr bool symmetric = on(EB_SYMMETRIC) && output_ != output::dense;
    static constexpr bool early = on(EB_EARLY_TEST), aggregate = on(EB_AGGREGATE);
    using places = std::conditional_t<on(EB_SWIZZLE), swizzle_f16, swizzle_none>;

    static constexpr int rows = on(EB_BLOCK_TILE) ? 128 : 64, columns = rows;
    static constexpr int warp_rows = 64, warp_columns = wide_ ? 64 : 32;
    static constexpr int stages = on(EB_PIPELINE) ? (on(EB_TUNED_TILE) ? 3 : 2) : 1;
    static constexpr int resident = on(EB_RESIDENCY) ? 2 : 1;
    static constexpr int misaligned = on(EB_ALIGNMENT) ? 0 : 16;

    static constexpr int slice = row_bytes / 2; /* dimensions a stage holds: 64 */
    static constexpr int warps_across = columns / warp_columns, warps = rows / warp_rows * warps_across;
    static constexpr int threads = 32 * warps;
    static constexpr int stage_bytes = (rows + columns) * row_bytes;
    static constexpr int queue = 256; /* candidates a warp may hold; one column of mma tiles adds at most 128 */
    static constexpr int used_bytes = stages * stage_bytes + (rows + columns) * 4 + warps * queue * 8 + misaligned;
    /* Without residency, ask for more than half of an SM's shared memory: then a second block finds no room. */
    static constexpr int half_an_sm = 116 * 1024;
    static constexpr int shared_bytes = resident == 1 && used_bytes < half_an_sm && on(EB_BLOCK_TILE) ? half_an_sm : used_bytes;
    static constexpr int row_blocks = warp_rows / 16, column_blocks = warp_columns / 8;

    static_assert(rows % warp_rows == 0 && columns % warp_columns == 0 && warp_rows % 16 == 0 && warp_columns % 16 == 0);
    static_assert(async || stages == 1, "without asynchronous copies there is nothing to pipeline");
};

/* A pair that passed the hot test, on its way to the exact one. */
struct candidate {
    uint32_t place; /* row · 65536 + column, inside the block tile */
    float product;
};

template <class shape> struct fragments {
    uint32_t a[shape::row_blocks][4], b[shape::column_blocks / 2][4];
};

/* Where a lane's matrices of k-step `step` lie, from its row's start. Rows of a warp tile begin at multiples of 8, so a row's
 * number mod 8 is the lane's. */
template <class shape> __device__ __forceinline__ uint32_t a_place(int step, int lane)
{
    return static_cast<uint32_t>((step * 2 + lane / 16) ^ shape::places::of(lane)) * 16;
}
template <class shape> __device__ __forceinline__ uint32_t b_place(int step, int lane)
{
    return static_cast<uint32_t>((step * 2 + lane / 8 % 2) ^ shape::places::of(lane)) * 16;
}

template <class shape>
__device__ __forceinline__ void load_fragments(fragments<shape> &f, uint32_t a_row, uint32_t b_row, int step, int lane)
{
#pragma unroll
    for (int m = 0; m < shape::row_blocks; m++)
        load_matrices(f.a[m], a_row + m * 16 * row_bytes + a_place<shape>(step, lane));
#pragma unroll
    for (int c = 0; c < shape::column_blocks / 2; c++)
        load_matrices(f.b[c], b_row + c * 16 * row_bytes + b_place<shape>(step, lane));
}

/* One slice: d += A·B over 64 dimensions. With warp-tile reuse, fragments of the next k-step are loaded while this one's are
 * multiplied; without it, every mma loads its own. */
template <class shape>
__device__ __forceinline__ void multiply_slice(float (&d)[shape::row_blocks][shape::column_blocks][4], uint32_t a_row,
                                               uint32_t b_row, int lane)
{
    constexpr int steps = shape::slice / 16;
    if constexpr (shape::reuse) {
        fragments<shape> f[2];
        load_fragments<shape>(f[0], a_row, b_row, 0, lane);
#pragma unroll
        for (int step = 0; step < steps; step++) {
            if (step + 1 < steps)
                load_fragments<shape>(f[(step + 1) % 2], a_row, b_row, step + 1, lane);
            const fragments<shape> &now = f[step % 2];
#pragma unroll
            for (int m = 0; m < shape::row_blocks; m++)
#pragma unroll
                for (int c = 0; c < shape::column_blocks; c++)
                    mma_f16(d[m][c], now.a[m], now.b[c / 2][c % 2 * 2], now.b[c / 2][c % 2 * 2 + 1]);
        }
    } else {
#pragma unroll
        for (int step = 0; step < steps; step++)
#pragma unroll
            for (int m = 0; m < shape::row_blocks; m++)
#pragma unroll
                for (int c = 0; c < shape::column_blocks; c++) {
                    uint32_t a[4], b[4];
                    load_matrices(a, a_row + m * 16 * row_bytes + a_place<shape>(step, lane));
                    load_matrices(b, b_row + c / 2 * 16 * row_bytes + b_place<shape>(step, lane));
                    mma_f16(d[m][c], a, b[c % 2 * 2], b[c % 2 * 2 + 1]);
                }
    }
}

__device__ __forceinline__ float squared_distance(float norm_i, float norm_j, float product)
{
    return __fsub_rn(__fadd_rn(norm_i, norm_j), 2.0f * product); /* 2·product is exact */
}

/* Tests a warp's queued candidates exactly and appends the hits. Returns how many there were. */
template <class shape>
__device__ __forceinline__ uint32_t flush(const fasted_arguments &args, const candidate *queue, uint32_t count, uint32_t row0,
                                          uint32_t column0, int lane)
{
    uint32_t hits = 0;
    __syncwarp();
    for (uint32_t base = 0; base < count; base += 32) {
        bool hit = false;
        uint32_t i = 0, j = 0;
        float q = 0;
        if (base + lane < count) {
            const candidate c = queue[base + lane];
            const uint32_t row = row0 + (c.place >> 16), column = column0 + (c.place & 0xffffu);
            if (row < args.a.count && column < args.b.count) {
                i = args.a.first + row;
                j = args.b.first + column;
                q = squared_distance(__ldg(args.a.norm + row), __ldg(args.b.norm + column), c.product);
                hit = q <= args.threshold && (shape::symmetric ? i < j : i != j);
            }
        }
        hits += append<shape::aggregate, shape::writes == output::count>(args.out, hit, i, j, fmaxf(q, 0.0f), lane);
    }
    __syncwarp();
    return hits;
}

/* The epilogue of one warp tile. */
template <class shape>
__device__ __forceinline__ void emit(const fasted_arguments &args, const float (&d)[shape::row_blocks][shape::column_blocks][4],
                                     const float *h_rows, const float *h_columns, candidate *queue, uint32_t row0,
                                     uint32_t column0, int warp_row, int warp_column, int lane)
{
    const int g = lane / 4, t = lane % 4;
    uint32_t waiting = 0, counted = 0;
#pragma unroll
    for (int m = 0; m < shape::row_blocks; m++) {
        const int row = warp_row + m * 16 + g;
        const float upper = h_rows[row], lower = h_rows[row + 8];
        if constexpr (shape::early) {
            bool any = false;
#pragma unroll
            for (int c = 0; c < shape::column_blocks; c++) {
                const float2 h = *reinterpret_cast<const float2 *>(h_columns + warp_column + c * 8 + 2 * t);
                any = any || d[m][c][0] >= upper + h.x;
                any = any || d[m][c][1] >= upper + h.y;
                any = any || d[m][c][2] >= lower + h.x;
                any = any || d[m][c][3] >= lower + h.y;
            }
            if (!__any_sync(~0u, any))
                continue;
        }
#pragma unroll
        for (int c = 0; c < shape::column_blocks; c++) {
            const int column = warp_column + c * 8 + 2 * t;
            const float2 h = *reinterpret_cast<const float2 *>(h_columns + column);
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const bool passes = d[m][c][e] >= (e < 2 ? upper : lower) + (e % 2 ? h.y : h.x);
                const unsigned votes = __ballot_sync(~0u, passes);
                if (votes == 0)
                    continue;
                if (passes)
                    queue[waiting + __popc(votes & ((1u << lane) - 1))] =
                        candidate{static_cast<uint32_t>(row + e / 2 * 8) << 16 | static_cast<uint32_t>(column + e % 2),
                                  d[m][c][e]};
                waiting += __popc(votes);
            }
            if (waiting > shape::queue - 128) {
                counted += flush<shape>(args, queue, waiting, row0, column0, lane);
                waiting = 0;
            }
        }
    }
    if (waiting > 0)
        counted += flush<shape>(args, queue, waiting, row0, column0, lane);
    if constexpr (shape::writes == output::count)
        add_count(args.out.found, counted, lane);
}

/* The dense epilogue: every q, for `distances`. */
template <class shape>
__device__ __forceinline__ void write_dense(const fasted_arguments &args,
                                            const float (&d)[shape::row_blocks][shape::column_blocks][4], uint32_t row0,
                                            uint32_t column0, int lane)
{
#pragma unroll
    for (int m = 0; m < shape::row_blocks; m++)
#pragma unroll
        for (int c = 0; c < shape::column_blocks; c++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const uint32_t row = row0 + m * 16 + lane / 4 + e / 2 * 8, column = column0 + c * 8 + lane % 4 * 2 + e % 2;
                if (row < args.a.count && column < args.b.count)
                    args.dense[static_cast<size_t>(row) * args.b.count + column] =
                        fmaxf(squared_distance(args.a.norm[row], args.b.norm[column], d[m][c][e]), 0.0f);
            }
}

template <class shape> __global__ void __launch_bounds__(shape::threads, shape::resident) fasted_tiles(const fasted_arguments args)
{
    extern __shared__ __align__(1024) unsigned char shared_raw[];
    unsigned char *shared = shared_raw + shape::misaligned;
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    const int warp_row = warp / shape::warps_across * shape::warp_rows;
    const int warp_column = warp % shape::warps_across * shape::warp_columns;
    const tile at =
        tile_at<shape::squares, shape::symmetric>(args.first_tile + blockIdx.x, args.tile_rows, args.tile_columns);
    if (!at.inside)
        return;
    const uint32_t row0 = at.row * shape::rows, column0 = at.column * shape::columns;

    float *h_rows = reinterpret_cast<float *>(shared + shape::stages * shape::stage_bytes), *h_columns = h_rows + shape::rows;
    candidate *queue = reinterpret_cast<candidate *>(h_columns + shape::columns) + warp * shape::queue;
    if constexpr (shape::writes != output::dense)
        for (int k = thread; k < shape::rows + shape::columns; k += shape::threads)
            h_rows[k] = k < shape::rows ? args.a.half_norm[row0 + k] : args.b.half_norm[column0 + (k - shape::rows)];

    float d[shape::row_blocks][shape::column_blocks][4] = {};
    /* This lane's row in the A matrices and in the B matrices (mma.cuh), in bytes from the stage's start. */
    const uint32_t a_lane = static_cast<uint32_t>((warp_row + lane % 16) * row_bytes);
    const uint32_t b_lane = static_cast<uint32_t>((shape::rows + warp_column + lane % 8 + lane / 16 * 8) * row_bytes);
    const size_t stride = static_cast<size_t>(args.d_padded) * sizeof(__half);
    for_each_slice<shape::rows, shape::columns, shape::threads, shape::stages, typename shape::places, shape::async>(
        reinterpret_cast<const unsigned char *>(args.a.points) + row0 * stride,
        reinterpret_cast<const unsigned char *>(args.b.points) + column0 * stride, stride,
        static_cast<int>(args.d_padded) / shape::slice, shared_address(shared), thread,
        [&](uint32_t stage) { multiply_slice<shape>(d, stage + a_lane, stage + b_lane, lane); });

    if constexpr (shape::writes == output::dense)
        write_dense<shape>(args, d, row0 + warp_row, column0 + warp_column, lane);
    else
        emit<shape>(args, d, h_rows, h_columns, queue, row0, column0, warp_row, warp_column, lane);
}

} // namespace eb

#endif
