/* table_simd: rounds a table's entries in loops that compilers vectorise, with integers and exact products only. */
#include "core/base/dtype.h"
#include "core/inverted/question.h"
#include "kernels/inverted/cpu/kernels.h"
#include "kernels/walk/vector.h"

EB_INLINE int32_t bits_of(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Compares floats ≥ 0 by their bits, which have the same order: integers have no NaN, which would prevent
 * vectorisation. */
void EB_FOR_ISA(eb_table_range)(const float *from, size_t count, float *least, float *greatest)
{
    int32_t low = bits_of(from[0]), high = low;
    for (size_t k = 1; k < count; k++) {
        const int32_t bits = bits_of(from[k]);
        low = bits < low ? bits : low;
        high = bits > high ? bits : high;
    }
    memcpy(least, &low, sizeof low);
    memcpy(greatest, &high, sizeof high);
}

/* The bits of an FP32 number rounded to `fraction` fraction bits, nearest even, with the format's bias; as
 * encode_normal in format8.c. */
EB_INLINE int32_t rounded(float x, int fraction, int bias)
{
    const int drop = 23 - fraction, bits = bits_of(x);
    return ((bits + (1 << (drop - 1)) - 1 + (bits >> drop & 1)) >> drop) - ((127 - bias) << fraction);
}

/* Rounds to a format without zero and subnormals: smaller numbers become the least one. */
EB_INLINE void round_unsigned(const float *from, size_t count, float scale, int fraction, int bias, uint8_t *to)
{
    for (size_t k = 0; k < count; k++) {
        int32_t code = rounded(from[k] * scale, fraction, bias);
        code = code < 0 ? 0 : code;
        to[k] = (uint8_t)(code > 255 ? 255 : code);
    }
}

/* Rounds non-negative numbers to OCP's formats. Numbers below the least normal one become multiples of the least
 * subnormal one, made whole by adding and subtracting 2^23. */
EB_INLINE void round_ocp(const float *from, size_t count, float scale, int fraction, int bias, int greatest,
                         uint8_t *to)
{
    const float normal = ldexpf(1, 1 - bias), steps = ldexpf(1, bias - 1 + fraction);
    for (size_t k = 0; k < count; k++) {
        const float x = from[k] * scale, small = x < normal ? x : 0;
        const int32_t subnormal = (int32_t)((small * steps + 0x1p23F) - 0x1p23F);
        const int32_t code = x < normal ? subnormal : rounded(x, fraction, bias);
        to[k] = (uint8_t)(code > greatest ? greatest : code);
    }
}

static void round_f16(const float *from, size_t count, float scale, uint16_t *to)
{
    size_t k = 0;
#if defined(__AVX2__)
    for (; k + 8 <= count; k += 8) {
        const __m256 x = _mm256_mul_ps(_mm256_loadu_ps(from + k), _mm256_set1_ps(scale));
        _mm_storeu_si128((__m128i *)(void *)(to + k), _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
    }
#endif
    for (; k < count; k++)
        to[k] = eb_half_from_double((double)(from[k] * scale));
}

void EB_FOR_ISA(eb_table_round)(eb_table_format format, const float *from, size_t count, float scale, void *to)
{
    float *f32 = to;
    switch (format) {
    case EB_TABLE_F32:
        for (size_t k = 0; k < count; k++)
            f32[k] = from[k] * scale;
        break;
    case EB_TABLE_F16: round_f16(from, count, scale, to); break;
    case EB_TABLE_E5M3: round_unsigned(from, count, scale, 3, 15, to); break;
    case EB_TABLE_E4M4: round_unsigned(from, count, scale, 4, 7, to); break;
    case EB_TABLE_E4M3: round_ocp(from, count, scale, 3, 7, 0x7e, to); break;
    case EB_TABLE_E5M2: round_ocp(from, count, scale, 2, 15, 0x7b, to); break;
    case EB_TABLE_U8:
    case EB_TABLE_FORMATS: break;
    }
}

void EB_FOR_ISA(eb_table_affine)(const float *from, size_t count, float least, float per_step, uint8_t *to)
{
    for (size_t k = 0; k < count; k++) {
        const float steps = ((from[k] - least) * per_step + 0x1p23F) - 0x1p23F;
        to[k] = (uint8_t)(int32_t)(steps > 255 ? 255 : steps);
    }
}
