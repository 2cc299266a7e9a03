#include "core/base/dtype.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    size_t bytes;
} types[] = {[EB_F16] = {"f16", 2}, [EB_F32] = {"f32", 4}, [EB_F64] = {"f64", 8}, [EB_U8] = {"u8", 1},
             [EB_I8] = {"i8", 1},   [EB_I16] = {"i16", 2}, [EB_I32] = {"i32", 4}};

size_t eb_dtype_size(eb_dtype dtype) { return types[dtype].bytes; }

const char *eb_dtype_name(eb_dtype dtype) { return types[dtype].name; }

bool eb_dtype_is_float(eb_dtype dtype) { return dtype == EB_F16 || dtype == EB_F32 || dtype == EB_F64; }

float eb_half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    uint32_t exponent = (half >> 10) & 31u;
    uint32_t fraction = half & 1023u;
    uint32_t bits;
    if (exponent == 0) {
        /* Subnormal: fraction · 2^-24, exact in FP32. */
        float magnitude = (float)fraction * 0x1p-24f;
        return sign ? -magnitude : magnitude;
    }
    if (exponent == 31)
        bits = sign | 0x7f800000u | fraction << 13;
    else
        bits = sign | (exponent + 112u) << 23 | fraction << 13;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Works on the FP64 bits, so that a value stored as FP64 is rounded once: going through FP32 would round twice. */
uint16_t eb_half_from_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 48 & 0x8000u);
    if (isnan(value))
        return (uint16_t)(sign | 0x7e00u);
    double magnitude = fabs(value);
    if (magnitude >= 65520.0) /* halfway between 65504 and 65536: ties go to the even neighbour, which is Inf */
        return (uint16_t)(sign | 0x7c00u);
    if (magnitude < 0x1p-14) {
        /* Subnormal or zero: rounded to a multiple of 2^-24. Adding and subtracting 2^52 rounds the scaled value to the
         * nearest even integer; scaling is exact. A carry to 1024 gives the bits of the smallest normal number. */
        double scaled = magnitude * 0x1p24;
        double rounded = (scaled + 0x1p52) - 0x1p52;
        return (uint16_t)(sign | (uint16_t)rounded);
    }
    /* Normal: keep 10 of the 52 fraction bits, nearest even. A carry correctly increments the exponent. */
    uint64_t absolute = bits & 0x7fffffffffffffffu;
    uint64_t odd = absolute >> 42 & 1u;
    absolute += ((uint64_t)1 << 41) - 1 + odd;
    uint64_t exponent = (absolute >> 52) - 1023 + 15;
    uint64_t fraction = absolute >> 42 & 1023u;
    return (uint16_t)(sign | (uint16_t)(exponent << 10) | (uint16_t)fraction);
}

/* One loop per dtype. Rows may be unaligned, so elements are read by memcpy, which compiles to a plain load. */
#define EB_EACH(type, expression)                                                                                      \
    for (size_t k = 0; k < count; k++) {                                                                               \
        type x;                                                                                                        \
        memcpy(&x, bytes + k * sizeof x, sizeof x);                                                                    \
        dst[k] = (expression);                                                                                         \
    }                                                                                                                  \
    break

void eb_to_f64(eb_dtype dtype, const void *src, size_t count, double *dst)
{
    const unsigned char *bytes = src;
    switch (dtype) {
    case EB_F16: EB_EACH(uint16_t, (double)eb_half_to_float(x));
    case EB_F32: EB_EACH(float, (double)x);
    case EB_F64: memcpy(dst, src, count * sizeof *dst); break;
    case EB_U8: EB_EACH(uint8_t, (double)x);
    case EB_I8: EB_EACH(int8_t, (double)x);
    case EB_I16: EB_EACH(int16_t, (double)x);
    case EB_I32: EB_EACH(int32_t, (double)x);
    }
}

void eb_to_f16(eb_dtype dtype, const void *src, size_t count, uint16_t *dst)
{
    const unsigned char *bytes = src;
    switch (dtype) {
    case EB_F16: memcpy(dst, src, count * sizeof *dst); break;
    case EB_F32: EB_EACH(float, eb_half_from_double((double)x));
    case EB_F64: EB_EACH(double, eb_half_from_double(x));
    case EB_U8: EB_EACH(uint8_t, eb_half_from_double((double)x));
    case EB_I8: EB_EACH(int8_t, eb_half_from_double((double)x));
    case EB_I16: EB_EACH(int16_t, eb_half_from_double((double)x));
    case EB_I32: EB_EACH(int32_t, eb_half_from_double((double)x));
    }
}
