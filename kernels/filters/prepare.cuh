/* prepare: converts stored points to rounded rows in a frame, as the kernels of kernels/fasted read them, with what the
 * filter keeps of each point; and computes a question's levels. */
#pragma once

#include "kernels/filters/filter.cuh"
#include "kernels/tiled/convert.cuh"

namespace eb {

/* y = (x − centre)·scale. */
struct point_frame {
    const double *centre; /* [d], on the device */
    double scale;
};

constexpr int points_framed_a_block = 8; /* one for each warp */

/* Rounds a point in each warp. A lane takes at_once consecutive coordinates at a time; d_padded is a multiple of
 * 32 · at_once. aligned: d is a multiple of at_once. */
template <class filter, class stored, bool aligned>
static __global__ void __launch_bounds__(32 * points_framed_a_block)
    frame_rows(const stored *rows, uint32_t d, uint32_t d_padded, uint32_t count, point_frame frame,
               typename filter::numbers::point *points, typename filter::known *known, float *key)
{
    constexpr uint32_t at_once = filter::at_once;
    using point = typename filter::numbers::point;
    const uint32_t lane = threadIdx.x % 32, row = blockIdx.x * points_framed_a_block + threadIdx.x / 32;
    if (row >= count)
        return;
    const stored *x = rows + static_cast<size_t>(row) * d;
    point *out = points + static_cast<size_t>(row) * d_padded;
    typename filter::sums sums{};
    for (uint32_t k = at_once * lane; k < d_padded; k += 32 * at_once) {
        word<stored, at_once> in{};
        word<point, at_once> y{};
        if (aligned && k < d)
            in = *reinterpret_cast<const word<stored, at_once> *>(x + k);
#pragma unroll
        for (uint32_t c = 0; c < at_once; c++)
            if (k + c < d)
                y.value[c] = filter::take(sums, (static_cast<double>(wide(aligned ? in.value[c] : x[k + c])) -
                                                 frame.centre[k + c]) *
                                                    frame.scale);
        *reinterpret_cast<word<point, at_once> *>(out + k) = y;
    }
    sums = filter::add_lanes(sums);
    if (lane == 0) {
        known[row] = filter::known_of(sums, d);
        key[row] = filter::key(known[row]);
    }
}

/* Places past the last point get a level that never passes. */
template <class filter>
static __global__ void __launch_bounds__(side_levels<typename filter::numbers>::points)
    filter_levels(const typename filter::known *known, uint32_t n, uint32_t n_padded, typename filter::bound bound,
                  typename filter::numbers::pair *level,
                  typename side_levels<typename filter::numbers>::columns_of *columns)
{
    const uint32_t i = blockIdx.x * side_levels<typename filter::numbers>::points + threadIdx.x;
    keep_level(i < n ? filter::level(known[i], bound) : filter::numbers::never(), n_padded, level, columns);
}

/* Copies what is known of points into another order. */
template <class known_point>
static __global__ void gather_known(const known_point *known, const uint32_t *point, size_t count, known_point *out)
{
    const size_t k = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
    if (k < count)
        out[k] = known[point[k]];
}

} // namespace eb
