/* arguments: the arguments of fasted's kernels. */
#pragma once

#include <cuda.h>

#include "kernels/fasted/cuda/arithmetic.cuh"
#include "kernels/parts/hits.cuh"

namespace eb {

/* Levels of 256 points as columns, contiguous. */
template <class value> struct levels_of_columns {
    static constexpr int points = 256;
    value h[points], s[points];
    value least, most; /* the least h, the greatest s */
    value unused[2];
};
using column_levels = levels_of_columns<float>;

/* One side of the join: points row-major, padded with zeros to whole tiles and to whole slices (128 bytes). */
template <class numbers> struct levelled_panel : numbers::more_of_panel {
    const typename numbers::point *points;
    const typename numbers::pair *level;                       /* {h, s} of each point; never() for padding points */
    const levels_of_columns<typename numbers::level> *columns; /* nullptr if the view begins between two of them */
    uint32_t count;                                            /* number of points, padding excluded */
    uint32_t first;                                            /* number of the panel's first point in the dataset */
};
using f16_panel = levelled_panel<f16_products>;

template <class numbers> struct tile_arguments : numbers::more_arguments {
    using squared = typename numbers::squared;
    levelled_panel<numbers> a, b;
    uint32_t d_padded, tile_rows, tile_columns;
    uint64_t first_tile, end_tile;
    uint32_t parts, part; /* in bands: of these tiles the part-th of `parts` parts (tile_order.cuh); {1, 0}: all */
    const uint2 *list;    /* the tiles to visit; nullptr: all, or the triangle */
    squared threshold;    /* T */
    uint32_t *queue;      /* without striding: {tiles taken, blocks done}, both 0 between launches */
    uint32_t *begun;      /* steps that clusters have begun (pace.cuh); nullptr: they do not keep in step */
    hit_buffer<squared> out;
    squared *dense; /* dense variant: q of every pair, row-major, b.count per row */
    /* The points of a and b as tensor maps, for the warpgroup kernel's copies. cuda.h aligns CUtensorMap to 64 or 128,
     * depending on its version. The fixed alignment makes the offsets the same in kernels that NVRTC compiles
     * (kernels/jit). */
    alignas(128) CUtensorMap a_map, b_map;
};
static_assert(sizeof(CUtensorMap) == 128, "as kernels/jit/stubs/cuda.h has it");
using fasted_arguments = tile_arguments<f16_products>;

} // namespace eb
