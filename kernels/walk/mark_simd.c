/* mark: marks the values of a row that are within the limit, and counts marks. Compiled once per instruction set,
 * because at low d these scans cost as much as the distances themselves. */
#include "kernels/walk/tiles.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

/* The bits of 8 consecutive values. */
static inline uint64_t eight(const double *s, double limit)
{
#if defined(__AVX512F__)
    return _mm512_cmp_pd_mask(_mm512_loadu_pd(s), _mm512_set1_pd(limit), _CMP_LE_OQ);
#elif defined(__AVX2__)
    __m256d l = _mm256_set1_pd(limit);
    unsigned low = (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(_mm256_loadu_pd(s), l, _CMP_LE_OQ));
    unsigned high = (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(_mm256_loadu_pd(s + 4), l, _CMP_LE_OQ));
    return low | high << 4;
#elif defined(__SSE2__)
    __m128d l = _mm_set1_pd(limit);
    unsigned bits = 0;
    for (unsigned k = 0; k < 8; k += 2)
        bits |= (unsigned)_mm_movemask_pd(_mm_cmple_pd(_mm_loadu_pd(s + k), l)) << k;
    return bits;
#else
    unsigned bits = 0;
    for (unsigned k = 0; k < 8; k++)
        bits |= (unsigned)(s[k] <= limit) << k;
    return bits;
#endif
}

void JOIN(eb_tile_mark, EB_ISA)(const double *s, size_t count, double limit, uint64_t *bits)
{
    size_t j = 0;
    for (; j + 64 <= count; j += 64) {
        uint64_t word = 0;
        for (unsigned k = 0; k < 64; k += 8)
            word |= eight(s + j + k, limit) << k;
        bits[j / 64] = word;
    }
    if (j == count)
        return;
    uint64_t word = 0;
    unsigned k = 0;
    for (; j + k + 8 <= count; k += 8)
        word |= eight(s + j + k, limit) << k;
    for (; j + k < count; k++)
        word |= (uint64_t)(s[j + k] <= limit) << k;
    bits[j / 64] = word;
}

uint64_t JOIN(eb_tile_count, EB_ISA)(const uint64_t *bits, size_t words)
{
    uint64_t count = 0;
    for (size_t w = 0; w < words; w++)
        count += (uint64_t)__builtin_popcountll(bits[w]);
    return count;
}
