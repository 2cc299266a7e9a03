/* steps: the forms of S8 in engine tensor that are more than a product of bytes (kernels/integers), for FASTED's
 * kernels: their sums are integers, but squared distances are not.
 *
 * wide: two slices, or debias: q = (n_i + n_j) − 2a in FP64 (cpu/distance.h). With two slices the kernel computes a/128
 * = 128·⟨upper, upper⟩ + ⟨upper, lower⟩ + ⟨lower, upper⟩: its first slices hold the upper levels alone, and then its
 * sums are multiplied by 128. The engine refuses points whose a/128 might be beyond 2^31. own steps: q in FP32, a =
 * fl(fl(t_i·t_j)·fl(Σ)). The hot test is that of FP32 (fasted/cuda/prepare.cuh) with this a.
 *
 * h and the hot test pass every pair with q ≤ T; the exact test reads n and t from global memory.
 */
#pragma once

#include "kernels/fasted/cuda/arguments.cuh"

namespace eb {

struct settled_panel {
    const uint8_t *exchanged; /* the points' rows as columns; nullptr: as rows */
    const double *square;     /* n; own steps: nullptr */
    const float *norm;        /* own steps: n; otherwise nullptr */
};

struct shifted_arguments {
    uint32_t shift; /* slices of 128 bytes before the sums are multiplied by 128; 0: never */
    double unit;    /* of the sums in a: 128 or 1 */
};

/* Common to both: bytes with integer sums. */
struct settled_bytes {
    using point = uint8_t;
    using value = int;
    using more_of_panel = settled_panel;
    using more_arguments = shifted_arguments;
    template <int rows, int columns> using outer = nothing_more;
    static constexpr bool infinite = false, chained = false, settled = true, shifts = true, counts = false,
                          strips = false;
    static constexpr int slice = row_bytes;

    static __device__ __forceinline__ void multiply(value (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
    {
        mma_bytes<true>(d, a, b0, b1);
    }
    static __device__ __forceinline__ void multiply(value (&d)[32][4], uint64_t a, uint64_t b, int accumulate)
    {
        wgmma_bytes<true>(d, a, b, accumulate);
    }
    static __device__ __forceinline__ void store(uint32_t to, const value (&first)[4], const value (&second)[4],
                                                 uint32_t row, uint32_t column, bool here)
    {
        byte_numbers::store(to, first, second, row, column, here);
    }
    static __device__ __forceinline__ int rank_of(value a) { return a; }
    static __device__ __forceinline__ int rank_to_reach(value c) { return c; }
    /* The sign bit is set if all sums are below their row's constant. */
    static __device__ __forceinline__ unsigned all_below(const value (&first)[4], const value (&second)[4], value upper,
                                                         value lower)
    {
        const value above = __vimax3_s32(first[0], first[1], max(second[0], second[1])),
                    under = __vimax3_s32(first[2], first[3], max(second[2], second[3]));
        return (above < upper) & (under < lower) ? 0x80000000u : 0;
    }
};

constexpr int wide_never = 1 << 30; /* h of padding points, whose sums are 0; |h| of points is at most this */

struct wide_products : settled_bytes {
    using level = int;
    using pair = int2; /* {h, 0} */
    using squared = double;
    using numbers = wide_products;
    static constexpr bool stepped = false;

    static __device__ __forceinline__ pair never() { return make_int2(wide_never, 0); }
    static __device__ __forceinline__ squared at_least_zero(squared q) { return q < 0 ? 0 : q; }
    static __device__ __forceinline__ bool any_reaches(const value (&a)[4], value upper, value lower, pair h)
    {
        return (a[0] >= upper + h.x) | (a[1] >= upper + h.y) | (a[2] >= lower + h.x) | (a[3] >= lower + h.y);
    }
    template <class arguments>
    static __device__ __forceinline__ squared settle(const arguments &args, uint32_t row, uint32_t column,
                                                     value product)
    {
        const double a = args.unit * static_cast<double>(product); /* exact */
        return __dsub_rn(__dadd_rn(args.a.square[row], args.b.square[column]), 2 * a);
    }
};

struct stepped_products : settled_bytes {
    using level = float;
    using pair = float2; /* {h, t} */
    using squared = float;
    using numbers = stepped_products;
    static constexpr bool stepped = true;

    static __device__ __forceinline__ pair never() { return make_float2(__int_as_float(0x7f800000), 0.0f); }
    static __device__ __forceinline__ squared at_least_zero(squared q) { return q < 0 ? 0 : q; } /* NaN stays */

    static __device__ __forceinline__ float product_of(float t_i, float t_j, float sum)
    {
        return __fmul_rn(__fmul_rn(t_i, t_j), sum);
    }
    static __device__ __forceinline__ float widened(const shifted_arguments &args, value sum)
    {
        /* One rounding, as of a 64-bit integer: 128 times a 32-bit number. */
        return args.shift > 0 ? 128 * __int2float_rn(sum) : __int2float_rn(sum);
    }
    /* Here a is what the kernel summed; of two slices h is a 128th. upper, lower: the rows' levels; h, t: columns'. */
    static __device__ __forceinline__ bool any_reaches(const value (&a)[4], pair upper, pair lower, pair h, pair t)
    {
        return reaches(a[0], upper, h.x, t.x) | reaches(a[1], upper, h.y, t.y) | reaches(a[2], lower, h.x, t.x) |
               reaches(a[3], lower, h.y, t.y);
    }
    /* A constant that a row's sums reach if they pass the hot test: a·t_i·t_j ≥ h_i + h_j. */
    static __device__ __forceinline__ value constant(pair row, float least, float most)
    {
        const float h = row.x + least, t = row.y * most;
        return h > 0 && t > 0x1p-100f ? __float2int_rd(h / t * (1 - 0x1p-18f)) : INT32_MIN;
    }
    template <class arguments>
    static __device__ __forceinline__ squared settle(const arguments &args, uint32_t row, uint32_t column,
                                                     value product)
    {
        const float a = product_of(args.a.level[row].y, args.b.level[column].y, widened(args, product));
        return __fsub_rn(__fadd_rn(args.a.norm[row], args.b.norm[column]), 2 * a);
    }

  private:
    static __device__ __forceinline__ bool reaches(value a, pair row, float h, float t)
    {
        return product_of(row.y, t, __int2float_rn(a)) >= row.x + h;
    }
};

} // namespace eb
