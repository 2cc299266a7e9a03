/* vector: the vector operations that products_simd.c and kernels/tensor/cpu/values_simd.c use, one set per instruction
 * set. Only these files include this header; the compiler's flags choose the set.
 *
 * eb_floats and eb_ints have EB_LANES lanes of 32 bits, one pair of points a lane. eb_bytes has EB_BYTE_ROWS times 16
 * exponents. No operation depends on the rounding mode in force, so none needs to be set and the compiler cannot move
 * work across a change of mode.
 */
#pragma once

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define EB_INLINE static inline __attribute__((always_inline))

/* Mask for an FP64's sign, exponent and upper 23 fraction bits: an FP32 number, truncated toward zero. */
#define EB_FP32_PART (-(INT64_C(1) << 29))

/* eb_power returns 2^(field − 127). eb_bytes_larger_sum returns the larger of `most` and the sums of EB_BYTE_ROWS · 16
 * bytes; eb_bytes_fold returns the largest of its EB_BYTE_ROWS rows. eb_round_sum returns a + b, up to 33 bits, rounded
 * toward zero: FP64 holds the sum, and its low bits are cleared. eb_multiply_add may or may not fuse; it is only used
 * where nothing rounds.
 *
 * eb_power_part returns x's power of two, 0 for 0 and subnormal numbers; eb_operand_power at least `least` unless x is
 * 0. eb_transpose reads EB_LANES numbers of each of EB_LANES rows: lane r of out[k] is row[r][at + k]. eb_kept_sum
 * returns a + b + c like eb_round_sum, with the bits of FP64 that `keep` has. */
#if defined(__AVX512F__)
#define EB_LANES 16u
#define EB_BYTE_ROWS 4u
typedef __m512 eb_floats;
typedef __m512i eb_ints;
typedef __m512i eb_bytes;

EB_INLINE eb_floats eb_floats_load(const float *p) { return _mm512_loadu_ps(p); }
EB_INLINE void eb_floats_store(float *p, eb_floats x) { _mm512_storeu_ps(p, x); }
EB_INLINE eb_floats eb_floats_all(float x) { return _mm512_set1_ps(x); }
EB_INLINE eb_floats eb_multiply(eb_floats a, eb_floats b) { return _mm512_mul_ps(a, b); }
EB_INLINE eb_floats eb_multiply_add(eb_floats a, eb_floats b, eb_floats c) { return _mm512_fmadd_ps(a, b, c); }
EB_INLINE eb_ints eb_ints_all(int32_t x) { return _mm512_set1_epi32(x); }
EB_INLINE eb_ints eb_ints_add(eb_ints a, eb_ints b) { return _mm512_add_epi32(a, b); }
EB_INLINE eb_ints eb_ints_subtract(eb_ints a, eb_ints b) { return _mm512_sub_epi32(a, b); }
EB_INLINE eb_ints eb_ints_larger(eb_ints a, eb_ints b) { return _mm512_max_epi32(a, b); }
EB_INLINE eb_ints eb_truncate(eb_floats x) { return _mm512_cvttps_epi32(x); }
EB_INLINE eb_floats eb_power(eb_ints field) { return _mm512_castsi512_ps(_mm512_slli_epi32(field, 23)); }
EB_INLINE eb_ints eb_exponent_field(eb_floats x)
{
    return _mm512_and_si512(_mm512_srli_epi32(_mm512_castps_si512(x), 23), _mm512_set1_epi32(255));
}
EB_INLINE eb_ints eb_ints_from_bytes(const uint8_t *p)
{
    return _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)p));
}
EB_INLINE eb_bytes eb_bytes_all(uint8_t x) { return _mm512_set1_epi8((char)x); }
EB_INLINE eb_bytes eb_bytes_larger_sum(eb_bytes most, const uint8_t *a, const uint8_t *b)
{
    return _mm512_max_epu8(most, _mm512_add_epi8(_mm512_loadu_si512(a), _mm512_loadu_si512(b)));
}
EB_INLINE void eb_bytes_fold(eb_bytes x, uint8_t *out)
{
    __m256i half = _mm256_max_epu8(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
    __m128i quarter = _mm_max_epu8(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    _mm_storeu_si128((__m128i *)(void *)out, quarter);
}
EB_INLINE eb_floats eb_round_sum(eb_ints a, eb_ints b)
{
    const __m512d keep = _mm512_castsi512_pd(_mm512_set1_epi64(EB_FP32_PART));
    __m512d low =
        _mm512_add_pd(_mm512_cvtepi32_pd(_mm512_castsi512_si256(a)), _mm512_cvtepi32_pd(_mm512_castsi512_si256(b)));
    __m512d high = _mm512_add_pd(_mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(a, 1)),
                                 _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(b, 1)));
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(_mm512_and_pd(low, keep))),
                              _mm512_cvtpd_ps(_mm512_and_pd(high, keep)), 1);
}

EB_INLINE eb_floats eb_add(eb_floats a, eb_floats b) { return _mm512_add_ps(a, b); }
EB_INLINE eb_floats eb_larger(eb_floats a, eb_floats b) { return _mm512_max_ps(a, b); }
EB_INLINE eb_floats eb_power_part(eb_floats x)
{
    return _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(0x7f800000)));
}
EB_INLINE eb_floats eb_operand_power(eb_floats x, float least)
{
    const __mmask16 some = _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_NEQ_OQ);
    return _mm512_maskz_max_ps(some, eb_power_part(x), _mm512_set1_ps(least));
}
EB_INLINE void eb_transpose(const float *const *row, size_t at, eb_floats *out)
{
    __m512 pairs[16], fours[16];
    for (unsigned k = 0; k < 16; k += 2) {
        const __m512 a = _mm512_loadu_ps(row[k] + at), b = _mm512_loadu_ps(row[k + 1] + at);
        pairs[k] = _mm512_unpacklo_ps(a, b);
        pairs[k + 1] = _mm512_unpackhi_ps(a, b);
    }
    for (unsigned k = 0; k < 16; k += 4)
        for (unsigned h = 0; h < 2; h++) {
            const __m512d a = _mm512_castps_pd(pairs[k + h]), b = _mm512_castps_pd(pairs[k + 2 + h]);
            fours[k + 2 * h] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
            fours[k + 2 * h + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
        }
    for (unsigned k = 0; k < 4; k++) { /* a 128-bit part of fours[4g + k] has a column of rows 4g … 4g + 3 */
        const __m512 a = _mm512_shuffle_f32x4(fours[k], fours[4 + k], 0x44),
                     b = _mm512_shuffle_f32x4(fours[8 + k], fours[12 + k], 0x44),
                     c = _mm512_shuffle_f32x4(fours[k], fours[4 + k], 0xee),
                     d = _mm512_shuffle_f32x4(fours[8 + k], fours[12 + k], 0xee);
        out[k] = _mm512_shuffle_f32x4(a, b, 0x88);
        out[4 + k] = _mm512_shuffle_f32x4(a, b, 0xdd);
        out[8 + k] = _mm512_shuffle_f32x4(c, d, 0x88);
        out[12 + k] = _mm512_shuffle_f32x4(c, d, 0xdd);
    }
}
EB_INLINE __m512d eb_doubles_of(eb_ints x, int half)
{
    return _mm512_cvtepi32_pd(half ? _mm512_extracti64x4_epi64(x, 1) : _mm512_castsi512_si256(x));
}
EB_INLINE eb_floats eb_kept_sum(eb_ints a, eb_ints b, eb_ints c, int64_t keep)
{
    __m256 half[2];
    for (int h = 0; h < 2; h++) {
        const __m512d sum = _mm512_add_pd(_mm512_add_pd(eb_doubles_of(a, h), eb_doubles_of(b, h)), eb_doubles_of(c, h));
        half[h] = _mm512_cvtpd_ps(_mm512_and_pd(sum, _mm512_castsi512_pd(_mm512_set1_epi64(keep))));
    }
    return _mm512_insertf32x8(_mm512_castps256_ps512(half[0]), half[1], 1);
}

#elif defined(__AVX2__)
#define EB_LANES 8u
#define EB_BYTE_ROWS 2u
typedef __m256 eb_floats;
typedef __m256i eb_ints;
typedef __m256i eb_bytes;

EB_INLINE eb_floats eb_floats_load(const float *p) { return _mm256_loadu_ps(p); }
EB_INLINE void eb_floats_store(float *p, eb_floats x) { _mm256_storeu_ps(p, x); }
EB_INLINE eb_floats eb_floats_all(float x) { return _mm256_set1_ps(x); }
EB_INLINE eb_floats eb_multiply(eb_floats a, eb_floats b) { return _mm256_mul_ps(a, b); }
EB_INLINE eb_floats eb_multiply_add(eb_floats a, eb_floats b, eb_floats c) { return _mm256_fmadd_ps(a, b, c); }
EB_INLINE eb_ints eb_ints_all(int32_t x) { return _mm256_set1_epi32(x); }
EB_INLINE eb_ints eb_ints_add(eb_ints a, eb_ints b) { return _mm256_add_epi32(a, b); }
EB_INLINE eb_ints eb_ints_subtract(eb_ints a, eb_ints b) { return _mm256_sub_epi32(a, b); }
EB_INLINE eb_ints eb_ints_larger(eb_ints a, eb_ints b) { return _mm256_max_epi32(a, b); }
EB_INLINE eb_ints eb_truncate(eb_floats x) { return _mm256_cvttps_epi32(x); }
EB_INLINE eb_floats eb_power(eb_ints field) { return _mm256_castsi256_ps(_mm256_slli_epi32(field, 23)); }
EB_INLINE eb_ints eb_exponent_field(eb_floats x)
{
    return _mm256_and_si256(_mm256_srli_epi32(_mm256_castps_si256(x), 23), _mm256_set1_epi32(255));
}
EB_INLINE eb_ints eb_ints_from_bytes(const uint8_t *p)
{
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p));
}
EB_INLINE eb_bytes eb_bytes_all(uint8_t x) { return _mm256_set1_epi8((char)x); }
EB_INLINE eb_bytes eb_bytes_larger_sum(eb_bytes most, const uint8_t *a, const uint8_t *b)
{
    __m256i of_a = _mm256_loadu_si256((const __m256i *)(const void *)a);
    __m256i of_b = _mm256_loadu_si256((const __m256i *)(const void *)b);
    return _mm256_max_epu8(most, _mm256_add_epi8(of_a, of_b));
}
EB_INLINE void eb_bytes_fold(eb_bytes x, uint8_t *out)
{
    __m128i half = _mm_max_epu8(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    _mm_storeu_si128((__m128i *)(void *)out, half);
}
EB_INLINE eb_floats eb_round_sum(eb_ints a, eb_ints b)
{
    const __m256d keep = _mm256_castsi256_pd(_mm256_set1_epi64x(EB_FP32_PART));
    __m256d low =
        _mm256_add_pd(_mm256_cvtepi32_pd(_mm256_castsi256_si128(a)), _mm256_cvtepi32_pd(_mm256_castsi256_si128(b)));
    __m256d high = _mm256_add_pd(_mm256_cvtepi32_pd(_mm256_extracti128_si256(a, 1)),
                                 _mm256_cvtepi32_pd(_mm256_extracti128_si256(b, 1)));
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(_mm256_and_pd(low, keep))),
                                _mm256_cvtpd_ps(_mm256_and_pd(high, keep)), 1);
}

EB_INLINE eb_floats eb_add(eb_floats a, eb_floats b) { return _mm256_add_ps(a, b); }
EB_INLINE eb_floats eb_larger(eb_floats a, eb_floats b) { return _mm256_max_ps(a, b); }
EB_INLINE eb_floats eb_power_part(eb_floats x)
{
    return _mm256_and_ps(x, _mm256_castsi256_ps(_mm256_set1_epi32(0x7f800000)));
}
EB_INLINE eb_floats eb_operand_power(eb_floats x, float least)
{
    const __m256 some = _mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_NEQ_OQ);
    return _mm256_and_ps(some, _mm256_max_ps(eb_power_part(x), _mm256_set1_ps(least)));
}
EB_INLINE void eb_transpose(const float *const *row, size_t at, eb_floats *out)
{
    __m256 pairs[8], fours[8];
    for (unsigned k = 0; k < 8; k += 2) {
        const __m256 a = _mm256_loadu_ps(row[k] + at), b = _mm256_loadu_ps(row[k + 1] + at);
        pairs[k] = _mm256_unpacklo_ps(a, b);
        pairs[k + 1] = _mm256_unpackhi_ps(a, b);
    }
    for (unsigned k = 0; k < 8; k += 4)
        for (unsigned h = 0; h < 2; h++) {
            const __m256d a = _mm256_castps_pd(pairs[k + h]), b = _mm256_castps_pd(pairs[k + 2 + h]);
            fours[k + 2 * h] = _mm256_castpd_ps(_mm256_unpacklo_pd(a, b));
            fours[k + 2 * h + 1] = _mm256_castpd_ps(_mm256_unpackhi_pd(a, b));
        }
    for (unsigned k = 0; k < 4; k++) {
        out[k] = _mm256_permute2f128_ps(fours[k], fours[4 + k], 0x20);
        out[4 + k] = _mm256_permute2f128_ps(fours[k], fours[4 + k], 0x31);
    }
}
EB_INLINE __m256d eb_doubles_of(eb_ints x, int half)
{
    return _mm256_cvtepi32_pd(half ? _mm256_extracti128_si256(x, 1) : _mm256_castsi256_si128(x));
}
EB_INLINE eb_floats eb_kept_sum(eb_ints a, eb_ints b, eb_ints c, int64_t keep)
{
    __m128 half[2];
    for (int h = 0; h < 2; h++) {
        const __m256d sum = _mm256_add_pd(_mm256_add_pd(eb_doubles_of(a, h), eb_doubles_of(b, h)), eb_doubles_of(c, h));
        half[h] = _mm256_cvtpd_ps(_mm256_and_pd(sum, _mm256_castsi256_pd(_mm256_set1_epi64x(keep))));
    }
    return _mm256_insertf128_ps(_mm256_castps128_ps256(half[0]), half[1], 1);
}

#elif defined(__SSE2__)
#define EB_LANES 4u
#define EB_BYTE_ROWS 1u
typedef __m128 eb_floats;
typedef __m128i eb_ints;
typedef __m128i eb_bytes;

EB_INLINE eb_floats eb_floats_load(const float *p) { return _mm_loadu_ps(p); }
EB_INLINE void eb_floats_store(float *p, eb_floats x) { _mm_storeu_ps(p, x); }
EB_INLINE eb_floats eb_floats_all(float x) { return _mm_set1_ps(x); }
EB_INLINE eb_floats eb_multiply(eb_floats a, eb_floats b) { return _mm_mul_ps(a, b); }
EB_INLINE eb_floats eb_multiply_add(eb_floats a, eb_floats b, eb_floats c) { return _mm_add_ps(_mm_mul_ps(a, b), c); }
EB_INLINE eb_ints eb_ints_all(int32_t x) { return _mm_set1_epi32(x); }
EB_INLINE eb_ints eb_ints_add(eb_ints a, eb_ints b) { return _mm_add_epi32(a, b); }
EB_INLINE eb_ints eb_ints_subtract(eb_ints a, eb_ints b) { return _mm_sub_epi32(a, b); }
/* Both are exponent fields, 0 … 255: a 16-bit comparison suffices. */
EB_INLINE eb_ints eb_ints_larger(eb_ints a, eb_ints b) { return _mm_max_epi16(a, b); }
EB_INLINE eb_ints eb_truncate(eb_floats x) { return _mm_cvttps_epi32(x); }
EB_INLINE eb_floats eb_power(eb_ints field) { return _mm_castsi128_ps(_mm_slli_epi32(field, 23)); }
EB_INLINE eb_ints eb_exponent_field(eb_floats x)
{
    return _mm_and_si128(_mm_srli_epi32(_mm_castps_si128(x), 23), _mm_set1_epi32(255));
}
EB_INLINE eb_ints eb_ints_from_bytes(const uint8_t *p)
{
    int32_t four;
    memcpy(&four, p, sizeof four);
    __m128i words = _mm_unpacklo_epi8(_mm_cvtsi32_si128(four), _mm_setzero_si128());
    return _mm_unpacklo_epi16(words, _mm_setzero_si128());
}
EB_INLINE eb_bytes eb_bytes_all(uint8_t x) { return _mm_set1_epi8((char)x); }
EB_INLINE eb_bytes eb_bytes_larger_sum(eb_bytes most, const uint8_t *a, const uint8_t *b)
{
    __m128i of_a = _mm_loadu_si128((const __m128i *)(const void *)a);
    __m128i of_b = _mm_loadu_si128((const __m128i *)(const void *)b);
    return _mm_max_epu8(most, _mm_add_epi8(of_a, of_b));
}
EB_INLINE void eb_bytes_fold(eb_bytes x, uint8_t *out) { _mm_storeu_si128((__m128i *)(void *)out, x); }
EB_INLINE eb_floats eb_round_sum(eb_ints a, eb_ints b)
{
    const __m128d keep = _mm_castsi128_pd(_mm_set1_epi64x(EB_FP32_PART));
    __m128d low = _mm_add_pd(_mm_cvtepi32_pd(a), _mm_cvtepi32_pd(b));
    __m128d high = _mm_add_pd(_mm_cvtepi32_pd(_mm_srli_si128(a, 8)), _mm_cvtepi32_pd(_mm_srli_si128(b, 8)));
    return _mm_movelh_ps(_mm_cvtpd_ps(_mm_and_pd(low, keep)), _mm_cvtpd_ps(_mm_and_pd(high, keep)));
}

EB_INLINE eb_floats eb_add(eb_floats a, eb_floats b) { return _mm_add_ps(a, b); }
EB_INLINE eb_floats eb_larger(eb_floats a, eb_floats b) { return _mm_max_ps(a, b); }
EB_INLINE eb_floats eb_power_part(eb_floats x) { return _mm_and_ps(x, _mm_castsi128_ps(_mm_set1_epi32(0x7f800000))); }
EB_INLINE eb_floats eb_operand_power(eb_floats x, float least)
{
    return _mm_and_ps(_mm_cmpneq_ps(x, _mm_setzero_ps()), _mm_max_ps(eb_power_part(x), _mm_set1_ps(least)));
}
EB_INLINE void eb_transpose(const float *const *row, size_t at, eb_floats *out)
{
    for (unsigned k = 0; k < 4; k++)
        out[k] = _mm_loadu_ps(row[k] + at);
    _MM_TRANSPOSE4_PS(out[0], out[1], out[2], out[3]);
}
EB_INLINE __m128d eb_doubles_of(eb_ints x, int half) { return _mm_cvtepi32_pd(half ? _mm_srli_si128(x, 8) : x); }
EB_INLINE eb_floats eb_kept_sum(eb_ints a, eb_ints b, eb_ints c, int64_t keep)
{
    __m128 half[2];
    for (int h = 0; h < 2; h++) {
        const __m128d sum = _mm_add_pd(_mm_add_pd(eb_doubles_of(a, h), eb_doubles_of(b, h)), eb_doubles_of(c, h));
        half[h] = _mm_cvtpd_ps(_mm_and_pd(sum, _mm_castsi128_pd(_mm_set1_epi64x(keep))));
    }
    return _mm_movelh_ps(half[0], half[1]);
}

#else
#define EB_LANES 1u
#define EB_BYTE_ROWS 1u
typedef float eb_floats;
typedef int32_t eb_ints;
typedef struct eb_bytes {
    uint8_t lane[16];
} eb_bytes;

EB_INLINE eb_floats eb_floats_load(const float *p) { return *p; }
EB_INLINE void eb_floats_store(float *p, eb_floats x) { *p = x; }
EB_INLINE eb_floats eb_floats_all(float x) { return x; }
EB_INLINE eb_floats eb_multiply(eb_floats a, eb_floats b) { return a * b; }
EB_INLINE eb_floats eb_multiply_add(eb_floats a, eb_floats b, eb_floats c) { return a * b + c; }
EB_INLINE eb_ints eb_ints_all(int32_t x) { return x; }
EB_INLINE eb_ints eb_ints_add(eb_ints a, eb_ints b) { return a + b; }
EB_INLINE eb_ints eb_ints_subtract(eb_ints a, eb_ints b) { return a - b; }
EB_INLINE eb_ints eb_ints_larger(eb_ints a, eb_ints b) { return a > b ? a : b; }
EB_INLINE eb_ints eb_truncate(eb_floats x) { return (int32_t)x; }
EB_INLINE eb_floats eb_power(eb_ints field)
{
    uint32_t bits = (uint32_t)field << 23;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
EB_INLINE eb_ints eb_exponent_field(eb_floats x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int32_t)(bits >> 23 & 255u);
}
EB_INLINE eb_ints eb_ints_from_bytes(const uint8_t *p) { return *p; }
EB_INLINE eb_bytes eb_bytes_all(uint8_t x)
{
    eb_bytes all;
    memset(all.lane, x, sizeof all.lane);
    return all;
}
EB_INLINE eb_bytes eb_bytes_larger_sum(eb_bytes most, const uint8_t *a, const uint8_t *b)
{
    for (unsigned x = 0; x < 16; x++) {
        uint8_t sum = (uint8_t)(a[x] + b[x]);
        most.lane[x] = sum > most.lane[x] ? sum : most.lane[x];
    }
    return most;
}
EB_INLINE void eb_bytes_fold(eb_bytes x, uint8_t *out) { memcpy(out, x.lane, sizeof x.lane); }
EB_INLINE eb_floats eb_round_sum(eb_ints a, eb_ints b)
{
    double sum = (double)a + (double)b;
    int64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    bits &= EB_FP32_PART;
    memcpy(&sum, &bits, sizeof sum);
    return (float)sum;
}
EB_INLINE eb_floats eb_add(eb_floats a, eb_floats b) { return a + b; }
EB_INLINE eb_floats eb_larger(eb_floats a, eb_floats b) { return a > b ? a : b; }
EB_INLINE eb_floats eb_power_part(eb_floats x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= 0x7f800000u;
    memcpy(&x, &bits, sizeof x);
    return x;
}
EB_INLINE eb_floats eb_operand_power(eb_floats x, float least)
{
    return x == 0 ? 0 : eb_larger(eb_power_part(x), least);
}
EB_INLINE void eb_transpose(const float *const *row, size_t at, eb_floats *out) { *out = row[0][at]; }
EB_INLINE eb_floats eb_kept_sum(eb_ints a, eb_ints b, eb_ints c, int64_t keep)
{
    double sum = (double)a + (double)b + (double)c;
    int64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    bits &= keep;
    memcpy(&sum, &bits, sizeof sum);
    return (float)sum;
}
#endif
