/* kernel: FASTED's block-tile kernel (ICPP'25, Table 2) with every optimisation of §3.3 as a template switch.
 *
 *            block tile 128 × 128 of the distance matrix, 4 warps          one warp: 64 × 64, as 4 × 8 mma tiles
 *            ┌─────────────┬─────────────┐
 *   A rows   │  warp 0     │  warp 1     │   k runs in slices of 64 dimensions; a stage of shared memory holds
 *   (points) │  64 × 64    │  64 × 64    │   128 + 128 points × 64 FP16 = 32 KB, filled by cp.async while the tensor
 *            ├─────────────┼─────────────┤   cores work on the stage before.
 *            │  warp 2     │  warp 3     │
 *            └─────────────┴─────────────┘
 *
 * Data path: global (L2, tiles in 8 × 8 squares) → cp.async 16 B → shared (stage.cuh) → ldmatrix.x4 → mma.sync. The sum
 * over k ascends in every variant, so all variants give the same bits.
 *
 * Blocks are persistent: each takes every gridDim-th tile, and the slices of its tiles form one stream, so that the
 * copies of the next tile run while this one's epilogue does.
 *
 * Epilogue: a pair is a hit when q = (s_i + s_j) − 2a ≤ T, T the largest FP32 not above ε². The hot test a ≥ h_i + h_j,
 * with h rounded down (prepare.cuh), passes every hit and few others. Candidates go through a small queue in shared
 * memory, so that the code at each of the 128 accumulators stays tiny (inlined in full it misses the instruction
 * cache); the exact test is one loop, and hits wait until 32 or more leave together with one atomic. Padding points
 * have h = +Inf and never pass.
 *
 * Registers: 128 accumulators + 2 × (16 + 16) of fragments; two blocks an SM leave 255 for each thread. What limits it:
 * at d ≥ 1024 mma.sync's issue and, after a while, the power limit; below that the epilogue. Rates are in
 * tests/bench/gpu.md.
 */
#ifndef EB_KERNELS_FASTED_KERNEL_CUH
#define EB_KERNELS_FASTED_KERNEL_CUH

#include <type_traits>

#include <cuda.h>
#include <cuda_fp16.h>

#include "kernels/fasted/switches.h"
#include "kernels/parts/hits.cuh"
#include "kernels/parts/stage.cuh"
#include "kernels/parts/tile_order.cuh"

namespace eb {

/* One side of the join: points row-major, padded to whole tiles and to whole slices of 64 dimensions with zeros. */
struct f16_panel {
    const __half *points;
    const float2 *level; /* {h, s} of each point; h = +Inf for padding points */
    uint32_t count;      /* points, padding apart */
    uint32_t first;      /* number of its first point in the dataset */
};

struct fasted_arguments {
    f16_panel a, b;
    uint32_t d_padded, tile_rows, tile_columns;
    uint64_t first_tile, end_tile;
    const uint2 *list; /* the tiles there are; nullptr: all, or the triangle */
    float threshold;   /* T */
    hit_buffer<float> out;
    float *dense;             /* dense: q of every pair, row-major, b.count a row */
    CUtensorMap a_map, b_map; /* the points of a and b, for the warpgroup kernel's copies */
};

/* A variant: the switches turned into shapes. */
template <uint32_t set, output output_> struct fasted_shape {
    static constexpr bool on(uint32_t bit) { return (set & bit) == bit; }
    static constexpr output writes = output_;
    static constexpr bool squares = on(EB_TILE_ORDER), async = on(EB_ASYNC_COPY), reuse = on(EB_WARP_TILE);
    static constexpr bool symmetric = on(EB_SYMMETRIC) && output_ != output::dense;
    static constexpr bool early = on(EB_EARLY_TEST), aggregate = on(EB_AGGREGATE);
    using places = std::conditional_t<on(EB_SWIZZLE), swizzle_f16, swizzle_none>;

    static constexpr int rows = on(EB_BLOCK_TILE) ? 128 : 64, columns = rows;
    static constexpr int warp_rows = 64, warp_columns = 64;
    static constexpr int stages = on(EB_PIPELINE) ? 2 : 1;
    static constexpr int resident = on(EB_RESIDENCY) ? 2 : 1;
    static constexpr int misaligned = on(EB_ALIGNMENT) ? 0 : 16;

    static constexpr int slice = row_bytes / 2; /* dimensions a stage holds: 64 */
    static constexpr int warps_across = columns / warp_columns, warps = rows / warp_rows * warps_across;
    static constexpr int threads = 32 * warps;
    static constexpr int stage_bytes = (rows + columns) * row_bytes;
    static constexpr int levels =
        rows + columns; /* {h, s} of a tile's points; one set for each tile that may be on its way */
    static constexpr int queue =
        64; /* candidates, and hits, that a warp may hold; hits leave at 32, and one step adds at most 32 */
    static constexpr int used_bytes = stages * (stage_bytes + levels * 8) + warps * queue * (8 + 12) + misaligned;
    /* Without residency, ask for more than half of an SM's shared memory: then a second block finds no room. */
    static constexpr int half_an_sm = 116 * 1024;
    static constexpr int shared_bytes =
        resident == 1 && used_bytes < half_an_sm && on(EB_BLOCK_TILE) ? half_an_sm : used_bytes;
    static constexpr int row_blocks = warp_rows / 16, column_blocks = warp_columns / 8;

    static_assert(rows % warp_rows == 0 && columns % warp_columns == 0 && warp_rows % 16 == 0 &&
                  warp_columns % 16 == 0);
    static_assert(async || stages == 1, "without asynchronous copies there is nothing to pipeline");
};

/* A pair that passed the hot test. */
struct candidate {
    uint32_t place; /* row · 65536 + column, inside the block tile */
    float product;
};

/* What a warp has found and not yet written. */
struct hit_queue {
    candidate *candidates;
    uint2 *pair;
    float *squared;
    uint32_t waiting, counted;
};

template <class shape> struct fragments {
    uint32_t a[shape::row_blocks][4], b[shape::column_blocks / 2][4];
};

/* Where a lane's matrices of k-step `step` lie, from its row's start. Rows of a warp tile begin at multiples of 8, so a
 * row's number mod 8 is the lane's. */
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

/* One slice: d += A·B over 64 dimensions. With warp-tile reuse, fragments of the next k-step are loaded while this
 * one's are multiplied; without it, every mma loads its own. feed() starts the copies of a slice to come, behind the
 * first loads, so that those do not wait for its address arithmetic. */
template <class shape, class feed_type>
__device__ __forceinline__ void multiply_slice(float (&d)[shape::row_blocks][shape::column_blocks][4], uint32_t a_row,
                                               uint32_t b_row, int lane, feed_type feed)
{
    constexpr int steps = shape::slice / 16;
    if constexpr (shape::reuse) {
        fragments<shape> f[2];
        load_fragments<shape>(f[0], a_row, b_row, 0, lane);
        feed();
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
        feed();
#pragma unroll 1
        for (int step = 0; step < steps; step++)
#pragma unroll
            for (int m = 0; m < shape::row_blocks; m++)
#pragma unroll
                for (int c = 0; c < shape::column_blocks; c++) {
                    uint32_t a[4], b[4];
                    __syncwarp(); /* or the assembler keeps what it has loaded before, and this would be the warp tile
                                     again */
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

/* Empties the queue: one atomic for all of it. */
__device__ __forceinline__ void flush(const fasted_arguments &args, hit_queue &queue, int lane)
{
    __syncwarp();
    unsigned long long at = 0;
    if (lane == 0)
        at = atomicAdd(args.out.found, static_cast<unsigned long long>(queue.waiting));
    at = __shfl_sync(~0u, at, 0);
    for (uint32_t k = static_cast<uint32_t>(lane); k < queue.waiting; k += 32) {
        if (at + k < args.out.capacity) {
            args.out.pair[at + k] = queue.pair[k];
            args.out.squared[at + k] = queue.squared[k];
        }
    }
    queue.waiting = 0;
    __syncwarp();
}

/* Takes in the hits of one step, at most one a lane. */
template <class shape>
__device__ __forceinline__ void take_hits(const fasted_arguments &args, hit_queue &queue, bool hit, uint32_t i,
                                          uint32_t j, float q, int lane)
{
    if constexpr (shape::writes == output::count) {
        queue.counted += hit;
    } else if constexpr (!shape::aggregate) {
        if (hit) {
            const unsigned long long at = atomicAdd(args.out.found, 1ull);
            if (at < args.out.capacity) {
                args.out.pair[at] = make_uint2(i, j);
                args.out.squared[at] = q;
            }
        }
    } else {
        const unsigned hits = __ballot_sync(~0u, hit);
        if (hit) {
            const uint32_t at = queue.waiting + __popc(hits & ((1u << lane) - 1));
            queue.pair[at] = make_uint2(i, j);
            queue.squared[at] = q;
        }
        queue.waiting += __popc(hits);
        if (queue.waiting >= 32)
            flush(args, queue, lane);
    }
}

/* Tests `count` queued candidates exactly. levels: the block tile's rows, then its columns. */
template <class shape>
__device__ __forceinline__ void drain(const fasted_arguments &args, const float2 *levels, hit_queue &queue,
                                      uint32_t count, uint32_t row0, uint32_t column0, int lane)
{
    __syncwarp();
    for (uint32_t base = 0; base < count; base += 32) {
        bool hit = false;
        uint32_t i = 0, j = 0;
        float q = 0;
        if (base + lane < count) {
            const candidate c = queue.candidates[base + lane];
            const uint32_t row = c.place >> 16, column = c.place & 0xffffu;
            i = args.a.first + row0 + row;
            j = args.b.first + column0 + column;
            q = squared_distance(levels[row].y, levels[shape::rows + column].y, c.product);
            /* Rows behind a row range's end are real points, not padding. */
            hit = q <= args.threshold && row0 + row < args.a.count && (shape::symmetric ? i < j : i != j);
        }
        take_hits<shape>(args, queue, hit, i, j, fmaxf(q, 0.0f), lane);
    }
    __syncwarp();
}

/* Which column blocks of row block m hold a candidate anywhere in the warp: a bit each. Without the early test: all. */
template <class shape>
__device__ __forceinline__ unsigned column_blocks_with_candidates(const float (&d)[shape::column_blocks][4],
                                                                  float upper, float lower, const float2 *column_levels)
{
    if constexpr (!shape::early)
        return ~0u >> (32 - shape::column_blocks);
    unsigned mine = 0;
#pragma unroll
    for (int c = 0; c < shape::column_blocks; c++) {
        const float left = column_levels[c * 8].x, right = column_levels[c * 8 + 1].x;
        const bool any =
            d[c][0] >= upper + left || d[c][1] >= upper + right || d[c][2] >= lower + left || d[c][3] >= lower + right;
        mine |= any ? 1u << c : 0u;
    }
    return __reduce_or_sync(~0u, mine);
}

/* The epilogue of one warp tile. */
template <class shape>
__device__ __forceinline__ void emit(const fasted_arguments &args,
                                     const float (&d)[shape::row_blocks][shape::column_blocks][4], const float2 *levels,
                                     hit_queue &queue, uint32_t row0, uint32_t column0, int warp_row, int warp_column,
                                     int lane)
{
    const int g = lane / 4, t = lane % 4;
    const float2 *row_levels = levels + warp_row + g, *column_levels = levels + shape::rows + warp_column + 2 * t;
    const uint32_t corner = static_cast<uint32_t>(warp_row + g) << 16 | static_cast<uint32_t>(warp_column + 2 * t);
    const uint32_t before = (1u << lane) - 1;
    /* Should there be more candidates than the queue holds, the same tests run again for the next window of them. */
    uint32_t window = 0, found = 0;
    do {
        found = 0;
#pragma unroll
        for (int m = 0; m < shape::row_blocks; m++) {
            const float upper = row_levels[m * 16].x, lower = row_levels[m * 16 + 8].x;
            const unsigned blocks = column_blocks_with_candidates<shape>(d[m], upper, lower, column_levels);
            if (blocks == 0)
                continue;
#pragma unroll
            for (int c = 0; c < shape::column_blocks; c++) {
                if (!(blocks >> c & 1))
                    continue;
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    const bool passes = d[m][c][e] >= (e < 2 ? upper : lower) + column_levels[c * 8 + e % 2].x;
                    const unsigned votes = __ballot_sync(~0u, passes);
                    const uint32_t at = found + __popc(votes & before) - window;
                    if (passes && at < shape::queue)
                        queue.candidates[at] =
                            candidate{corner + ((m * 16u + e / 2 * 8u) << 16 | (c * 8u + e % 2)), d[m][c][e]};
                    found += __popc(votes);
                }
            }
        }
        if (found > window)
            drain<shape>(args, levels, queue, min(found - window, static_cast<uint32_t>(shape::queue)), row0, column0,
                         lane);
        window += shape::queue;
    } while (window < found);
}

/* The dense epilogue: every q, for `distances`. */
template <class shape>
__device__ __forceinline__ void write_dense(const fasted_arguments &args,
                                            const float (&d)[shape::row_blocks][shape::column_blocks][4],
                                            const float2 *levels, uint32_t row0, uint32_t column0, int warp_row,
                                            int warp_column, int lane)
{
#pragma unroll
    for (int m = 0; m < shape::row_blocks; m++)
#pragma unroll
        for (int c = 0; c < shape::column_blocks; c++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const int tile_row = warp_row + m * 16 + lane / 4 + e / 2 * 8,
                          tile_column = warp_column + c * 8 + lane % 4 * 2 + e % 2;
                const uint32_t row = row0 + static_cast<uint32_t>(tile_row),
                               column = column0 + static_cast<uint32_t>(tile_column);
                const float q = squared_distance(levels[tile_row].y, levels[shape::rows + tile_column].y, d[m][c][e]);
                if (row < args.a.count && column < args.b.count)
                    args.dense[static_cast<size_t>(row) * args.b.count + column] = fmaxf(q, 0.0f);
            }
}

/* The tiles of one of `workers` blocks (or clusters), in order: every workers-th number that names a tile of the
 * matrix. */
template <class shape> struct tile_walk {
    uint64_t number, end;
    const uint2 *list;
    uint32_t rows, columns, workers;
    tile at;

    __device__ tile_walk(const fasted_arguments &args, uint32_t worker, uint32_t workers_)
        : number(args.first_tile + worker), end(args.end_tile), list(args.list), rows(args.tile_rows),
          columns(args.tile_columns), workers(workers_)
    {
        settle();
    }
    __device__ bool done() const { return number >= end; }
    __device__ void next()
    {
        number += workers;
        settle();
    }

  private:
    __device__ void settle()
    {
        for (; number < end; number += workers) {
            at = tile_at<shape::squares, shape::symmetric>(number, rows, columns, list);
            if (at.inside)
                return;
        }
    }
};

/* Copies slices of a block's tiles into the ring, running ahead of the multiplication. */
template <class shape> class slice_feeder {
  public:
    __device__ slice_feeder(const fasted_arguments &args, uint32_t stages, uint32_t levels, int thread)
        : args_(args), walk_(args, blockIdx.x, gridDim.x), stages_(stages), levels_(levels), thread_(thread),
          slices_(static_cast<int>(args.d_padded) / shape::slice),
          stride_(static_cast<size_t>(args.d_padded) * sizeof(__half))
    {
        turn_to_tile();
    }

    /* The next slice of the stream, if there is one, into the next place. */
    __device__ __forceinline__ void feed()
    {
        if (!walk_.done()) {
            const uint32_t to = stages_ + static_cast<uint32_t>(place_ * shape::stage_bytes);
            fill_rows<shape::rows, shape::threads, typename shape::places, shape::async>(a_, stride_, to, thread_);
            fill_rows<shape::columns, shape::threads, typename shape::places, shape::async>(b_, stride_,
                                                                                            to +
                                                                                                shape::rows * row_bytes,
                                                                                            thread_);
            a_ += row_bytes;
            b_ += row_bytes;
            if (slice_ == 0)
                feed_levels();
            if (++slice_ == slices_) {
                slice_ = 0;
                set_ = set_ + 1 == shape::stages ? 0 : set_ + 1;
                walk_.next();
                turn_to_tile();
            }
            place_ = place_ + 1 == shape::stages ? 0 : place_ + 1;
        }
        copy_commit();
    }

  private:
    __device__ __forceinline__ void turn_to_tile()
    {
        const size_t row0 = static_cast<size_t>(walk_.at.row) * shape::rows,
                     column0 = static_cast<size_t>(walk_.at.column) * shape::columns;
        a_ = thread_source(reinterpret_cast<const unsigned char *>(args_.a.points) + row0 * stride_, stride_, thread_);
        b_ = thread_source(reinterpret_cast<const unsigned char *>(args_.b.points) + column0 * stride_, stride_,
                           thread_);
    }

    __device__ __forceinline__ void feed_levels()
    {
        const float2 *rows = args_.a.level + static_cast<size_t>(walk_.at.row) * shape::rows;
        const float2 *columns = args_.b.level + static_cast<size_t>(walk_.at.column) * shape::columns;
        const uint32_t to = levels_ + static_cast<uint32_t>(set_ * shape::levels * 8);
#pragma unroll
        for (int k = thread_; k < shape::levels; k += shape::threads)
            copy_async_8(to + static_cast<uint32_t>(k * 8), k < shape::rows ? rows + k : columns + (k - shape::rows));
    }

    const fasted_arguments &args_;
    tile_walk<shape> walk_;
    const unsigned char *a_ = nullptr, *b_ = nullptr; /* this thread's next chunks */
    uint32_t stages_, levels_;
    int thread_, slices_, slice_ = 0, place_ = 0, set_ = 0;
    size_t stride_;
};

template <class shape>
__global__ void __launch_bounds__(shape::threads, shape::resident) fasted_tiles(const fasted_arguments args)
{
    extern __shared__ __align__(1024) unsigned char shared_raw[];
    unsigned char *shared = shared_raw + shape::misaligned;
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    const int warp_row = warp / shape::warps_across * shape::warp_rows;
    const int warp_column = warp % shape::warps_across * shape::warp_columns;

    const uint32_t stages = shared_address(shared);
    const float2 *levels = reinterpret_cast<const float2 *>(shared + shape::stages * shape::stage_bytes);
    constexpr int queues = shape::warps * shape::queue;
    candidate *candidates =
        reinterpret_cast<candidate *>(shared + shape::stages * (shape::stage_bytes + shape::levels * 8));
    uint2 *pairs = reinterpret_cast<uint2 *>(candidates + queues);
    float *squared = reinterpret_cast<float *>(pairs + queues);
    hit_queue queue{candidates + warp * shape::queue, pairs + warp * shape::queue, squared + warp * shape::queue, 0, 0};

    slice_feeder<shape> feeder(args, stages, shared_address(levels), thread);
#pragma unroll
    for (int s = 0; s < shape::stages - 1; s++)
        feeder.feed();

    /* This lane's row in the A matrices and in the B matrices (mma.cuh), in bytes from the stage's start. */
    const uint32_t a_lane = static_cast<uint32_t>((warp_row + lane % 16) * row_bytes);
    const uint32_t b_lane = static_cast<uint32_t>((shape::rows + warp_column + lane % 8 + lane / 16 * 8) * row_bytes);
    const int slices = static_cast<int>(args.d_padded) / shape::slice;
    int reading = 0, set = 0;
    for (tile_walk<shape> walk(args, blockIdx.x, gridDim.x); !walk.done(); walk.next()) {
        float d[shape::row_blocks][shape::column_blocks][4] = {};
        for (int k = 0; k < slices; k++) {
            if constexpr (shape::stages == 1) {
                __syncthreads();
                feeder.feed();
                copy_wait<0>();
                __syncthreads();
            } else {
                copy_wait<shape::stages - 2>();
                __syncthreads(); /* slice k has landed, and everyone is done with the place about to be refilled */
            }
            const uint32_t stage = stages + static_cast<uint32_t>(reading * shape::stage_bytes);
            multiply_slice<shape>(d, stage + a_lane, stage + b_lane, lane, [&] {
                if constexpr (shape::stages > 1)
                    feeder.feed();
            });
            reading = reading + 1 == shape::stages ? 0 : reading + 1;
        }
        const uint32_t row0 = walk.at.row * shape::rows, column0 = walk.at.column * shape::columns;
        const float2 *tile_levels = levels + set * shape::levels;
        if constexpr (shape::writes == output::dense)
            write_dense<shape>(args, d, tile_levels, row0, column0, warp_row, warp_column, lane);
        else
            emit<shape>(args, d, tile_levels, queue, row0, column0, warp_row, warp_column, lane);
        set = set + 1 == shape::stages ? 0 : set + 1;
    }
    if constexpr (shape::writes == output::count)
        add_count(args.out.found, __reduce_add_sync(~0u, queue.counted), lane);
    else if (shape::writes == output::hits && shape::aggregate && queue.waiting > 0)
        flush(args, queue, lane);
}

} // namespace eb

#endif
