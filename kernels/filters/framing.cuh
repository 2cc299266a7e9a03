/* framing: the kernel that rounds stored points to a filter's numbers, and FP16's rounding, which two filters use. */
#pragma once

#include "kernels/certified/bound.h"
#include "kernels/filters/filter.cuh"

namespace eb {

/* y = (x − centre)·scale. */
struct point_frame {
    const double *centre; /* [d], on the device */
    double scale;
};

constexpr int points_framed_a_block = 8; /* one for each warp */

/* Each warp rounds one point. A lane takes at_once consecutive coordinates at a time; d_padded is a multiple of 32 ·
 * at_once. aligned: d is a multiple of at_once. */
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

/* Starts frame_rows for rows of any type. */
template <class filter>
eb_code frame_stored(const stored_points &rows, uint32_t d_padded, uint32_t count, const point_frame &frame,
                     typename filter::numbers::point *points, typename filter::known *known, float *key,
                     cudaStream_t stream, eb_status *status)
{
    with_stored_type(rows.dtype, [&](auto value) {
        using stored = decltype(value);
        const auto kernel =
            rows.d % filter::at_once == 0 ? frame_rows<filter, stored, true> : frame_rows<filter, stored, false>;
        kernel<<<blocks_for(count, points_framed_a_block), 32 * points_framed_a_block, 0, stream>>>(
            static_cast<const stored *>(rows.rows), rows.d, d_padded, count, frame, points, known, key);
    });
    EB_CUDA(cudaGetLastError(), "rounding points");
    return EB_OK;
}

/* Rounding to FP16 as kernels/certified/bound.h has it. */
struct f16_rounding {
    using numbers = f16_products;
    using sums = eb_certified_sums;
    static constexpr uint32_t at_once = 2;

    static __device__ __forceinline__ __half take(sums &sums, double y)
    {
        const __half h = __double2half(eb_certified_inside(y));
        const bool kept = eb_certified_keeps(__half2float(h));
        eb_certified_add(&sums, y, kept ? static_cast<double>(__half2float(h)) : 0);
        return kept ? h : __ushort_as_half(0);
    }
    static __device__ sums add_lanes(const sums &s)
    {
        return {add_over_warp(s.square), add_over_warp(s.error), add_over_warp(s.length)};
    }
};

} // namespace eb
