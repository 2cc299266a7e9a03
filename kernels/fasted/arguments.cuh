/* arguments: what fasted's kernels are given. */
#ifndef EB_KERNELS_FASTED_ARGUMENTS_CUH
#define EB_KERNELS_FASTED_ARGUMENTS_CUH

#include <cuda.h>
#include <cuda_fp16.h>

#include "kernels/parts/hits.cuh"

namespace eb {

/* 256 points as columns, in one piece. */
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
    const column_levels *columns; /* of a side that begins with its block's first point */
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

} // namespace eb

#endif
