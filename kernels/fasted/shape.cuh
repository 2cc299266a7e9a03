/* shape: what the kernels are given, and the switches turned into the shape of a variant. */
#ifndef EB_KERNELS_FASTED_SHAPE_CUH
#define EB_KERNELS_FASTED_SHAPE_CUH

#include <type_traits>

#include <cuda.h>
#include <cuda_fp16.h>

#include "kernels/fasted/switches.h"
#include "kernels/parts/hits.cuh"
#include "kernels/parts/stage.cuh"

namespace eb {

/* What the warpgroup kernel wants to know of 256 columns, in one piece. */
struct column_levels {
    static constexpr int points = 256;
    float h[points], s[points];
    float least; /* h */
    float unused[3];
};

/* One side of the join: points row-major, padded to whole tiles and to whole slices of 64 dimensions with zeros. */
struct f16_panel {
    const __half *points;
    const float2 *level;          /* {h, s} of each point; +Inf for padding points */
    const column_levels *columns; /* the warpgroup kernel's, of a side that begins with its block's first point */
    uint32_t count;               /* points, padding apart */
    uint32_t first;               /* number of its first point in the dataset */
};

struct fasted_arguments {
    f16_panel a, b;
    uint32_t d_padded, tile_rows, tile_columns;
    uint64_t first_tile, end_tile;
    const uint2 *list; /* the tiles there are; nullptr: all, or the triangle */
    float threshold;   /* T */
    uint32_t *queue;   /* {tiles taken, blocks done}, both 0 between launches; without striding */
    hit_buffer<float> out;
    float *dense;             /* dense: q of every pair, row-major, b.count a row */
    CUtensorMap a_map, b_map; /* the points of a and b, for the warpgroup kernel's copies */
};

/* A variant: the switches turned into shapes. */
template <uint32_t set, output output_> struct fasted_shape {
    static constexpr bool on(uint32_t bit) { return (set & bit) == bit; }
    static constexpr output writes = output_;
    static constexpr bool squares = on(EB_TILE_ORDER), async = on(EB_ASYNC_COPY);
    static constexpr bool striding = on(EB_STRIDING), ahead = on(EB_RUN_AHEAD);
    static constexpr bool reuse = on(EB_REGISTER_REUSE) || !on(EB_WARP_TILE), buffered = on(EB_FRAGMENT_BUFFER);
    static constexpr bool wide = on(EB_WIDE_LOADS), refills_early = on(EB_EARLY_REFILL);
    static constexpr bool symmetric = on(EB_SYMMETRIC) && output_ != output::dense;
    static constexpr bool early = on(EB_EARLY_TEST), aggregate = on(EB_AGGREGATE), queued = on(EB_CANDIDATE_QUEUE);
    using places = std::conditional_t<on(EB_SWIZZLE), swizzle_f16, swizzle_none>;

    static constexpr int warp_rows = on(EB_WARP_TILE) ? 64 : 16, warp_columns = on(EB_WARP_TILE) ? 64 : 8;
    static constexpr int side = on(EB_BLOCK_TILE) ? 2 : 1; /* of the block tile, in warp tiles */
    static constexpr int rows = side * warp_rows, columns = side * warp_columns;
    static constexpr int stages = on(EB_PIPELINE) ? 2 : 1;
    static constexpr int resident = on(EB_RESIDENCY) ? 2 : 1;
    static constexpr int misaligned = on(EB_ALIGNMENT) ? 0 : 16;

    static constexpr int slice = row_bytes / 2; /* dimensions a stage holds: 64 */
    static constexpr int warps_across = columns / warp_columns, warps = rows / warp_rows * warps_across;
    static constexpr int threads = 32 * warps;
    static constexpr int stage_bytes = (rows + columns) * row_bytes;
    static constexpr int levels =
        rows + columns; /* {h, s} of a tile's points; one set for each tile that may be on its way, or at its end */
    static constexpr int level_sets = refills_early ? stages : stages + 1;
    static constexpr int queue =
        64; /* candidates, and hits, that a warp may hold; hits leave at 32, and one step adds at most 32 */
    static constexpr int used_bytes =
        stages * stage_bytes + level_sets * levels * 8 + warps * queue * (8 + 12) + misaligned;
    /* Without residency, ask for more than half of an SM's shared memory: then a second block finds no room. */
    static constexpr int half_an_sm = 116 * 1024;
    static constexpr int shared_bytes =
        resident == 1 && used_bytes < half_an_sm && on(EB_BLOCK_TILE) ? half_an_sm : used_bytes;
    static constexpr int row_blocks = warp_rows / 16, column_blocks = warp_columns / 8;

    static_assert(rows == columns || !symmetric, "a triangle of tiles is a triangle of pairs where they are square");
    static_assert(striding || !ahead, "who asks a queue for its next tile cannot copy ahead of asking");
    static_assert(async || stages == 1, "without asynchronous copies there is nothing to pipeline");
};

} // namespace eb

#endif
