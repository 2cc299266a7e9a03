/* vector: the vector operations that the CPU engines' kernels use, defined for each instruction set. Only *_simd.c
 * files include this header; EB_ISA and the compiler's flags choose the set.
 *
 * eb_v32 holds EB_LANES32 lanes of 32 bits: integers, floats, or pairs of int16; eb_floats_of and eb_bits_of convert
 * it to a vector of floats and back, bit for bit. eb_v64 holds EB_LANES64 doubles.
 * Comparisons return a bit for each lane. times_add is a·b + c, rounded once in every set. not_negative is true for
 * numbers whose sign bit is clear: false for −0 and NaN.
 */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#define EB_JOIN_(a, b) a##_##b
#define EB_JOIN(a, b) EB_JOIN_(a, b)
#define EB_FOR_ISA(name) EB_JOIN(name, EB_ISA)
#define EB_INLINE static inline __attribute__((always_inline))

#if defined(__AVX512F__)
#include <immintrin.h>
#define EB_LANES32 16u
#define EB_LANES64 8u
typedef __m512i eb_v32;
typedef __m512d eb_v64;
typedef __m512 eb_floats;
#define EB_SIGNED_OR_NAN 0xd5 /* VFPCLASS's bits for NaN, −0, −∞, less than 0 */

EB_INLINE eb_floats eb_floats_of(eb_v32 bits) { return _mm512_castsi512_ps(bits); }
EB_INLINE eb_v32 eb_bits_of(eb_floats x) { return _mm512_castps_si512(x); }
EB_INLINE eb_v32 eb_v32_load(const uint32_t *p) { return _mm512_loadu_si512(p); }
EB_INLINE void eb_v32_store(uint32_t *p, eb_v32 a) { _mm512_storeu_si512(p, a); }
EB_INLINE eb_v32 eb_v32_all(uint32_t x) { return _mm512_set1_epi32((int)x); }
EB_INLINE eb_v32 eb_v32_add(eb_v32 a, eb_v32 b) { return _mm512_add_epi32(a, b); }
EB_INLINE eb_v32 eb_v32_sub(eb_v32 a, eb_v32 b) { return _mm512_sub_epi32(a, b); }
EB_INLINE eb_v32 eb_v32_dot_i16(eb_v32 sum, eb_v32 a, eb_v32 b)
{
    return _mm512_add_epi32(sum, _mm512_madd_epi16(a, b));
}
#ifdef __AVX512VNNI__
#define EB_DOT_I8 1
EB_INLINE eb_v32 eb_v32_dot_i8(eb_v32 sum, eb_v32 a, eb_v32 b) /* a: unsigned bytes, b: signed ones */
{
    return _mm512_dpbusd_epi32(sum, a, b);
}
#endif
EB_INLINE unsigned eb_v32_not_above(eb_v32 a, eb_v32 b) { return _mm512_cmp_epi32_mask(a, b, _MM_CMPINT_LE); }
EB_INLINE unsigned eb_v32_reaches_sum(eb_v32 a, eb_v32 b, eb_v32 c)
{
    __m512 sum = _mm512_add_ps(eb_floats_of(b), eb_floats_of(c));
    return _mm512_cmp_ps_mask(eb_floats_of(a), sum, _CMP_GE_OQ);
}
EB_INLINE eb_v32 eb_v32_count_less(eb_v32 count, eb_v32 a, eb_v32 b) /* count + 1 where a < b, as integers */
{
    return _mm512_mask_add_epi32(count, _mm512_cmplt_epi32_mask(a, b), count, _mm512_set1_epi32(1));
}
EB_INLINE eb_v32 eb_v32_add_f32(eb_v32 a, eb_v32 b)
{
    return eb_bits_of(_mm512_add_ps(eb_floats_of(a), eb_floats_of(b)));
}
EB_INLINE unsigned eb_v32_not_above_f32(eb_v32 a, eb_v32 b)
{
    return _mm512_cmp_ps_mask(eb_floats_of(a), eb_floats_of(b), _CMP_LE_OQ);
}
EB_INLINE void eb_v32_take_less_f32(eb_v32 *best, eb_v32 *where, eb_v32 a, eb_v32 at) /* replaces lanes with a < best */
{
    const __mmask16 less = _mm512_cmp_ps_mask(eb_floats_of(a), eb_floats_of(*best), _CMP_LT_OQ);
    *best = _mm512_mask_mov_epi32(*best, less, a);
    *where = _mm512_mask_mov_epi32(*where, less, at);
}
EB_INLINE eb_v64 eb_v64_load(const double *p) { return _mm512_loadu_pd(p); }
EB_INLINE void eb_v64_store(double *p, eb_v64 a) { _mm512_storeu_pd(p, a); }
EB_INLINE eb_v64 eb_v64_all(double x) { return _mm512_set1_pd(x); }
EB_INLINE unsigned eb_v64_not_above(eb_v64 a, eb_v64 b) { return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ); }
EB_INLINE eb_v64 eb_v64_max(eb_v64 a, eb_v64 b) { return _mm512_max_pd(a, b); }
EB_INLINE eb_v64 eb_v64_root(eb_v64 a) { return _mm512_sqrt_pd(a); }
EB_INLINE eb_v64 eb_v64_times_add(eb_v64 a, eb_v64 b, eb_v64 c) { return _mm512_fmadd_pd(a, b, c); }
EB_INLINE unsigned eb_v64_not_negative(eb_v64 a)
{
    return ~(unsigned)_mm512_fpclass_pd_mask(a, EB_SIGNED_OR_NAN) & 0xffu;
}
EB_INLINE eb_v32 eb_v32_times_add_f32(eb_v32 a, eb_v32 b, eb_v32 c)
{
    return eb_bits_of(_mm512_fmadd_ps(eb_floats_of(a), eb_floats_of(b), eb_floats_of(c)));
}
EB_INLINE unsigned eb_v32_not_negative_f32(eb_v32 a)
{
    return ~(unsigned)_mm512_fpclass_ps_mask(eb_floats_of(a), EB_SIGNED_OR_NAN) & 0xffffu;
}
#define EB_V64_FMA 1 /* eb_v64_square_add and eb_v32_dot_f32 round once */

#elif defined(__AVX2__)
#include <immintrin.h>
#define EB_LANES32 8u
#define EB_LANES64 4u
typedef __m256i eb_v32;
typedef __m256d eb_v64;
typedef __m256 eb_floats;

EB_INLINE eb_floats eb_floats_of(eb_v32 bits) { return _mm256_castsi256_ps(bits); }
EB_INLINE eb_v32 eb_bits_of(eb_floats x) { return _mm256_castps_si256(x); }
EB_INLINE eb_v32 eb_v32_load(const uint32_t *p) { return _mm256_loadu_si256((const __m256i *)(const void *)p); }
EB_INLINE void eb_v32_store(uint32_t *p, eb_v32 a) { _mm256_storeu_si256((__m256i *)(void *)p, a); }
EB_INLINE eb_v32 eb_v32_all(uint32_t x) { return _mm256_set1_epi32((int)x); }
EB_INLINE eb_v32 eb_v32_add(eb_v32 a, eb_v32 b) { return _mm256_add_epi32(a, b); }
EB_INLINE eb_v32 eb_v32_sub(eb_v32 a, eb_v32 b) { return _mm256_sub_epi32(a, b); }
EB_INLINE eb_v32 eb_v32_dot_i16(eb_v32 sum, eb_v32 a, eb_v32 b)
{
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
}
EB_INLINE unsigned eb_v32_not_above(eb_v32 a, eb_v32 b)
{
    return ~(unsigned)_mm256_movemask_ps(eb_floats_of(_mm256_cmpgt_epi32(a, b))) & 0xffu;
}
EB_INLINE unsigned eb_v32_reaches_sum(eb_v32 a, eb_v32 b, eb_v32 c)
{
    __m256 sum = _mm256_add_ps(eb_floats_of(b), eb_floats_of(c));
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(eb_floats_of(a), sum, _CMP_GE_OQ));
}
EB_INLINE eb_v32 eb_v32_count_less(eb_v32 count, eb_v32 a, eb_v32 b)
{
    return _mm256_sub_epi32(count, _mm256_cmpgt_epi32(b, a));
}
EB_INLINE eb_v32 eb_v32_add_f32(eb_v32 a, eb_v32 b)
{
    return eb_bits_of(_mm256_add_ps(eb_floats_of(a), eb_floats_of(b)));
}
EB_INLINE unsigned eb_v32_not_above_f32(eb_v32 a, eb_v32 b)
{
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(eb_floats_of(a), eb_floats_of(b), _CMP_LE_OQ));
}
EB_INLINE void eb_v32_take_less_f32(eb_v32 *best, eb_v32 *where, eb_v32 a, eb_v32 at)
{
    const __m256 less = _mm256_cmp_ps(eb_floats_of(a), eb_floats_of(*best), _CMP_LT_OQ);
    *best = _mm256_blendv_epi8(*best, a, eb_bits_of(less));
    *where = _mm256_blendv_epi8(*where, at, eb_bits_of(less));
}
EB_INLINE eb_v64 eb_v64_load(const double *p) { return _mm256_loadu_pd(p); }
EB_INLINE void eb_v64_store(double *p, eb_v64 a) { _mm256_storeu_pd(p, a); }
EB_INLINE eb_v64 eb_v64_all(double x) { return _mm256_set1_pd(x); }
EB_INLINE unsigned eb_v64_not_above(eb_v64 a, eb_v64 b)
{
    return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LE_OQ));
}
EB_INLINE eb_v64 eb_v64_max(eb_v64 a, eb_v64 b) { return _mm256_max_pd(a, b); }
EB_INLINE eb_v64 eb_v64_root(eb_v64 a) { return _mm256_sqrt_pd(a); }
EB_INLINE eb_v64 eb_v64_times_add(eb_v64 a, eb_v64 b, eb_v64 c) { return _mm256_fmadd_pd(a, b, c); }
EB_INLINE unsigned eb_v64_not_negative(eb_v64 a)
{
    return ~(unsigned)_mm256_movemask_pd(_mm256_or_pd(a, _mm256_cmp_pd(a, a, _CMP_UNORD_Q))) & 0xfu;
}
EB_INLINE eb_v32 eb_v32_times_add_f32(eb_v32 a, eb_v32 b, eb_v32 c)
{
    return eb_bits_of(_mm256_fmadd_ps(eb_floats_of(a), eb_floats_of(b), eb_floats_of(c)));
}
EB_INLINE unsigned eb_v32_not_negative_f32(eb_v32 a)
{
    const __m256 x = eb_floats_of(a);
    return ~(unsigned)_mm256_movemask_ps(_mm256_or_ps(x, _mm256_cmp_ps(x, x, _CMP_UNORD_Q))) & 0xffu;
}
#define EB_V64_FMA 1

#elif defined(__SSE2__)
/* Without FMA a product is rounded before it is added. The FP32 filter's bound allows for that; FP64 kernels then only
 * select candidates. */
#include <immintrin.h>
#define EB_LANES32 4u
#define EB_LANES64 2u
typedef __m128i eb_v32;
typedef __m128d eb_v64;
typedef __m128 eb_floats;

EB_INLINE eb_floats eb_floats_of(eb_v32 bits) { return _mm_castsi128_ps(bits); }
EB_INLINE eb_v32 eb_bits_of(eb_floats x) { return _mm_castps_si128(x); }
EB_INLINE eb_v32 eb_v32_load(const uint32_t *p) { return _mm_loadu_si128((const __m128i *)(const void *)p); }
EB_INLINE void eb_v32_store(uint32_t *p, eb_v32 a) { _mm_storeu_si128((__m128i *)(void *)p, a); }
EB_INLINE eb_v32 eb_v32_all(uint32_t x) { return _mm_set1_epi32((int)x); }
EB_INLINE eb_v32 eb_v32_add(eb_v32 a, eb_v32 b) { return _mm_add_epi32(a, b); }
EB_INLINE eb_v32 eb_v32_sub(eb_v32 a, eb_v32 b) { return _mm_sub_epi32(a, b); }
EB_INLINE eb_v32 eb_v32_dot_i16(eb_v32 sum, eb_v32 a, eb_v32 b) { return _mm_add_epi32(sum, _mm_madd_epi16(a, b)); }
EB_INLINE unsigned eb_v32_not_above(eb_v32 a, eb_v32 b)
{
    return ~(unsigned)_mm_movemask_ps(eb_floats_of(_mm_cmpgt_epi32(a, b))) & 0xfu;
}
EB_INLINE unsigned eb_v32_reaches_sum(eb_v32 a, eb_v32 b, eb_v32 c)
{
    __m128 sum = _mm_add_ps(eb_floats_of(b), eb_floats_of(c));
    return (unsigned)_mm_movemask_ps(_mm_cmpge_ps(eb_floats_of(a), sum));
}
EB_INLINE eb_v32 eb_v32_count_less(eb_v32 count, eb_v32 a, eb_v32 b)
{
    return _mm_sub_epi32(count, _mm_cmpgt_epi32(b, a));
}
EB_INLINE eb_v32 eb_v32_add_f32(eb_v32 a, eb_v32 b) { return eb_bits_of(_mm_add_ps(eb_floats_of(a), eb_floats_of(b))); }
EB_INLINE unsigned eb_v32_not_above_f32(eb_v32 a, eb_v32 b)
{
    return (unsigned)_mm_movemask_ps(_mm_cmple_ps(eb_floats_of(a), eb_floats_of(b)));
}
EB_INLINE void eb_v32_take_less_f32(eb_v32 *best, eb_v32 *where, eb_v32 a, eb_v32 at)
{
    const __m128i less = eb_bits_of(_mm_cmplt_ps(eb_floats_of(a), eb_floats_of(*best)));
    *best = _mm_or_si128(_mm_and_si128(less, a), _mm_andnot_si128(less, *best));
    *where = _mm_or_si128(_mm_and_si128(less, at), _mm_andnot_si128(less, *where));
}
EB_INLINE eb_v64 eb_v64_load(const double *p) { return _mm_loadu_pd(p); }
EB_INLINE void eb_v64_store(double *p, eb_v64 a) { _mm_storeu_pd(p, a); }
EB_INLINE eb_v64 eb_v64_all(double x) { return _mm_set1_pd(x); }
EB_INLINE unsigned eb_v64_not_above(eb_v64 a, eb_v64 b) { return (unsigned)_mm_movemask_pd(_mm_cmple_pd(a, b)); }
EB_INLINE eb_v64 eb_v64_max(eb_v64 a, eb_v64 b) { return _mm_max_pd(a, b); }
EB_INLINE eb_v64 eb_v64_root(eb_v64 a) { return _mm_sqrt_pd(a); }
EB_INLINE eb_v64 eb_v64_times_add(eb_v64 a, eb_v64 b, eb_v64 c)
{
    double x[2], y[2], z[2];
    _mm_storeu_pd(x, a);
    _mm_storeu_pd(y, b);
    _mm_storeu_pd(z, c);
    return _mm_setr_pd(fma(x[0], y[0], z[0]), fma(x[1], y[1], z[1]));
}
EB_INLINE unsigned eb_v64_not_negative(eb_v64 a)
{
    return ~(unsigned)_mm_movemask_pd(_mm_or_pd(a, _mm_cmpunord_pd(a, a))) & 0x3u;
}
EB_INLINE eb_v32 eb_v32_times_add_f32(eb_v32 a, eb_v32 b, eb_v32 c)
{
    float x[4], y[4], z[4];
    _mm_storeu_ps(x, eb_floats_of(a));
    _mm_storeu_ps(y, eb_floats_of(b));
    _mm_storeu_ps(z, eb_floats_of(c));
    return eb_bits_of(
        _mm_setr_ps(fmaf(x[0], y[0], z[0]), fmaf(x[1], y[1], z[1]), fmaf(x[2], y[2], z[2]), fmaf(x[3], y[3], z[3])));
}
EB_INLINE unsigned eb_v32_not_negative_f32(eb_v32 a)
{
    const __m128 x = eb_floats_of(a);
    return ~(unsigned)_mm_movemask_ps(_mm_or_ps(x, _mm_cmpunord_ps(x, x))) & 0xfu;
}
#define EB_V64_FMA 0

#else
#define EB_LANES32 1u
#define EB_LANES64 1u
typedef uint32_t eb_v32;
typedef double eb_v64;
typedef float eb_floats;

EB_INLINE eb_floats eb_floats_of(eb_v32 bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
EB_INLINE eb_v32 eb_bits_of(eb_floats x)
{
    eb_v32 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
EB_INLINE eb_v32 eb_v32_load(const uint32_t *p) { return *p; }
EB_INLINE void eb_v32_store(uint32_t *p, eb_v32 a) { *p = a; }
EB_INLINE eb_v32 eb_v32_all(uint32_t x) { return x; }
EB_INLINE eb_v32 eb_v32_add(eb_v32 a, eb_v32 b) { return a + b; }
EB_INLINE eb_v32 eb_v32_sub(eb_v32 a, eb_v32 b) { return a - b; }
EB_INLINE eb_v32 eb_v32_dot_i16(eb_v32 sum, eb_v32 a, eb_v32 b)
{
    int32_t low = (int32_t)(int16_t)(a & 0xffffu) * (int16_t)(b & 0xffffu);
    int32_t high = (int32_t)(int16_t)(a >> 16) * (int16_t)(b >> 16);
    return sum + (uint32_t)low + (uint32_t)high;
}
EB_INLINE unsigned eb_v32_not_above(eb_v32 a, eb_v32 b) { return (int32_t)a <= (int32_t)b; }
EB_INLINE unsigned eb_v32_reaches_sum(eb_v32 a, eb_v32 b, eb_v32 c)
{
    return eb_floats_of(a) >= eb_floats_of(b) + eb_floats_of(c);
}
EB_INLINE eb_v32 eb_v32_count_less(eb_v32 count, eb_v32 a, eb_v32 b) { return count + ((int32_t)a < (int32_t)b); }
EB_INLINE eb_v32 eb_v32_add_f32(eb_v32 a, eb_v32 b) { return eb_bits_of(eb_floats_of(a) + eb_floats_of(b)); }
EB_INLINE unsigned eb_v32_not_above_f32(eb_v32 a, eb_v32 b) { return eb_floats_of(a) <= eb_floats_of(b); }
EB_INLINE void eb_v32_take_less_f32(eb_v32 *best, eb_v32 *where, eb_v32 a, eb_v32 at)
{
    const int less = eb_floats_of(a) < eb_floats_of(*best);
    *best = less ? a : *best;
    *where = less ? at : *where;
}
EB_INLINE eb_v64 eb_v64_load(const double *p) { return *p; }
EB_INLINE void eb_v64_store(double *p, eb_v64 a) { *p = a; }
EB_INLINE eb_v64 eb_v64_all(double x) { return x; }
EB_INLINE unsigned eb_v64_not_above(eb_v64 a, eb_v64 b) { return a <= b; }
EB_INLINE eb_v64 eb_v64_max(eb_v64 a, eb_v64 b) { return a > b ? a : b; }
EB_INLINE eb_v64 eb_v64_root(eb_v64 a) { return __builtin_sqrt(a); }
EB_INLINE eb_v64 eb_v64_times_add(eb_v64 a, eb_v64 b, eb_v64 c) { return fma(a, b, c); }
EB_INLINE unsigned eb_v64_not_negative(eb_v64 a) { return a >= 0 && !signbit(a); }
EB_INLINE eb_v32 eb_v32_times_add_f32(eb_v32 a, eb_v32 b, eb_v32 c)
{
    return eb_bits_of(fmaf(eb_floats_of(a), eb_floats_of(b), eb_floats_of(c)));
}
EB_INLINE unsigned eb_v32_not_negative_f32(eb_v32 a) { return eb_floats_of(a) >= 0 && !signbit(eb_floats_of(a)); }
#define EB_V64_FMA 0
#endif

/* Floats and doubles have operators in every set. */
EB_INLINE eb_v32 eb_v32_sub_f32(eb_v32 a, eb_v32 b) { return eb_bits_of(eb_floats_of(a) - eb_floats_of(b)); }
EB_INLINE eb_v32 eb_v32_times_f32(eb_v32 a, eb_v32 b) { return eb_bits_of(eb_floats_of(a) * eb_floats_of(b)); }
EB_INLINE eb_v32 eb_v32_square_add_f32(eb_v32 t, eb_v32 s) /* t·t + s, rounded twice in every set */
{
    return eb_v32_add_f32(eb_v32_times_f32(t, t), s);
}
EB_INLINE eb_v64 eb_v64_add(eb_v64 a, eb_v64 b) { return a + b; }
EB_INLINE eb_v64 eb_v64_sub(eb_v64 a, eb_v64 b) { return a - b; }
EB_INLINE eb_v64 eb_v64_times(eb_v64 a, eb_v64 b) { return a * b; }
EB_INLINE eb_v32 eb_v32_dot_f32(eb_v32 sum, eb_v32 a, eb_v32 b)
{
    return EB_V64_FMA ? eb_v32_times_add_f32(a, b, sum) : eb_v32_add_f32(eb_v32_times_f32(a, b), sum);
}
#ifndef EB_DOT_I8 /* no kernel of this instruction set multiplies bytes */
EB_INLINE eb_v32 eb_v32_dot_i8(eb_v32 sum, eb_v32 a, eb_v32 b)
{
    (void)a, (void)b;
    __builtin_trap();
    return sum;
}
#endif
EB_INLINE eb_v64 eb_v64_square_add(eb_v64 t, eb_v64 s)
{
    return EB_V64_FMA ? eb_v64_times_add(t, t, s) : eb_v64_add(eb_v64_times(t, t), s);
}
