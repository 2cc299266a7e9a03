/* The tensor core's dot products, 16 pairs at a time, one lane a pair; bit-identical to tensor_core.c for finite FP16.
 *
 * Why each step is exact: an FP16 product has 22 significant bits, so FP32 holds it; scaling by 2^(F−η) is a power of two within
 * range (|exponents| ≤ 48); conversion to int32 truncates toward zero, which is the hardware's alignment, and |q| < 2^(F+2) ≤ 2^27.
 * K of them stay below 2^31. c's aligned value could carry beyond, so for K = 16 that last sum is made in FP64, where it is exact,
 * and the conversion to FP32, under round-toward-zero, is the hardware's normalisation. In a chain from 0, c is a multiple of 2^-48
 * and below 2^48: no subnormals, no overflow.
 */
#include "cpu/fasted_kernels.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

#if defined(__AVX2__)

#include <immintrin.h>
#include <string.h>

/* η is kept at or above this, so that the scale stays in range when every term is zero; nonzero terms are above it. */
#define LOWEST_EXPONENT (-60)

typedef struct row {
    const float *values;
    const int8_t *exponents;
} row;

typedef struct lanes {
    __m256 low, high; /* 8 pairs each */
} lanes;

/* 2^e for lanes of small integers e. */
static inline __m256 power_of_two(__m256i e)
{
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(e, _mm256_set1_epi32(127)), 23));
}

/* η: the largest of the products' exponents and the sum's. */
static inline __m256i largest_exponent(__m128i products, __m256 sum)
{
    __m256i biased = _mm256_and_si256(_mm256_srli_epi32(_mm256_castps_si256(sum), 23), _mm256_set1_epi32(255));
    __m256i of_sum = _mm256_sub_epi32(biased, _mm256_set1_epi32(127));
    __m256i largest = _mm256_max_epi32(_mm256_cvtepi8_epi32(products), of_sum);
    return _mm256_max_epi32(largest, _mm256_set1_epi32(LOWEST_EXPONENT));
}

/* (q + c's aligned value) · 2^(η−F), rounded toward zero by the mode in force. wide: q alone may fill 31 bits. */
static inline __m256 normalise(__m256i q, __m256i c, __m256i largest, int fraction, int wide)
{
    __m256i back = _mm256_sub_epi32(largest, _mm256_set1_epi32(fraction));
    if (!wide)
        return _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_add_epi32(q, c)), power_of_two(back));
    __m256d low = _mm256_add_pd(_mm256_cvtepi32_pd(_mm256_castsi256_si128(q)), _mm256_cvtepi32_pd(_mm256_castsi256_si128(c)));
    __m256d high = _mm256_add_pd(_mm256_cvtepi32_pd(_mm256_extracti128_si256(q, 1)),
                                 _mm256_cvtepi32_pd(_mm256_extracti128_si256(c, 1)));
    __m256 rounded = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(low)), _mm256_cvtpd_ps(high), 1);
    return _mm256_mul_ps(rounded, power_of_two(back));
}

/* One block of K products for 16 pairs. */
static inline lanes block(lanes sum, row a, const float *b, const int8_t *b_exponents, unsigned length, int fraction)
{
    __m128i most = _mm_set1_epi8(INT8_MIN);
    for (unsigned k = 0; k < length; k++) {
        __m128i of_b = _mm_loadu_si128((const __m128i *)(const void *)(b_exponents + k * EB_FASTED_PANEL));
        most = _mm_max_epi8(most, _mm_adds_epi8(_mm_set1_epi8(a.exponents[k]), of_b));
    }
    __m256i largest_low = largest_exponent(most, sum.low), largest_high = largest_exponent(_mm_srli_si128(most, 8), sum.high);
    __m256i f = _mm256_set1_epi32(fraction);
    __m256 scale_low = power_of_two(_mm256_sub_epi32(f, largest_low)), scale_high = power_of_two(_mm256_sub_epi32(f, largest_high));
    __m256i q_low = _mm256_setzero_si256(), q_high = _mm256_setzero_si256();
    for (unsigned k = 0; k < length; k++) {
        __m256 of_a = _mm256_set1_ps(a.values[k]);
        __m256 low = _mm256_mul_ps(of_a, _mm256_loadu_ps(b + k * EB_FASTED_PANEL));
        __m256 high = _mm256_mul_ps(of_a, _mm256_loadu_ps(b + k * EB_FASTED_PANEL + 8));
        q_low = _mm256_add_epi32(q_low, _mm256_cvttps_epi32(_mm256_mul_ps(low, scale_low)));
        q_high = _mm256_add_epi32(q_high, _mm256_cvttps_epi32(_mm256_mul_ps(high, scale_high)));
    }
    __m256i c_low = _mm256_cvttps_epi32(_mm256_mul_ps(sum.low, scale_low));
    __m256i c_high = _mm256_cvttps_epi32(_mm256_mul_ps(sum.high, scale_high));
    int wide = length > 8;
    return (lanes){normalise(q_low, c_low, largest_low, fraction, wide), normalise(q_high, c_high, largest_high, fraction, wide)};
}

/* Constant lengths let the compiler unroll: one copy for each model. */
static inline lanes dot(row a, const float *b, const int8_t *b_exponents, size_t d_padded, unsigned length, int fraction)
{
    lanes sum = {_mm256_setzero_ps(), _mm256_setzero_ps()};
    for (size_t k = 0; k < d_padded; k += length) {
        row rest = {a.values + k, a.exponents + k};
        sum = block(sum, rest, b + k * EB_FASTED_PANEL, b_exponents + k * EB_FASTED_PANEL, length, fraction);
    }
    return sum;
}

/* Gathers one point's values and exponents out of its panel. */
static row take_row(const eb_fasted_points *p, size_t i, void *scratch)
{
    float *values = scratch;
    int8_t *exponents = (int8_t *)(values + p->d_padded);
    size_t start = i / EB_FASTED_PANEL * p->d_padded * EB_FASTED_PANEL + i % EB_FASTED_PANEL;
    for (size_t k = 0; k < p->d_padded; k++) {
        values[k] = p->values[start + k * EB_FASTED_PANEL];
        exponents[k] = p->exponents[start + k * EB_FASTED_PANEL];
    }
    return (row){values, exponents};
}

/* Runs wholly under round-toward-zero; not inlined, so that no arithmetic crosses the change of mode. */
static __attribute__((noinline)) void products_truncating(const eb_fasted_points *p, size_t i0, size_t ni, size_t j0, size_t nj,
                                                          double *products, void *scratch)
{
    for (size_t r = 0; r < ni; r++) {
        row a = take_row(p, i0 + r, scratch);
        for (size_t c = 0; c < nj; c += EB_FASTED_PANEL) {
            size_t start = (j0 + c) * p->d_padded; /* panel number · d_padded · 16 */
            lanes sum = p->model->block == 16 ? dot(a, p->values + start, p->exponents + start, p->d_padded, 16, 25)
                                              : dot(a, p->values + start, p->exponents + start, p->d_padded, 8, 24);
            float found[EB_FASTED_PANEL];
            _mm256_storeu_ps(found, sum.low);
            _mm256_storeu_ps(found + 8, sum.high);
            for (size_t x = 0; x < EB_FASTED_PANEL && c + x < nj; x++)
                products[r * nj + c + x] = (double)found[x];
        }
    }
}

void JOIN(eb_fasted_products, EB_ISA)(const eb_fasted_points *p, size_t i0, size_t ni, size_t j0, size_t nj, double *products,
                                      void *scratch)
{
    unsigned before = _mm_getcsr();
    _mm_setcsr((before & ~(unsigned)_MM_ROUND_MASK) | _MM_ROUND_TOWARD_ZERO);
    products_truncating(p, i0, ni, j0, nj, products, scratch);
    _mm_setcsr(before);
}

#else

/* Without wide vectors: the definition itself. */
void JOIN(eb_fasted_products, EB_ISA)(const eb_fasted_points *p, size_t i0, size_t ni, size_t j0, size_t nj, double *products,
                                      void *scratch)
{
    (void)scratch;
    for (size_t r = 0; r < ni; r++)
        for (size_t c = 0; c < nj; c++)
            products[r * nj + c] = (double)eb_tensor_dot(p->model, p->half + (i0 + r) * p->d_padded,
                                                         p->half + (j0 + c) * p->d_padded, p->d_padded);
}

#endif
