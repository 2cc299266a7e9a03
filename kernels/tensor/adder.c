#include "kernels/tensor/adder.h"

#include <math.h>
#include <string.h>

/* ---- which adder ---- */

static bool is_fp8(eb_number number) { return number == EB_E4M3_NUMBER || number == EB_E5M2_NUMBER; }

static unsigned bytes_of(eb_number number) { return eb_number_type_of(number)->bytes; }

static eb_code refuse(eb_number number, eb_sums sums, eb_path path, eb_core core, eb_status *status)
{
    const char *title = eb_number_type_of(number)->title;
    if (path == EB_PATH_WGMMA && core != EB_CORE_SM90)
        return eb_fail(status, EB_USAGE, "only sm_90 has wgmma; take path=mma or core=sm_90");
    if (is_fp8(number) && core == EB_CORE_SM80)
        return eb_fail(status, EB_USAGE, "sm_80 has no tensor core for %s; take core=sm_89, sm_90 or sm_100", title);
    if (sums == EB_SUMS_F16 && number != EB_F16_NUMBER && !is_fp8(number))
        return eb_fail(status, EB_USAGE, "tensor cores sum products of %s in FP32 only; take sums=f32", title);
    return EB_OK;
}

eb_code eb_adder_of(eb_number number, eb_sums sums, eb_path path, eb_core core, eb_adder *out, eb_status *status)
{
    EB_TRY(refuse(number, sums, path, core, status));
    const bool wgmma = core == EB_CORE_SM90 && path != EB_PATH_MMA, new = core >= EB_CORE_SM90;
    *out = (eb_adder){.block = (new ? 32 : 16) / bytes_of(number),
                      .fraction = new ? 25 : 24,
                      .rounding = sums == EB_SUMS_F16 ? EB_SUM_F16 : EB_SUM_F32,
                      .zero = (sums == EB_SUMS_F16 ? -20 : -132) - (new ? 1 : 0),
                      .confirmed = core == EB_CORE_SM90};
    if (!is_fp8(number))
        return EB_OK;
    if (core == EB_CORE_SM89 || wgmma) { /* an adder of its own, which keeps 13 bits */
        out->fraction = 13;
        out->rounding = sums == EB_SUMS_F16 ? EB_SUM_F16 : EB_SUM_E8M13;
    } else if (core == EB_CORE_SM90) { /* FP16's */
        out->block = 16;
        out->halved = true;
    }
    return EB_OK;
}

/* ---- operands ---- */

eb_operand eb_operand_of(eb_number number, float value)
{
    int exponent;
    if (value == 0 || !isfinite(value))
        return (eb_operand){value, 0};
    const float half = frexpf(value, &exponent); /* 0.5 ≤ |half| < 1 */
    const int least = eb_number_type_of(number)->least_exponent, own = exponent - 1;
    return own >= least ? (eb_operand){2 * half, own} : (eb_operand){ldexpf(value, -least), least};
}

static eb_operand sum_operand(const eb_adder *adder, float c)
{
    return eb_operand_of(adder->rounding == EB_SUM_F16 ? EB_F16_NUMBER : EB_TF32, c); /* TF32 has FP32's exponents */
}

/* ---- aligning, summing, rounding ---- */

static float from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float nan_of(const eb_adder *adder)
{
    return from_bits(adder->rounding == EB_SUM_F16 ? 0x7fffe000u : 0x7fffffffu);
}

/* The significand's whole units of 2^−bits, toward zero. */
static int64_t aligned(float significand, int bits)
{
    return (int64_t)ldexp((double)significand, bits > -64 ? bits : -64);
}

/* Truncates the magnitude below the last of `digits` bits, or of a subnormal number. */
static float toward_zero(double sum, int digits)
{
    int exponent;
    (void)frexp(sum, &exponent);
    const int last = (exponent - 1 > -126 ? exponent - 1 : -126) - digits + 1;
    return (float)ldexp(trunc(ldexp(sum, -last)), last); /* 2^128 and more become ∞ */
}

static float to_half(double sum)
{
    double rounded;
    (void)eb_numbers_round(eb_number_type_of(EB_F16_NUMBER), &sum, 1, &rounded);
    return (float)rounded;
}

static float rounded_sum(const eb_adder *adder, double sum)
{
    if (sum == 0)
        return 0;
    const float rounded =
        adder->rounding == EB_SUM_F16 ? to_half(sum) : toward_zero(sum, adder->rounding == EB_SUM_F32 ? 24 : 14);
    return rounded == 0 ? 0 : rounded; /* no −0 */
}

eb_adder_steps eb_adder_steps_of(const eb_adder *adder, float c, const eb_operand *a, const eb_operand *b)
{
    eb_adder_steps steps = {.largest = INT32_MIN};
    float term[EB_MOST_BLOCK + 1];
    int exponent[EB_MOST_BLOCK + 1];
    float special = 0; /* becomes ±∞ or NaN if some term is */
    const eb_operand sum = sum_operand(adder, c);
    for (unsigned k = 0; k <= adder->block; k++) {
        const bool last = k == adder->block;
        term[k] = last ? sum.significand : a[k].significand * b[k].significand; /* exact: 22 bits at most */
        exponent[k] = term[k] == 0 ? adder->zero : last ? sum.exponent : a[k].exponent + b[k].exponent;
        steps.largest = exponent[k] > steps.largest ? exponent[k] : steps.largest;
        if (!isfinite(term[k]))
            special += term[k];
    }
    steps.result = isnan(special) ? nan_of(adder) : special;
    for (unsigned k = 0; k <= adder->block && special == 0; k++) {
        steps.aligned[k] = aligned(term[k], (int)adder->fraction + exponent[k] - steps.largest);
        steps.sum += steps.aligned[k];
    }
    if (special == 0)
        steps.result = rounded_sum(adder, ldexp((double)steps.sum, steps.largest - (int)adder->fraction));
    return steps;
}

float eb_adder_block(const eb_adder *adder, float c, const eb_operand *a, const eb_operand *b)
{
    return eb_adder_steps_of(adder, c, a, b).result;
}

float eb_adder_add(const eb_adder *adder, float c, float sum)
{
    const float both = c + sum; /* of FP16 numbers: exact enough to be rounded again */
    if (isnan(both))
        return nan_of(adder);
    return adder->rounding == EB_SUM_F16 && isfinite(both) ? to_half((double)both) : both;
}

float eb_adder_step(const eb_adder *adder, float c, const eb_operand *a, const eb_operand *b)
{
    if (!adder->halved)
        return eb_adder_block(adder, c, a, b);
    const float first = eb_adder_block(adder, 0, a, b);
    return eb_adder_add(adder, c, eb_adder_block(adder, first, a + adder->block, b + adder->block));
}

float eb_adder_dot(const eb_adder *adder, unsigned promote, const eb_operand *a, const eb_operand *b, size_t count)
{
    const unsigned length = adder->halved ? 2 * adder->block : adder->block;
    float total = 0, c = 0;
    for (size_t k = 0; k < count; k += length) {
        if (promote && k > 0 && k % promote == 0) {
            total += c;
            c = 0;
        }
        c = eb_adder_step(adder, c, a + k, b + k);
    }
    return promote ? total + c : c;
}
