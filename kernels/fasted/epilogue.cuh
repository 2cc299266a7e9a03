/* epilogue: from a warp's accumulators to pairs, or to dense distances.
 *
 * A pair is a hit when q = (s_i + s_j) − 2a ≤ T, T the largest FP32 not above ε². Without the candidate queue that is
 * tested at each accumulator, and hits are stored there, as published. With it the hot test is a ≥ h_i + h_j, h rounded
 * down (prepare.cuh): it passes every hit and few others. Candidates go through a small queue in shared memory, so that
 * the code at each of the accumulators stays tiny (inlined in full it misses the instruction cache); the exact test is
 * one loop, and hits wait until 32 or more leave together with one atomic. Padding points have h = s = +Inf and never
 * pass.
 */
#ifndef EB_KERNELS_FASTED_EPILOGUE_CUH
#define EB_KERNELS_FASTED_EPILOGUE_CUH

#include "kernels/fasted/shape.cuh"
#include "kernels/parts/hits.cuh"

namespace eb {

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
    if constexpr (!shape::aggregate) {
        if (hit)
            append_alone(args.out, i, j, q);
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

/* The epilogue of one warp tile, as published: every pair is tested exactly where its accumulator is, and stored. */
template <class shape>
__device__ __forceinline__ void emit_at_once(const fasted_arguments &args,
                                             const float (&d)[shape::row_blocks][shape::column_blocks][4],
                                             const float2 *levels, hit_queue &queue, uint32_t row0, uint32_t column0,
                                             int warp_row, int warp_column, int lane)
{
    const int row = warp_row + lane / 4, column = warp_column + lane % 4 * 2;
    const float2 *row_levels = levels + row, *column_levels = levels + shape::rows + column;
    /* volatile: or norms stay from the loads of the early test, in registers there are none of */
    const volatile float2 *row_norms = row_levels, *column_norms = column_levels;
    const uint32_t i0 = args.a.first + row0 + static_cast<uint32_t>(row),
                   j0 = args.b.first + column0 + static_cast<uint32_t>(column);
    const int rows_left = static_cast<int>(args.a.count - row0) - row; /* behind them are real points, not padding */
#pragma unroll
    for (int m = 0; m < shape::row_blocks; m++) {
        const unsigned blocks =
            column_blocks_with_candidates<shape>(d[m], row_levels[m * 16].x, row_levels[m * 16 + 8].x, column_levels);
        if (blocks == 0)
            continue;
        const int ahead = static_cast<int>(j0 - i0) - m * 16; /* of the row, the column */
#pragma unroll
        for (int c = 0; c < shape::column_blocks; c++) {
            if (!(blocks >> c & 1))
                continue;
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const float q =
                    squared_distance(row_norms[m * 16 + e / 2 * 8].y, column_norms[c * 8 + e % 2].y, d[m][c][e]);
                const int gap = c * 8 + e % 2 - e / 2 * 8;
                const bool hit = q <= args.threshold && m * 16 + e / 2 * 8 < rows_left &&
                                 (shape::symmetric ? ahead > -gap : ahead != -gap);
                if constexpr (shape::writes == output::count) {
                    queue.counted += hit;
                } else {
                    const uint32_t i = i0 + static_cast<uint32_t>(m * 16 + e / 2 * 8),
                                   j = j0 + static_cast<uint32_t>(c * 8 + e % 2);
                    if constexpr (shape::aggregate)
                        (void)append<false>(args.out, hit, i, j, fmaxf(q, 0.0f), lane);
                    else if (hit)
                        append_alone(args.out, i, j, fmaxf(q, 0.0f));
                }
            }
        }
    }
}

/* The same by way of the queue of candidates. */
template <class shape>
__device__ __forceinline__ void emit_candidates(const fasted_arguments &args,
                                                const float (&d)[shape::row_blocks][shape::column_blocks][4],
                                                const float2 *levels, hit_queue &queue, uint32_t row0, uint32_t column0,
                                                int warp_row, int warp_column, int lane)
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

template <class shape>
__device__ __forceinline__ void emit(const fasted_arguments &args,
                                     const float (&d)[shape::row_blocks][shape::column_blocks][4], const float2 *levels,
                                     hit_queue &queue, uint32_t row0, uint32_t column0, int warp_row, int warp_column,
                                     int lane)
{
    if constexpr (shape::queued && shape::writes != output::count) /* counting is small code by itself */
        emit_candidates<shape>(args, d, levels, queue, row0, column0, warp_row, warp_column, lane);
    else
        emit_at_once<shape>(args, d, levels, queue, row0, column0, warp_row, warp_column, lane);
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

} // namespace eb

#endif
