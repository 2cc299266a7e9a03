#include "core/data/number.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static const eb_number_type types[EB_NUMBERS] = {
    [EB_F64_NUMBER] = {"f64", "FP64", DBL_MAX, 8, 53, -1022, false, false},
    [EB_TF32] = {"tf32", "TF32", 0x1.ffcp127, 4, 11, -126, false, true},
    [EB_BF16] = {"bf16", "BF16", 0x1.fep127, 2, 8, -126, false, false},
    [EB_F16_NUMBER] = {"f16", "FP16", 65504, 2, 11, -14, false, false},
    [EB_E4M3_NUMBER] = {"e4m3", "E4M3", 448, 1, 4, -6, true, false},
    [EB_E5M2_NUMBER] = {"e5m2", "E5M2", 57344, 1, 3, -14, true, false},
    [EB_S8] = {"s8", "INT8", 127, 1, 0, 0, true, false},
};

const eb_number_type *eb_number_type_of(eb_number number) { return &types[number]; }

/* The power of two of x's exponent. */
static double power_of(double x)
{
    uint64_t bits;
    double power;
    memcpy(&bits, &x, sizeof bits);
    bits &= UINT64_C(0x7ff) << 52;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* The multiple of unit nearest to x. Adding and subtracting 1.5·2^52 units rounds ties to the even multiple. For ties
 * away from zero, half a unit is added and the fraction cut off: the sum may round, but never across a whole number. */
static inline double to_multiple(double x, double unit, bool ties_away)
{
    if (ties_away)
        return copysign(trunc(fabs(x) / unit + 0.5) * unit, x);
    const double far = 0x1.8p52 * unit;
    return (x + far) - far;
}

/* Constant ties_away and fixed let the compiler make a loop for each. */
static inline __attribute__((always_inline)) size_t round_all(const eb_number_type *type, const double *x, size_t count,
                                                              double *out, const bool ties_away, const bool fixed)
{
    const double least = ldexp(1, type->least_exponent), unit = ldexp(1, 1 - (int)type->digits);
    const double instead = type->saturates ? type->greatest : INFINITY, greatest = type->greatest;
    size_t beyond = 0;
    for (size_t k = 0; k < count; k++) {
        const double power = power_of(x[k]), own = power > least ? power : least;
        const double rounded = to_multiple(x[k], fixed ? 1 : own * unit, ties_away);
        const bool over = !(fabs(rounded) <= greatest);
        beyond += over;
        out[k] = over ? copysign(instead, x[k]) : rounded;
    }
    return beyond;
}

size_t eb_numbers_round(const eb_number_type *type, const double *x, size_t count, double *out)
{
    if (type->digits == 53) {
        memmove(out, x, count * sizeof *x);
        return 0;
    }
    return type->digits == 0 ? round_all(type, x, count, out, false, true)
           : type->ties_away ? round_all(type, x, count, out, true, false)
                             : round_all(type, x, count, out, false, false);
}
