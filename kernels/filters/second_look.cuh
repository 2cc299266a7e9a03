/* second_look: judges the candidates of a rough filter by FP16 copies of the points before FP64 decides: few are open
 * afterwards, and reading FP16 takes half the time of reading FP32. The copies are made once there are enough
 * candidates.
 *
 * 16 lanes read a pair's two rows and add up the squared differences in FP32 (kernels/certified/bound.h).
 */
#pragma once

#include <cmath>

#include "kernels/filters/framing.cuh"

namespace eb {

/* The rounding of the copies; of each point how far it moved is known, rounded up. */
struct second_rounding : f16_rounding {
    using known = float;
    static __device__ float known_of(const sums &s, uint32_t d)
    {
        return eb_float_above(eb_certified_point_of(s, d).moved);
    }
    static __device__ float key(float moved) { return moved; }
};

/* The copies as kernels see them. */
struct second_points {
    const __half *points; /* rows of d_padded */
    const float *moved;
    uint32_t d_padded;
    eb_second_bound bound;

    static constexpr uint32_t lanes = EB_SECOND_LANES, at_once = EB_SECOND_AT_ONCE;

    /* The row of a place (stored_points::point), which without an order has its number. */
    static __device__ uint32_t row_of(const stored_points &of, uint32_t number)
    {
        return of.point ? of.point[number - of.first] : number;
    }

    /* All lanes call it, each with rows i and j of a pair of its own, of `pairs`; each gets its own pair's verdict. */
    __device__ eb_second_verdict look(uint32_t i, uint32_t j, uint32_t pairs) const
    {
        const uint32_t lane = threadIdx.x % 32, part = lane % lanes, half = lane / lanes;
        float mine = 0;
        for (uint32_t r = 0; r < 32 && r < pairs; r += 2) {
            const uint32_t from = r + half;
            const __half *p = points + static_cast<size_t>(__shfl_sync(~0u, i, static_cast<int>(from))) * d_padded;
            const __half *q = points + static_cast<size_t>(__shfl_sync(~0u, j, static_cast<int>(from))) * d_padded;
            float sum = 0;
#pragma unroll 4
            for (uint32_t k = part * at_once; k < d_padded; k += lanes * at_once)
                sum = add(sum, *reinterpret_cast<const uint4 *>(p + k), *reinterpret_cast<const uint4 *>(q + k));
            for (int step = lanes / 2; step > 0; step /= 2)
                sum += __shfl_xor_sync(~0u, sum, step);
            const float first = __shfl_sync(~0u, sum, 0), second = __shfl_sync(~0u, sum, static_cast<int>(lanes));
            mine = lane == r ? first : lane == r + 1 ? second : mine;
        }
        return eb_second_verdict_of(mine, static_cast<double>(moved[i]) + moved[j], bound);
    }

  private:
    static __device__ float add(float sum, const uint4 &p, const uint4 &q)
    {
        const uint32_t x[4] = {p.x, p.y, p.z, p.w}, y[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
        for (int w = 0; w < 4; w++) {
            const float2 a = __half22float2(reinterpret_cast<const __half2 &>(x[w])),
                         b = __half22float2(reinterpret_cast<const __half2 &>(y[w]));
            const float s = a.x - b.x, t = a.y - b.y;
            sum = fmaf(s, s, sum);
            sum = fmaf(t, t, sum);
        }
        return sum;
    }
};

class second_look {
  public:
    /* True if the candidates' rows take longer to read than copies take to make (tests/bench/gpu.md). */
    static bool pays(const stored_points &of, size_t count, uint64_t candidates)
    {
        const double loaded = static_cast<double>(of.row_bytes), copy = 2.0 * of.d;
        return 2 * static_cast<double>(candidates) * (loaded - copy) / 4.8e12 >
               5e-5 + 1.5 * static_cast<double>(count) * (loaded + copy) / 3e12;
    }

    /* Makes the copies, unless there are some or no room for them, and takes the question's ε. */
    eb_code prepare(const stored_points &of, size_t count, const double *centre, int exponent, double eps,
                    cudaStream_t stream, eb_status *status)
    {
        const double scale = std::ldexp(1.0, exponent);
        if (!there() && !no_room_)
            EB_TRY(make(of, count, {centre, scale}, stream, status));
        bound_ = eb_second_bound_of(eb_certified_bound_of(eps, scale, of.d, 1), of.d);
        return EB_OK;
    }
    bool there() const { return count_ > 0; }

    /* If the distances of all hits are wanted, FP64 measures what a look leaves. From the first looks it is learned
     * whether they spare more reading than they take. */
    bool learned() const { return learned_; }
    bool spares() const { return spares_; }
    void learn(uint64_t looked, uint64_t left)
    {
        const double spared = static_cast<double>(looked - left) * static_cast<double>(loaded_);
        spares_ = spared > static_cast<double>(looked) * d_padded_ * sizeof(__half);
        learned_ = true;
    }

    second_points seen() const { return {points_.get(), moved_.get(), d_padded_, bound_}; }

  private:
    static constexpr const char *copying = "copying points for a second look";

    eb_code make(const stored_points &of, size_t count, const point_frame &frame, cudaStream_t stream,
                 eb_status *status)
    {
        d_padded_ = static_cast<uint32_t>(round_up(of.d, 32 * second_rounding::at_once));
        const eb_code points = points_.reserve(count * d_padded_, copying, status);
        const eb_code made = points ? points : moved_.reserve(count, copying, status);
        no_room_ = made == EB_NO_MEMORY;
        if (made)
            return no_room_ ? EB_OK : made;
        EB_TRY(frame_stored<second_rounding>(of, d_padded_, static_cast<uint32_t>(count), frame, points_.get(),
                                             moved_.get(), moved_.get(), stream, status));
        count_ = count;
        loaded_ = of.row_bytes;
        return EB_OK;
    }

    device_array<__half> points_;
    device_array<float> moved_;
    uint32_t d_padded_ = 0;
    size_t count_ = 0, loaded_ = 0; /* loaded_: bytes of a point as stored */
    bool no_room_ = false, learned_ = false, spares_ = true;
    eb_second_bound bound_{};
};

} // namespace eb
