#include "core/formats8/format8.h"

#include <math.h>
#include <string.h>

enum { SINGLE_FRACTION = 23, SINGLE_BIAS = 127, DOUBLE_FRACTION = 52, DOUBLE_BIAS = 1023 };

static const eb_format8_facts facts[EB_FORMATS8] = {
    [EB_E5M3] = {"e5m3", "E5M3", 5, 3, 15, false, 0x1p-15, 0x1p-15, 122880},
    [EB_E4M4] = {"e4m4", "E4M4", 4, 4, 7, false, 0x1p-7, 0x1p-7, 496},
    [EB_E4M3] = {"e4m3", "E4M3", 4, 3, 7, true, 0x1p-9, 0x1p-6, 448},
    [EB_E5M2] = {"e5m2", "E5M2", 5, 2, 15, true, 0x1p-16, 0x1p-14, 57344},
};

const eb_format8_facts *eb_format8_facts_of(eb_format8 format) { return &facts[format]; }

/* ---- decoding ---- */

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A code, shifted, has the bits of an FP32 number with another bias. Unsigned formats add the difference of the biases
 * to the exponent. That would be wrong for subnormals, so signed formats multiply by the power of two, which is exact.
 */
float eb_format8_decode(eb_format8 format, uint8_t code)
{
    const eb_format8_facts *f = &facts[format];
    const unsigned shift = SINGLE_FRACTION - f->fraction;
    const uint32_t bias = (uint32_t)(SINGLE_BIAS - f->bias);
    if (!f->is_signed)
        return float_of(((uint32_t)code << shift) + (bias << SINGLE_FRACTION));
    const uint32_t magnitude = code & 0x7fu;
    const bool beyond = magnitude > eb_format8_encode(format, f->greatest);
    float value = float_of(magnitude << shift) * ldexpf(1, (int)bias);
    if (beyond)
        value = format == EB_E5M2 && magnitude == 0x7c ? INFINITY : NAN;
    return copysignf(value, code & 0x80u ? -1.0F : 1.0F);
}

/* ---- encoding ---- */

/* Encodes a number from f->normal to f->greatest: rounds FP64's fraction to nearest even, where a carry correctly
 * increments the exponent, and changes the exponent's bias. */
static uint8_t encode_normal(const eb_format8_facts *f, double magnitude)
{
    const unsigned drop = DOUBLE_FRACTION - f->fraction;
    uint64_t bits;
    memcpy(&bits, &magnitude, sizeof bits);
    bits += ((uint64_t)1 << (drop - 1)) - 1 + (bits >> drop & 1u);
    return (uint8_t)((bits >> drop) - ((uint64_t)(DOUBLE_BIAS - f->bias) << f->fraction));
}

/* Rounds the multiple of f->least to the nearest even integer by adding and subtracting 2^52. A result of 2^M is the
 * code of the smallest normal number. */
static uint8_t encode_subnormal(const eb_format8_facts *f, double magnitude)
{
    const double scaled = magnitude / f->least;
    return (uint8_t)((scaled + 0x1p52) - 0x1p52);
}

uint8_t eb_format8_encode(eb_format8 format, double value)
{
    const eb_format8_facts *f = &facts[format];
    const uint8_t sign = f->is_signed && signbit(value) ? 0x80 : 0;
    const double magnitude = f->is_signed ? fabs(value) : value;
    if (isnan(value))
        return f->is_signed ? sign | 0x7f : 0xff;
    if (magnitude >= f->greatest)
        return sign | encode_normal(f, f->greatest);
    if (magnitude >= f->normal)
        return sign | encode_normal(f, magnitude);
    return f->is_signed ? sign | encode_subnormal(f, magnitude) : 0;
}

/* ---- properties of a format ---- */

void eb_format8_bits(eb_format8 format, uint8_t code, char out[EB_FORMAT8_BITS])
{
    const eb_format8_facts *f = &facts[format];
    size_t at = 0;
    for (unsigned bit = 8; bit-- > 0;) {
        out[at++] = (unsigned)code >> bit & 1u ? '1' : '0';
        if ((f->is_signed && bit == 7) || bit == f->fraction)
            out[at++] = '.';
    }
    out[at] = '\0';
}

double eb_format8_relative_error(eb_format8 format)
{
    const double half = ldexp(1, -(int)facts[format].fraction - 1);
    return half / (1 + half);
}
