/* shape: the switches turned into the shape of a block-tile kernel (kernel.cuh). */
#ifndef EB_KERNELS_FASTED_SHAPE_CUH
#define EB_KERNELS_FASTED_SHAPE_CUH

#include <type_traits>

#include "kernels/fasted/records.cuh"
#include "kernels/fasted/switches.h"
#include "kernels/parts/stage.cuh"

namespace eb {

template <uint32_t set, output output_, class arithmetic_ = f16_products> struct fasted_shape {
    using arithmetic = arithmetic_;
    using value = typename arithmetic::value;
    using pair = typename arithmetic::pair;
    using squared = typename arithmetic::squared;
    using arguments = tile_arguments<typename arithmetic::numbers>;
    static constexpr bool on(uint32_t bit) { return (set & bit) == bit; }
    static constexpr output writes = output_;
    static constexpr bool squares = on(EB_TILE_ORDER), async = on(EB_ASYNC_COPY);
    static constexpr bool striding = on(EB_STRIDING), ahead = on(EB_RUN_AHEAD);
    static constexpr bool reuse = on(EB_REGISTER_REUSE) || !on(EB_WARP_TILE), buffered = on(EB_FRAGMENT_BUFFER);
    static constexpr bool wide = on(EB_WIDE_LOADS), refills_early = on(EB_EARLY_REFILL);
    static constexpr bool symmetric = on(EB_SYMMETRIC) && output_ != output::dense;
    static constexpr bool early = on(EB_EARLY_TEST), aggregate = on(EB_AGGREGATE), queued = on(EB_CANDIDATE_QUEUE);
    static constexpr bool coarse = on(EB_ROW_CONSTANT), spared = false;
    static constexpr bool at_once = !early && !queued && !coarse; /* as published: hits are found one by one */
    using places = std::conditional_t<on(EB_SWIZZLE), swizzle_f16, swizzle_none>;

    static constexpr int warp_rows = on(EB_WARP_TILE) ? 64 : 16, warp_columns = on(EB_WARP_TILE) ? 64 : 8;
    static constexpr int side = on(EB_BLOCK_TILE) ? 2 : 1; /* of the block tile, in warp tiles */
    static constexpr int rows = side * warp_rows, columns = side * warp_columns;
    static constexpr int stages = on(EB_PIPELINE) ? 2 : 1;
    static constexpr int resident = on(EB_RESIDENCY) ? 2 : 1;
    static constexpr int misaligned = on(EB_ALIGNMENT) ? 0 : 16;

    static constexpr int slice = arithmetic::slice; /* dimensions a stage holds */
    static constexpr int warps_across = columns / warp_columns, warps = rows / warp_rows * warps_across;
    static constexpr int threads = 32 * warps;
    static constexpr int stage_bytes = (rows + columns) * row_bytes;
    /* {h, s} of a tile's points, then {the columns' least h, unused}; one set for each tile that may be on its way, or
     * at its end. */
    static constexpr int levels = rows + columns, set_bytes = (levels + (coarse ? 2 : 0)) * 8;
    static constexpr int level_sets = refills_early ? stages : stages + 1;
    static constexpr int pages = 1, books = queued ? warps : 0, queues = queued && aggregate ? warps : 0;
    static constexpr int used_bytes = stages * stage_bytes + level_sets * set_bytes +
                                      books * sizeof(record_book<value, pages>) +
                                      queues * sizeof(waiting_hits<squared>) + misaligned;
    /* Without residency, ask for more than half of an SM's shared memory: then a second block finds no room. */
    static constexpr int half_an_sm = 116 * 1024;
    static constexpr int shared_bytes =
        resident == 1 && used_bytes < half_an_sm && on(EB_BLOCK_TILE) ? half_an_sm : used_bytes;
    static constexpr int row_blocks = warp_rows / 16, column_blocks = warp_columns / 8;

    static_assert(rows == columns || !symmetric, "a triangle of tiles is a triangle of pairs where they are square");
    static_assert(striding || !ahead, "who asks a queue for its next tile cannot copy ahead of asking");
    static_assert(!coarse || columns * 2 == column_levels::points, "whose least h is known");
    static_assert(async || stages == 1, "without asynchronous copies there is nothing to pipeline");
};

} // namespace eb

#endif
