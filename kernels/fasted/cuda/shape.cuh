/* shape: derives the shape of a block-tile kernel (kernel.cuh) from the switches. */
#pragma once

#include <type_traits>

#include "kernels/fasted/cuda/records.cuh"
#include "kernels/fasted/plan.h"
#include "kernels/parts/stage.cuh"

namespace eb {

template <uint32_t set, output output_, class arithmetic_ = f16_products> struct fasted_shape {
    using arithmetic = arithmetic_;
    using value = typename arithmetic::value;
    using pair = typename arithmetic::pair;
    using squared = typename arithmetic::squared;
    using arguments = tile_arguments<typename arithmetic::numbers>;
    using waiting = waiting_if_small<squared>;
    static constexpr bool on(uint32_t bit) { return (set & bit) == bit; }
    static constexpr output writes = output_;
    static constexpr bool squares = on(EB_TILE_ORDER), async = on(EB_ASYNC_COPY);
    static constexpr bool striding = on(EB_STRIDING), ahead = on(EB_RUN_AHEAD);
    static constexpr bool reuse = on(EB_REGISTER_REUSE) || !on(EB_WARP_TILE), buffered = on(EB_FRAGMENT_BUFFER);
    static constexpr bool wide = on(EB_WIDE_LOADS), refills_early = on(EB_EARLY_REFILL);
    static constexpr bool symmetric = on(EB_SYMMETRIC) && output_ != output::dense;
    static constexpr bool early = on(EB_EARLY_TEST), aggregate = on(EB_AGGREGATE), queued = on(EB_CANDIDATE_QUEUE);
    static constexpr bool coarse = on(EB_ROW_CONSTANT), spared = false;
    static constexpr bool at_once = !early && !queued && !coarse; /* as published: accumulators are tested one by one */

    static constexpr eb_block_shape of = eb_block_shape_of(set);
    using places = swizzled<of.swizzle>;
    static constexpr int warp_rows = of.warp_rows, warp_columns = of.warp_columns, rows = of.rows, columns = of.columns,
                         stages = of.stages, resident = of.resident, misaligned = of.misaligned;
    static constexpr int slice = arithmetic::slice; /* dimensions in a stage */
    static constexpr int warps_across = of.warps_across, warps = of.warps, threads = of.threads,
                         stage_bytes = of.stage_bytes;
    static constexpr int levels = of.levels, set_bytes = of.set_bytes, level_sets = of.level_sets;
    static constexpr int pages = 1, books = of.books, queues = of.queues, shared_bytes = of.shared_bytes;
    static constexpr int row_blocks = of.row_blocks, column_blocks = of.column_blocks;
    using outer = typename arithmetic::template outer<row_blocks, column_blocks>;

    static_assert(sizeof(pair) == EB_LEVEL_BYTES && sizeof(record_book<value, pages>) == eb_book_bytes(pages) &&
                      sizeof(waiting) == EB_WAITING_HITS_BYTES,
                  "plan.h has the same sizes");
    static_assert(rows == columns || !symmetric, "tiles of a symmetric join are square");
    static_assert(striding || !ahead, "run-ahead needs striding: a queue does not reveal the next tile");
    static_assert(!coarse || columns * 2 == column_levels::points, "two block tiles of columns share one least h");
    static_assert(async || stages == 1, "a pipeline needs asynchronous copies");
};

} // namespace eb
