/* arithmetic: the types that this folder's kernels are instantiated with: FP16 points with FP32 sums (FASTED's), or
 * bytes with integer sums, which are exact. A slice of 128 bytes of a row and the 16 rows × 8 columns of a fragment
 * have the same layout in registers and in shared memory for both, so that only the instruction differs.
 *
 * - point: a coordinate; slice: number of coordinates in 128 bytes
 * - value: a sum of products; level: what it is compared with; pair: two of them, the level {h, s} of a point
 * - squared: a squared distance, as stored
 * - numbers: the type without the instruction
 * - more_of_panel, more_arguments: what kernels get besides; outer: sums outside the tensor core
 * - chained: kernels/tensor's types, whose instruction is known at run time only (kernels/tensor/cuda/chain.cuh)
 * - shifts: sums are multiplied by 128 after some slices (kernels/tensor/cuda/steps.cuh)
 * - settled: the exact test needs more than two levels and a product; stepped: s is the step of a point's levels
 *   (kernels/tensor/cuda/steps.cuh)
 * - never: the level of padding points; infinite: true if never() is above every product, so that no point is
 *   near a padding point
 */
#pragma once

#include <cuda_fp16.h>

#include "kernels/parts/byte_levels.h"
#include "kernels/parts/stage.cuh"
#include "kernels/parts/wgmma.cuh"

namespace eb {

/* Stores eight values and the place of the first one as a record (records.cuh), if `here`. */
#define EB_STORE_EIGHT(kind)                                                                                           \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %11, 0; @p st.shared.v4.b32 [%0], {%1, %2, %3, %4}; "                 \
                 "@p st.shared.v4.b32 [%0+16], {%5, %6, %7, %8}; @p st.shared.v2.b32 [%0+32], {%9, %10}; }" ::"r"(to), \
                 kind(first[0]), kind(first[1]), kind(first[2]), kind(first[3]), kind(second[0]), kind(second[1]),     \
                 kind(second[2]), kind(second[3]), "r"(row), "r"(column), "r"(static_cast<int>(here))                  \
                 : "memory")

struct nothing_more {};

/* FP32 sums and levels. */
struct f32_sums {
    using value = float;
    using level = float;
    using pair = float2;
    using squared = float;
    static constexpr bool infinite = true, settled = false, stepped = false;

    static __device__ __forceinline__ pair never()
    {
        return make_float2(__int_as_float(0x7f800000), __int_as_float(0x7f800000)); /* +Inf */
    }
    static __device__ __forceinline__ squared distance(value norm_i, value norm_j, value product)
    {
        return __fsub_rn(__fadd_rn(norm_i, norm_j), 2.0f * product); /* 2·product is exact */
    }
    static __device__ __forceinline__ squared at_least_zero(squared q) { return fmaxf(q, 0.0f); }
    /* The sign bit is set if each of eight products a is below its row's constant c, that is, if each a − c is
     * negative. Subtracting and and-ing signs, three operands at a time, takes two thirds of the time of comparisons,
     * for which the SM has half as many units. */
    static __device__ __forceinline__ unsigned all_below(const value (&first)[4], const value (&second)[4], value upper,
                                                         value lower)
    {
        unsigned below = ~0u;
        for (const auto *a : {&first, &second}) {
            below &= __float_as_uint(__fsub_rn((*a)[0], upper)) & __float_as_uint(__fsub_rn((*a)[1], upper));
            below &= __float_as_uint(__fsub_rn((*a)[2], lower)) & __float_as_uint(__fsub_rn((*a)[3], lower));
        }
        return below;
    }
    /* Integers in the order of sums above 0, whose bits they are; a sum below 0 comes before all of these. A sum that
     * reaches c has at least the rank of c. */
    static __device__ __forceinline__ int rank_of(value a) { return __float_as_int(a); }
    static __device__ __forceinline__ int rank_to_reach(value c) { return c > 0 ? __float_as_int(c) : -0x7fffffff - 1; }
    static __device__ __forceinline__ void store(uint32_t to, const value (&first)[4], const value (&second)[4],
                                                 uint32_t row, uint32_t column, bool here)
    {
        EB_STORE_EIGHT("f");
    }
    /* The hot test, for one product, and for the four products of two rows and two columns. */
    static __device__ __forceinline__ bool reaches(value a, value h_i, value h_j) { return a >= h_i + h_j; }
    static __device__ __forceinline__ bool any_reaches(const value (&a)[4], value upper, value lower, pair h)
    {
        return (a[0] >= upper + h.x) | (a[1] >= upper + h.y) | (a[2] >= lower + h.x) | (a[3] >= lower + h.y);
    }
};

struct f16_products : f32_sums {
    using point = __half;
    using numbers = f16_products;
    using more_of_panel = nothing_more;
    using more_arguments = nothing_more;
    template <int rows, int columns> using outer = nothing_more;
    static constexpr bool chained = false, shifts = false;
    static constexpr int slice = row_bytes / static_cast<int>(sizeof(point));

    static __device__ __forceinline__ void multiply(value (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
    {
        mma_f16(d, a, b0, b1);
    }
    template <int blocks>
    static __device__ __forceinline__ void multiply(value (&d)[blocks][4], uint64_t a, uint64_t b, int accumulate)
    {
        wgmma_f16(d, a, b, accumulate);
    }
};

/* Bytes, signed or unsigned, with sums modulo 2^32: s_i + s_j − 2a, a − h_i − h_j and a less a row's constant are all
 * in range (byte_levels.h). */
struct byte_numbers {
    using point = uint8_t;
    using value = int;
    using level = int;
    using pair = int2;
    using squared = uint32_t;
    using numbers = byte_numbers;
    using more_of_panel = nothing_more;
    using more_arguments = nothing_more;
    template <int rows, int columns> using outer = nothing_more;
    static constexpr bool infinite = false, chained = false, settled = false, stepped = false, shifts = false;
    static constexpr int slice = row_bytes / static_cast<int>(sizeof(point));

    static __device__ __forceinline__ pair never() { return make_int2(EB_BYTES_NEVER_H, EB_BYTES_NEVER_S); }
    static __device__ __forceinline__ squared distance(value norm_i, value norm_j, value product)
    {
        return static_cast<squared>(norm_i) + static_cast<squared>(norm_j) - 2 * static_cast<squared>(product);
    }
    static __device__ __forceinline__ squared at_least_zero(squared q) { return q; }
    /* Compares the largest product of each row; one instruction finds the largest of three. */
    static __device__ __forceinline__ unsigned all_below(const value (&first)[4], const value (&second)[4], value upper,
                                                         value lower)
    {
        const value above = __vimax3_s32(first[0], first[1], max(second[0], second[1])),
                    under = __vimax3_s32(first[2], first[3], max(second[2], second[3]));
        return minus(above, upper) & minus(under, lower);
    }
    static __device__ __forceinline__ int rank_of(value a) { return a; }
    static __device__ __forceinline__ int rank_to_reach(value c) { return c; }
    static __device__ __forceinline__ void store(uint32_t to, const value (&first)[4], const value (&second)[4],
                                                 uint32_t row, uint32_t column, bool here)
    {
        EB_STORE_EIGHT("r");
    }
    static __device__ __forceinline__ unsigned minus(value a, value c)
    {
        return static_cast<unsigned>(a) - static_cast<unsigned>(c);
    }
    static __device__ __forceinline__ unsigned below(value a, value h_i, value h_j) /* result: the sign bit */
    {
        return minus(a, h_i) - static_cast<unsigned>(h_j);
    }
    static __device__ __forceinline__ bool reaches(value a, value h_i, value h_j)
    {
        return static_cast<int>(below(a, h_i, h_j)) >= 0;
    }
    static __device__ __forceinline__ bool any_reaches(const value (&a)[4], value upper, value lower, pair h)
    {
        const unsigned all_below =
            below(a[0], upper, h.x) & below(a[1], upper, h.y) & below(a[2], lower, h.x) & below(a[3], lower, h.y);
        return static_cast<int>(all_below) >= 0;
    }
};

template <bool is_signed> struct byte_products : byte_numbers {
    static __device__ __forceinline__ void multiply(value (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
    {
        mma_bytes<is_signed>(d, a, b0, b1);
    }
    template <int blocks>
    static __device__ __forceinline__ void multiply(value (&d)[blocks][4], uint64_t a, uint64_t b, int accumulate)
    {
        wgmma_bytes<is_signed>(d, a, b, accumulate);
    }
};

#undef EB_STORE_EIGHT

} // namespace eb
