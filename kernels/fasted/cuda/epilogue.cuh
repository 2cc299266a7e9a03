/* epilogue: turns a warp's accumulators into pairs or dense distances.
 *
 * A pair is a hit when q = (s_i + s_j) − 2a ≤ T, T being the largest FP32 number not above ε². As published, each
 * accumulator is tested and its hit stored on the spot. That code, fully inlined, does not fit the instruction cache:
 * the best preset looks for candidates first (records.cuh).
 */
#pragma once

#include "kernels/fasted/cuda/arguments.cuh"
#include "kernels/parts/fragments.h"

namespace eb {

/* Hits of a warp that are not yet written; counted: hits of this lane, in counting variants. */
template <class shape> struct hit_queue {
    typename shape::waiting *hits;
    uint32_t waiting, counted;
};

/* The squared distance of a row of a and a row of b, whose product this is. */
template <class shape>
__device__ __forceinline__ typename shape::squared squared_of(const typename shape::arguments &args, uint32_t row,
                                                              uint32_t column, typename shape::value product)
{
    if constexpr (shape::arithmetic::settled)
        return shape::arithmetic::settle(args, row, column, product);
    else
        return shape::arithmetic::distance(args.a.level[row].y, args.b.level[column].y, product);
}

/* Writes all waiting hits. */
template <class shape>
__device__ __forceinline__ void flush(const typename shape::arguments &args, hit_queue<shape> &queue, int lane)
{
    if constexpr (hits_wait<typename shape::squared>)
        (void)write_waiting(args.out, *queue.hits, queue.waiting, 0, lane);
    queue.waiting = 0;
}

/* Adds the hits of one step, at most one per lane, to the queue, or writes them at once without aggregation. */
template <class shape>
__device__ __forceinline__ void take_hits(const typename shape::arguments &args, hit_queue<shape> &queue, bool hit,
                                          uint32_t i, uint32_t j, typename shape::squared q, int lane)
{
    if constexpr (!shape::aggregate) {
        if (hit)
            append_alone(args.out, i, j, q);
    } else if constexpr (!hits_wait<typename shape::squared>) {
        (void)append<false>(args.out, hit, i, j, q, lane);
    } else {
        const unsigned hits = __ballot_sync(~0u, hit);
        if (hit) {
            const uint32_t at = queue.waiting + __popc(hits & ((1u << lane) - 1));
            queue.hits->pair[at] = make_uint2(i, j);
            queue.hits->squared[at] = q;
        }
        queue.waiting += __popc(hits);
        if (queue.waiting >= 32)
            flush<shape>(args, queue, lane);
    }
}

/* Tests every accumulator exactly and stores its hit at once, as published. */
template <class shape>
__device__ __forceinline__ void emit_at_once(
    const typename shape::arguments &args, const typename shape::value (&d)[shape::row_blocks][shape::column_blocks][4],
    const typename shape::pair *levels, uint32_t row0, uint32_t column0, int warp_row, int warp_column, int lane)
{
    static_assert(shape::writes == output::hits && !shape::aggregate);
    const int row = warp_row + lane / 4, column = warp_column + lane % 4 * 2;
    /* volatile: otherwise the compiler keeps all norms in registers and runs out of them */
    const volatile typename shape::pair *row_norms = levels + row, *column_norms = levels + shape::rows + column;
    const uint32_t i0 = args.a.first + row0 + static_cast<uint32_t>(row),
                   j0 = args.b.first + column0 + static_cast<uint32_t>(column);
    const int rows_left = static_cast<int>(args.a.count - row0) - row; /* beyond them are real points, not padding */
#pragma unroll
    for (int m = 0; m < shape::row_blocks; m++) {
        const int ahead = static_cast<int>(j0 - i0) - m * 16; /* column number less row number */
#pragma unroll
        for (int c = 0; c < shape::column_blocks; c++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const typename shape::squared q =
                    shape::arithmetic::distance(row_norms[m * 16 + e / 2 * 8].y, column_norms[c * 8 + e % 2].y,
                                                d[m][c][e]);
                const int gap = c * 8 + e % 2 - e / 2 * 8;
                if (q <= args.threshold && m * 16 + e / 2 * 8 < rows_left &&
                    (shape::symmetric ? ahead > -gap : ahead != -gap))
                    append_alone(args.out, i0 + static_cast<uint32_t>(m * 16 + e / 2 * 8),
                                 j0 + static_cast<uint32_t>(c * 8 + e % 2), shape::arithmetic::at_least_zero(q));
            }
    }
}

/* Writes q of every pair, for `distances`. */
template <class shape>
__device__ __forceinline__ void write_dense(
    const typename shape::arguments &args, const typename shape::value (&d)[shape::row_blocks][shape::column_blocks][4],
    uint32_t row0, uint32_t column0, int warp_row, int warp_column, int lane)
{
#pragma unroll
    for (int m = 0; m < shape::row_blocks; m++)
#pragma unroll
        for (int c = 0; c < shape::column_blocks; c++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const int tile_row = warp_row + m * 16 + eb_f16_c_row(lane, e),
                          tile_column = warp_column + c * 8 + eb_f16_c_column(lane, e);
                const uint32_t row = row0 + static_cast<uint32_t>(tile_row),
                               column = column0 + static_cast<uint32_t>(tile_column);
                if (row < args.a.count && column < args.b.count)
                    args.dense[static_cast<size_t>(row) * args.b.count + column] =
                        shape::arithmetic::at_least_zero(squared_of<shape>(args, row, column, d[m][c][e]));
            }
}

} // namespace eb
