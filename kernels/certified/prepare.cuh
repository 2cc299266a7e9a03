/* prepare: from stored points to what the kernels of kernels/fasted eat, and what is known of it (bound.h): FP16 rows
 * in a frame, ‖ŷ‖² and how far rounding moved each point; for a question, levels. */
#ifndef EB_KERNELS_CERTIFIED_PREPARE_CUH
#define EB_KERNELS_CERTIFIED_PREPARE_CUH

#include "kernels/certified/bound.h"
#include "kernels/fasted/levels.cuh"
#include "kernels/tiled/convert.cuh"

namespace eb {

/* Where points are put: y = scale·(x − centre). */
struct certified_frame {
    const double *centre; /* [d], on the device */
    double scale;         /* a power of two */
};

/* The FP16 number for y, which adds to its point's sums. */
static __device__ __forceinline__ __half take_coordinate(eb_certified_sums &sums, double y)
{
    const __half h = __double2half(eb_certified_inside(y));
    const bool kept = eb_certified_keeps(__half2float(h));
    eb_certified_add(&sums, y, kept ? static_cast<double>(__half2float(h)) : 0);
    return kept ? h : __ushort_as_half(0);
}

static __device__ __forceinline__ double add_lanes(double x)
{
    for (int step = 16; step > 0; step /= 2)
        x += __shfl_xor_sync(~0u, x, step);
    return x;
}

constexpr int points_framed_a_block = 8; /* a warp takes a point, a lane two neighbouring coordinates at a time */

/* d_padded is a multiple of 64. */
template <class stored>
static __global__ void __launch_bounds__(32 * points_framed_a_block)
    frame_rows(const stored *rows, uint32_t d, uint32_t d_padded, uint32_t count, certified_frame frame, __half *points,
               eb_certified_point *known, float *key)
{
    const uint32_t lane = threadIdx.x % 32, row = blockIdx.x * points_framed_a_block + threadIdx.x / 32;
    if (row >= count)
        return;
    const stored *x = rows + static_cast<size_t>(row) * d;
    __half2 *out = reinterpret_cast<__half2 *>(points + static_cast<size_t>(row) * d_padded);
    eb_certified_sums sums{};
    for (uint32_t k = 2 * lane; k < d_padded; k += 64) {
        __half y[2] = {__ushort_as_half(0), __ushort_as_half(0)};
#pragma unroll
        for (uint32_t c = 0; c < 2; c++)
            if (k + c < d)
                y[c] = take_coordinate(sums, (static_cast<double>(wide(x[k + c])) - frame.centre[k + c]) * frame.scale);
        out[k / 2] = __halves2half2(y[0], y[1]);
    }
    sums = {add_lanes(sums.square), add_lanes(sums.error), add_lanes(sums.length)};
    if (lane == 0) {
        known[row] = eb_certified_point_of(sums, d);
        key[row] = static_cast<float>(sums.square);
    }
}

/* What never passes, for points behind the last. */
static __global__ void __launch_bounds__(column_levels::points)
    certified_levels(const eb_certified_point *known, uint32_t n, uint32_t n_padded, eb_certified_bound bound,
                     float2 *level, float *width, column_levels *columns)
{
    const uint32_t i = blockIdx.x * column_levels::points + threadIdx.x;
    const float never = __int_as_float(0x7f800000); /* +Inf */
    const eb_certified_level mine =
        i < n ? eb_certified_level_of(known[i], bound) : eb_certified_level{never, never, never};
    if (i < n_padded)
        width[i] = mine.width;
    keep_level(make_float2(mine.h, mine.s), n_padded, level, columns);
}

/* What is known of points, in another order. */
static __global__ void gather_known(const eb_certified_point *known, const uint32_t *point, size_t count,
                                    eb_certified_point *out)
{
    const size_t k = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
    if (k < count)
        out[k] = known[point[k]];
}

} // namespace eb

#endif
