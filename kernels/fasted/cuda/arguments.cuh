/* arguments: what fasted's kernels are given. */
#pragma once

#include <cuda.h>

#include "kernels/fasted/cuda/arithmetic.cuh"
#include "kernels/parts/hits.cuh"

namespace eb {

/* 256 points as columns, in one piece. */
template <class value> struct levels_of_columns {
    static constexpr int points = 256;
    value h[points], s[points];
    value least; /* h */
    value unused[3];
};
using column_levels = levels_of_columns<float>;

/* One side of the join: points row-major, padded to whole tiles and to whole slices (128 bytes) with zeros. */
template <class numbers> struct levelled_panel {
    const typename numbers::point *points;
    const typename numbers::pair *level;                       /* {h, s} of each point; never() for padding points */
    const levels_of_columns<typename numbers::value> *columns; /* of a side that begins with its block's first point */
    uint32_t count;                                            /* points, padding apart */
    uint32_t first;                                            /* number of its first point in the dataset */
};
using f16_panel = levelled_panel<f16_products>;

template <class numbers> struct tile_arguments {
    using squared = typename numbers::squared;
    levelled_panel<numbers> a, b;
    uint32_t d_padded, tile_rows, tile_columns;
    uint64_t first_tile, end_tile;
    const uint2 *list; /* the tiles there are; nullptr: all, or the triangle */
    squared threshold; /* T */
    uint32_t *queue;   /* {tiles taken, blocks done}, both 0 between launches; without striding */
    hit_buffer<squared> out;
    squared *dense; /* dense: q of every pair, row-major, b.count a row */
    /* The points of a and b, for the warpgroup kernel's copies. cuda.h aligns them to 64 or 128, as its version is:
     * what NVRTC compiles (kernels/jit) has to have them where the host puts them. */
    alignas(128) CUtensorMap a_map, b_map;
};
static_assert(sizeof(CUtensorMap) == 128, "as kernels/jit/stubs/cuda.h has it");
using fasted_arguments = tile_arguments<f16_products>;

} // namespace eb
