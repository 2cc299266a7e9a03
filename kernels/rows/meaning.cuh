/* meaning: what pairs of places mean as entries of a table. */
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

namespace eb {

struct pairs_meaning {
    size_t rows_of_all, columns; /* left and right points */
    bool self;                   /* a self-join: self pairs are added */
    bool mirrored;               /* a pair (i, j) also stands for (j, i) */
    uint32_t first_column;       /* the number that kernels give the first right point */
    const uint32_t *point;       /* on the device: which point stands at a place; nullptr: place k holds point k */
    size_t row_begin, row_end;   /* the rows wanted; pairs without an end there are left out */
};

/* The points of a pair of places. */
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

/* How many entries two points make. */
__host__ __device__ inline uint32_t wanted_ends(const pairs_meaning &m, uint2 points)
{
    return is_wanted(m, points.x) + (m.mirrored && is_wanted(m, points.y));
}

} // namespace eb
