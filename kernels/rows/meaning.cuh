/* meaning: translates pairs of places into entries of a table. */
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

namespace eb {

struct pairs_meaning {
    size_t rows_of_all, columns; /* number of left and of right points */
    bool self;                   /* a self-join: self pairs are added */
    bool mirrored;               /* a pair (i, j) also stands for (j, i) */
    uint32_t first_column;       /* kernels' number of the first right point */
    const uint32_t *point;       /* on the device: the point at each place; nullptr: place k holds point k */
    size_t row_begin, row_end;   /* the rows wanted; pairs without an end in them are dropped */
};

/* Returns the points of a pair of places. */
__host__ __device__ inline uint2 points_of(const pairs_meaning &m, uint2 places)
{
    if (m.point)
        return make_uint2(m.point[places.x], m.point[places.y]);
    return make_uint2(places.x, places.y - m.first_column);
}

__host__ __device__ inline bool is_wanted(const pairs_meaning &m, uint32_t row)
{
    return row >= m.row_begin && row < m.row_end;
}

/* Number of entries that a pair of points makes. */
__host__ __device__ inline uint32_t wanted_ends(const pairs_meaning &m, uint2 points)
{
    return is_wanted(m, points.x) + (m.mirrored && is_wanted(m, points.y));
}

} // namespace eb
