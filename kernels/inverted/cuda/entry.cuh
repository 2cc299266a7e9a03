/* entry: a look-up table's entries in each format: rounding to the format and adding an entry to a sum. The bits equal
 * the CPU's (core/inverted/question.h, core/formats8/format8.h).
 *
 * In packed tables the codes of E5M3 and E4M4 are stored one exponent higher. Such a code is shifted to FP32's exponent
 * and fraction and multiplied by a power of two in the sum's FMA. It needs no addition of its own, because no code
 * becomes a subnormal FP32 number.
 */
#pragma once

#include <cstdint>

#include <cuda_fp16.h>

extern "C" {
#include "core/inverted/question.h"
}

namespace eb {

template <eb_table_format format> struct entry_type {
    using type = uint8_t;
};
template <> struct entry_type<EB_TABLE_F32> {
    using type = uint32_t;
};
template <> struct entry_type<EB_TABLE_F16> {
    using type = uint16_t;
};

/* The position of a format's code within the bits of an FP32 number, and the power of two that the result lacks. */
template <eb_table_format format> struct moved {
    static constexpr int fraction = format == EB_TABLE_E4M4   ? 4
                                    : format == EB_TABLE_E5M2 ? 2
                                                              : 3,
                         bias = format == EB_TABLE_E4M4 || format == EB_TABLE_E4M3 ? 7 : 15, shift = 23 - fraction,
                         power = 127 - bias;
    static constexpr bool no_zero = format == EB_TABLE_E5M3 || format == EB_TABLE_E4M4;
    static constexpr int raised = no_zero ? 1u << fraction : 0; /* amount by which packed codes are raised */
};

/* ---- rounding to the format ---- */

/* The number to add to the bits of an FP32 number x before they are rounded to the code of x · 2^exponent, raised by
 * `raised`. */
template <eb_table_format format> __device__ int code_offset(int exponent, int raised)
{
    using m = moved<format>;
    return exponent * (1 << 23) + (1 << (m::shift - 1)) - 1 - (((m::power << m::fraction) - raised) << m::shift);
}

/* The code of an FP32 number, rounded to nearest even. */
template <eb_table_format format> __device__ int rounded_code(float x, int offset)
{
    using m = moved<format>;
    const int bits = __float_as_int(x);
    return (bits + offset + (bits >> m::shift & 1)) >> m::shift;
}

/* How a query's distances become entries. */
template <eb_table_format format> struct rounding {
    float scale; /* 2^exponent; for u8 the inverse of the step */
    float least; /* for formats without a zero: their least number, times 2^-exponent */
    int offset;  /* code_offset */
};

template <eb_table_format format, bool packed> __device__ rounding<format> rounding_of(float scale, float unit)
{
    using m = moved<format>;
    const int exponent = (__float_as_int(scale) >> 23) - 127;
    return {scale, __fmul_rn(1.0f / (1 << m::bias), unit),
            code_offset<format>(m::no_zero ? exponent : 0, packed && m::no_zero ? m::raised : 0)};
}

/* The code of x ≥ 0. packed: x never exceeds the format's greatest number. */
template <eb_table_format format, bool packed> __device__ uint32_t encoded(float x, const rounding<format> &to)
{
    using m = moved<format>;
    if constexpr (format == EB_TABLE_F32)
        return __float_as_uint(__fmul_rn(x, to.scale));
    else if constexpr (format == EB_TABLE_F16)
        return __half_as_ushort(__float2half_rn(__fmul_rn(x, to.scale)));
    else if constexpr (m::no_zero && packed)
        return static_cast<uint32_t>(rounded_code<format>(fmaxf(x, to.least), to.offset));
    else if constexpr (m::no_zero)
        return static_cast<uint32_t>(min(rounded_code<format>(fmaxf(x, to.least), to.offset), 255));
    else {
        constexpr int greatest = format == EB_TABLE_E4M3 ? 0x7e : 0x7b;
        constexpr float normal = 1.0f / (1 << (m::bias - 1));
        const float steps = static_cast<float>(1 << (m::bias - 1 + m::fraction));
        const float scaled = __fmul_rn(x, to.scale);
        const int small = __float2int_rn(__fmul_rn(scaled, steps)); /* below the least normal number */
        return static_cast<uint32_t>(min(scaled < normal ? small : rounded_code<format>(scaled, to.offset), greatest));
    }
}

/* (x − least)/step, rounded to nearest even by adding 2^23, where FP32 has no fraction bits: the sum's last byte. */
__device__ inline uint32_t affine_code(float x, float least, float per_step)
{
    const float steps = __fadd_rn(__fmul_rn(__fsub_rn(x, least), per_step), 0x1p23f);
    return __float_as_uint(fminf(steps, 0x1p23f + 255)) & 0xff;
}

/* ---- reading the table ---- */

/* Reads the entry of the k-th of four codes in a word, k subspaces after `row`. A subspace's entries begin at a
 * multiple of 256 entries in shared memory, so an entry's address is that beginning combined with the code. */
template <unsigned bytes> __device__ uint32_t looked_up(uint32_t row, uint32_t word, unsigned k)
{
    uint32_t at, entry;
    if constexpr (bytes == 1)
        at = __byte_perm(word, row, 0x7650 + k % 4);
    else {
        constexpr unsigned up = bytes == 4 ? 2 : 1;
        at = ((k % 4 == 0 ? word << up : word >> (k % 4 * 8 - up)) & (0xffu << up)) | row;
    }
    at += k * EB_BOOK_ENTRIES * bytes;
    if constexpr (bytes == 1)
        asm volatile("ld.shared.u8 %0, [%1];" : "=r"(entry) : "r"(at));
    else if constexpr (bytes == 2)
        asm volatile("ld.shared.u16 %0, [%1];" : "=r"(entry) : "r"(at));
    else
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(entry) : "r"(at));
    return entry;
}

/* ---- adding to a sum ---- */

__device__ constexpr float power_of_two(int exponent)
{
    float x = 1;
    for (int k = 0; k < exponent; k++)
        x *= 2;
    return x;
}

/* sum + entry, rounded to FP32, and with f16_sums to FP16. */
template <eb_table_format format, bool f16_sums> __device__ float added(float sum, uint32_t entry)
{
    using m = moved<format>;
    if constexpr (format == EB_TABLE_F32)
        sum = __fadd_rn(sum, __uint_as_float(entry));
    else if constexpr (format == EB_TABLE_F16)
        sum = __fadd_rn(sum, __half2float(__ushort_as_half(static_cast<unsigned short>(entry))));
    else if constexpr (m::no_zero)
        sum = __fadd_rn(sum, __uint_as_float((entry << m::shift) + (static_cast<uint32_t>(m::power) << 23)));
    else
        sum = __fmaf_rn(__uint_as_float(entry << m::shift), power_of_two(m::power), sum);
    if constexpr (f16_sums)
        sum = __half2float(__float2half_rn(sum));
    return sum;
}

/* Adds a packed code that is already in its position. */
template <eb_table_format format> __device__ float added_moved(float sum, uint32_t bits)
{
    using m = moved<format>;
    return __fmaf_rn(__uint_as_float(bits), power_of_two(m::power - (m::no_zero ? 1 : 0)), sum);
}

} // namespace eb
