/* rounding: a coordinate in the numbers of a rung, on the device: the twin of eb_numbers_round and eb_round_row. */
#pragma once

#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "kernels/device/gpu.cuh"

extern "C" {
#include "kernels/tensor/cpu/round.h"
}

namespace eb {

/* How coordinates are rounded: eb_number_type and the step of S8. */
struct number_rounding {
    eb_number number;
    unsigned parts;
    double least, unit;      /* the least normal number; the last digit of numbers in 1 … 2 */
    double greatest, beyond; /* the greatest number, and what numbers beyond it become */
    bool ties_away, saturates;
    bool flat;          /* S8 with one step: all coordinates are 0 */
    double step;        /* S8 with one step; other types 1 */
    const float *steps; /* S8 with a step a point: of each row; otherwise nullptr */
};

struct rounded_coordinate {
    double first, second, third; /* parts; S8: levels */
    bool beyond;                 /* the type cannot hold it */
};

/* The multiple of `unit` nearest to x (core/data/number.c). */
__device__ inline double to_multiple(double x, double unit, bool ties_away)
{
    if (ties_away)
        return copysign(__dmul_rn(trunc(__dadd_rn(__ddiv_rn(fabs(x), unit), 0.5)), unit), x);
    const double far = __dmul_rn(0x1.8p52, unit);
    return __dsub_rn(__dadd_rn(x, far), far);
}

__device__ inline double to_number(const number_rounding &r, double x, bool &beyond)
{
    const double power = __longlong_as_double(__double_as_longlong(x) & 0x7ff0000000000000ll);
    const double own = power > r.least ? power : r.least;
    const double rounded = to_multiple(x, r.number == EB_S8 ? 1 : __dmul_rn(own, r.unit), r.ties_away);
    const bool over = !(fabs(rounded) <= r.greatest);
    beyond |= over;
    return over ? copysign(r.beyond, x) : rounded;
}

__device__ inline rounded_coordinate to_levels(const number_rounding &r, double y, double step)
{
    rounded_coordinate out{};
    const double level = r.flat ? 0 : __ddiv_rn(y, step);
    if (r.parts == 1) {
        out.first = to_number(r, level, out.beyond);
        return out;
    }
    const double whole = rint(level);
    out.first = rint(__dmul_rn(whole, 1.0 / EB_SLICE));
    out.second = __dsub_rn(whole, __dmul_rn(EB_SLICE, out.first));
    return out;
}

__device__ inline rounded_coordinate round_coordinate(const number_rounding &r, double y, double step)
{
    rounded_coordinate out{};
    if (r.number == EB_S8)
        return to_levels(r, y, step);
    if (r.number == EB_F64_NUMBER) {
        out.first = y;
        return out;
    }
    out.first = to_number(r, y, out.beyond);
    if (r.parts == 1)
        return out;
    const double rest = __dsub_rn(y, out.first);
    out.second = to_number(r, rest, out.beyond);
    if (r.parts > 2)
        out.third = to_number(r, __dsub_rn(rest, out.second), out.beyond);
    return out;
}

/* As eb_rounded_at. */
__device__ inline double rounded_at(const number_rounding &r, const rounded_coordinate &x, double step)
{
    if (r.number == EB_S8 && r.parts == 2)
        return __dmul_rn(__dadd_rn(__dmul_rn(EB_SLICE, x.first), x.second), step);
    const double sum = __dadd_rn(__dadd_rn(x.third, x.second), x.first); /* parts that are not there are 0 */
    return __dmul_rn(sum, step);
}

/* The bits of a number of the type. */
template <class operand> __device__ operand bits_of_number(eb_number number, double value)
{
    const float single = __double2float_rn(value); /* exact but for FP64 */
    if constexpr (sizeof(operand) == 8)
        return static_cast<operand>(__double_as_longlong(value));
    else if constexpr (sizeof(operand) == 4)
        return __float_as_uint(single);
    else if constexpr (sizeof(operand) == 2)
        return number == EB_F16_NUMBER ? __half_as_ushort(__float2half_rn(single))
                                       : static_cast<operand>(__float_as_uint(single) >> 16);
    else if (number == EB_S8)
        return static_cast<operand>(__float2int_rn(single));
    else
        return __nv_cvt_float_to_fp8(single, __NV_SATFINITE, number == EB_E4M3_NUMBER ? __NV_E4M3 : __NV_E5M2);
}

} // namespace eb
