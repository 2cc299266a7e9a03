/* exact: computes the exact squared distances of single pairs; exact_bytes does so in integers for u8 and i8.
 *
 * A pair's sum is a chain of FMAs and cannot be split, so each lane has a pair. Four coordinates of four pairs are
 * transposed in registers. Two such groups are computed side by side to hide the chain's latency.
 */
#include <math.h>

#include "kernels/ref64/cpu/kernels.h"
#include "kernels/walk/vector.h"

EB_INLINE double load1(eb_dtype dtype, const unsigned char *p)
{
    double x;
    if (dtype == EB_F64) {
        memcpy(&x, p, sizeof x);
        return x;
    }
    if (dtype == EB_F32) {
        float y;
        memcpy(&y, p, sizeof y);
        return (double)y;
    }
    eb_to_f64(dtype, p, 1, &x);
    return x;
}

/* Continues the sum s by the definition's chain, beginning with coordinate `from`. */
EB_INLINE double chain(eb_dtype dtype, const unsigned char *p, const unsigned char *q, size_t from, size_t d, double s)
{
    size_t size = eb_dtype_size(dtype);
    for (size_t k = from; k < d; k++) {
        double t = load1(dtype, p + k * size) - load1(dtype, q + k * size);
        s = fma(t, t, s);
    }
    return s;
}

#if defined(__AVX2__)
EB_INLINE __m256d load4(eb_dtype dtype, const unsigned char *q)
{
    switch (dtype) {
    case EB_F64: return _mm256_loadu_pd((const double *)(const void *)q);
    case EB_F32: return _mm256_cvtps_pd(_mm_loadu_ps((const float *)(const void *)q));
    case EB_F16: return _mm256_cvtps_pd(_mm_cvtph_ps(_mm_loadl_epi64((const __m128i *)(const void *)q)));
    case EB_I32: return _mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)(const void *)q));
    case EB_I16: return _mm256_cvtepi32_pd(_mm_cvtepi16_epi32(_mm_loadl_epi64((const __m128i *)(const void *)q)));
    case EB_U8: return _mm256_cvtepi32_pd(_mm_cvtepu8_epi32(_mm_loadu_si32(q)));
    case EB_I8: return _mm256_cvtepi32_pd(_mm_cvtepi8_epi32(_mm_loadu_si32(q)));
    }
    return _mm256_setzero_pd();
}

/* Adds four coordinates of each of four pairs to the four chains of s. */
EB_INLINE __m256d four_by_four(eb_dtype dtype, const unsigned char *const *p, const unsigned char *const *q,
                               size_t offset, __m256d s)
{
    __m256d a = _mm256_sub_pd(load4(dtype, p[0] + offset), load4(dtype, q[0] + offset));
    __m256d b = _mm256_sub_pd(load4(dtype, p[1] + offset), load4(dtype, q[1] + offset));
    __m256d c = _mm256_sub_pd(load4(dtype, p[2] + offset), load4(dtype, q[2] + offset));
    __m256d e = _mm256_sub_pd(load4(dtype, p[3] + offset), load4(dtype, q[3] + offset));
    __m256d ab_even = _mm256_unpacklo_pd(a, b), ab_odd = _mm256_unpackhi_pd(a, b);
    __m256d ce_even = _mm256_unpacklo_pd(c, e), ce_odd = _mm256_unpackhi_pd(c, e);
    __m256d t0 = _mm256_permute2f128_pd(ab_even, ce_even, 0x20), t1 = _mm256_permute2f128_pd(ab_odd, ce_odd, 0x20);
    __m256d t2 = _mm256_permute2f128_pd(ab_even, ce_even, 0x31), t3 = _mm256_permute2f128_pd(ab_odd, ce_odd, 0x31);
    s = _mm256_fmadd_pd(t0, t0, s);
    s = _mm256_fmadd_pd(t1, t1, s);
    s = _mm256_fmadd_pd(t2, t2, s);
    return _mm256_fmadd_pd(t3, t3, s);
}

#define PAIRS 8u

/* Computes eight pairs. If fewer are left, the last pair is repeated and its copies are not stored. */
EB_INLINE void exact_group(eb_dtype dtype, const eb_dataset *ds, const uint32_t *rows, const uint32_t *columns,
                           size_t count, double *s)
{
    size_t size = eb_dtype_size(dtype), whole = ds->d / 4 * 4;
    const unsigned char *p[PAIRS], *q[PAIRS];
    for (size_t m = 0; m < PAIRS; m++) {
        p[m] = eb_row(ds, rows[m < count ? m : count - 1]);
        q[m] = eb_row(ds, columns[m < count ? m : count - 1]);
    }
    __m256d low = _mm256_setzero_pd(), high = _mm256_setzero_pd();
    for (size_t k = 0; k < whole; k += 4) {
        low = four_by_four(dtype, p, q, k * size, low);
        high = four_by_four(dtype, p + 4, q + 4, k * size, high);
    }
    double sums[PAIRS];
    _mm256_storeu_pd(sums, low);
    _mm256_storeu_pd(sums + 4, high);
    for (size_t m = 0; m < PAIRS && m < count; m++)
        s[m] = chain(dtype, p[m], q[m], whole, ds->d, sums[m]);
}

#endif

EB_INLINE void exact_of(eb_dtype dtype, const eb_dataset *ds, const uint32_t *rows, const uint32_t *columns,
                        size_t count, double *s)
{
    size_t c = 0;
#if defined(__AVX2__)
    for (; ds->d >= 4 && count - c >= 2; c += count - c < PAIRS ? count - c : PAIRS)
        exact_group(dtype, ds, rows + c, columns + c, count - c, s + c);
#endif
    for (; c < count; c++)
        s[c] = chain(dtype, eb_row(ds, rows[c]), eb_row(ds, columns[c]), 0, ds->d, 0);
}

void EB_FOR_ISA(eb_ref64_exact)(const eb_dataset *ds, const uint32_t *rows, const uint32_t *columns, size_t count,
                                double *s)
{
    switch (ds->dtype) { /* the loop is compiled for each type */
    case EB_F16: exact_of(EB_F16, ds, rows, columns, count, s); break;
    case EB_F32: exact_of(EB_F32, ds, rows, columns, count, s); break;
    case EB_F64: exact_of(EB_F64, ds, rows, columns, count, s); break;
    case EB_U8: exact_of(EB_U8, ds, rows, columns, count, s); break;
    case EB_I8: exact_of(EB_I8, ds, rows, columns, count, s); break;
    case EB_I16: exact_of(EB_I16, ds, rows, columns, count, s); break;
    case EB_I32: exact_of(EB_I32, ds, rows, columns, count, s); break;
    }
}

/* Σ (a − b)² of bytes. flip = 0x80 maps i8 to u8 and keeps the differences. The sum is at most 65536 · 255² < 2^32, so
 * that unsigned 32-bit lanes hold it. */
static uint32_t byte_distance(const unsigned char *a, const unsigned char *b, size_t d, unsigned char flip)
{
    uint32_t sum = 0;
    size_t k = 0;
#if defined(__AVX2__)
    __m128i flips = _mm_set1_epi8((char)flip);
    __m256i sums = _mm256_setzero_si256();
    for (; k + 16 <= d; k += 16) {
        __m128i x = _mm_xor_si128(_mm_loadu_si128((const __m128i *)(const void *)(a + k)), flips);
        __m128i y = _mm_xor_si128(_mm_loadu_si128((const __m128i *)(const void *)(b + k)), flips);
        __m256i t = _mm256_sub_epi16(_mm256_cvtepu8_epi16(x), _mm256_cvtepu8_epi16(y));
        sums = _mm256_add_epi32(sums, _mm256_madd_epi16(t, t));
    }
    uint32_t lanes[8];
    _mm256_storeu_si256((__m256i *)(void *)lanes, sums);
    for (size_t m = 0; m < 8; m++)
        sum += lanes[m];
#elif defined(__SSE2__)
    __m128i flips = _mm_set1_epi8((char)flip), zero = _mm_setzero_si128(), sums = zero;
    for (; k + 16 <= d; k += 16) {
        __m128i x = _mm_xor_si128(_mm_loadu_si128((const __m128i *)(const void *)(a + k)), flips);
        __m128i y = _mm_xor_si128(_mm_loadu_si128((const __m128i *)(const void *)(b + k)), flips);
        __m128i low = _mm_sub_epi16(_mm_unpacklo_epi8(x, zero), _mm_unpacklo_epi8(y, zero));
        __m128i high = _mm_sub_epi16(_mm_unpackhi_epi8(x, zero), _mm_unpackhi_epi8(y, zero));
        sums = _mm_add_epi32(sums, _mm_add_epi32(_mm_madd_epi16(low, low), _mm_madd_epi16(high, high)));
    }
    uint32_t lanes[4];
    _mm_storeu_si128((__m128i *)(void *)lanes, sums);
    for (size_t m = 0; m < 4; m++)
        sum += lanes[m];
#endif
    for (; k < d; k++) {
        int32_t t = (int32_t)(a[k] ^ flip) - (int32_t)(b[k] ^ flip);
        sum += (uint32_t)(t * t);
    }
    return sum;
}

void EB_FOR_ISA(eb_ref64_exact_bytes)(const eb_dataset *ds, const uint32_t *rows, const uint32_t *columns, size_t count,
                                      double *s)
{
    unsigned char flip = ds->dtype == EB_I8 ? 0x80 : 0;
    for (size_t c = 0; c < count; c++)
        s[c] = (double)byte_distance(eb_row(ds, rows[c]), eb_row(ds, columns[c]), ds->d, flip);
}
