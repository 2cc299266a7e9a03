/* rows_simd: the kernels take, roots and rank, which turn marks into rows. */
#include <math.h>

#include "kernels/boxes/cpu/kernels.h"
#include "kernels/walk/vector.h"

enum { RANKED_AT_ONCE = 4 }; /* vectors of columns */

#if defined(__AVX512F__)
EB_INLINE size_t take_leaf(const double *values, size_t d, const double *query, const uint32_t *point, uint32_t lanes,
                           uint32_t *columns, double *s)
{
    size_t count = 0;
    for (; lanes; lanes >>= EB_LANES64, values += EB_LANES64, point += EB_LANES64) {
        const __mmask8 wanted = (__mmask8)lanes;
        if (!wanted)
            continue;
        eb_v64 sum = eb_v64_all(0);
        for (size_t k = 0; k < d; k++)
            sum = eb_v64_square_add(eb_v64_sub(eb_v64_all(query[k]), eb_v64_load(values + k * EB_LEAF)), sum);
        const __m256i points = _mm256_loadu_si256((const __m256i *)(const void *)point);
        eb_v64_store(s + count, _mm512_maskz_compress_pd(wanted, sum));
        _mm256_storeu_si256((__m256i *)(void *)(columns + count), _mm256_maskz_compress_epi32(wanted, points));
        count += (unsigned)__builtin_popcount(wanted);
    }
    return count;
}
#else
#if EB_V64_FMA
EB_INLINE void sums_of(const double *values, size_t d, const double *query, uint32_t lanes, double *s)
{
    for (size_t at = 0; lanes >> at; at += EB_LANES64) {
        eb_v64 sum = eb_v64_all(0);
        for (size_t k = 0; k < d; k++)
            sum = eb_v64_square_add(eb_v64_sub(eb_v64_all(query[k]), eb_v64_load(values + k * EB_LEAF + at)), sum);
        eb_v64_store(s + at, sum);
        if (at + EB_LANES64 >= EB_LEAF)
            break;
    }
}
#else
EB_INLINE void sums_of(const double *values, size_t d, const double *query, uint32_t lanes, double *s)
{
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(lanes);
        s[lane] = 0;
        for (size_t k = 0; k < d; k++) {
            const double t = query[k] - values[k * EB_LEAF + lane];
            s[lane] = fma(t, t, s[lane]);
        }
    }
}
#endif

EB_INLINE size_t take_leaf(const double *values, size_t d, const double *query, const uint32_t *point, uint32_t lanes,
                           uint32_t *columns, double *s)
{
    double sums[EB_LEAF];
    size_t count = 0;
    sums_of(values, d, query, lanes, sums);
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(lanes);
        columns[count] = point[lane];
        s[count++] = sums[lane];
    }
    return count;
}
#endif

EB_INLINE size_t take_all(const eb_leaves *leaves, size_t d, const double *query, const eb_mark *marks, size_t count,
                          uint32_t *columns, double *s)
{
    size_t taken = 0;
    for (size_t k = 0; k < count; k++) {
        const size_t leaf = marks[k].leaf;
        if (marks[k].lanes == 0) /* a row without points may have no room for what take_leaf writes */
            continue;
        taken += take_leaf(leaves->values + leaf * d * EB_LEAF, d, query, leaves->point + leaf * EB_LEAF,
                           marks[k].lanes, columns + taken, s + taken);
    }
    return taken;
}

size_t EB_FOR_ISA(eb_boxes_take)(const eb_leaves *leaves, const double *query, const eb_mark *marks, size_t count,
                                 uint32_t *columns, double *s)
{
    switch (leaves->d) {
    case 1: return take_all(leaves, 1, query, marks, count, columns, s);
    case 2: return take_all(leaves, 2, query, marks, count, columns, s);
    case 3: return take_all(leaves, 3, query, marks, count, columns, s);
    case 4: return take_all(leaves, 4, query, marks, count, columns, s);
    default: return take_all(leaves, leaves->d, query, marks, count, columns, s);
    }
}

void EB_FOR_ISA(eb_boxes_roots)(double *s, size_t count, double unit)
{
    const eb_v64 units = eb_v64_all(unit);
    for (size_t k = 0; k < count; k += EB_LANES64)
        eb_v64_store(s + k, eb_v64_times(units, eb_v64_root(eb_v64_load(s + k))));
}

/* Compares the columns of some vectors with all columns, one addition per comparison. For rows of some dozens of
 * entries no branching sort is faster. */
EB_INLINE void rank_vectors(const uint32_t *columns, size_t count, size_t first, size_t vectors, uint32_t *rank)
{
    eb_v32 mine[RANKED_AT_ONCE], less[RANKED_AT_ONCE];
#pragma GCC unroll 4
    for (size_t v = 0; v < vectors; v++) {
        mine[v] = eb_v32_load(columns + first + v * EB_LANES32);
        less[v] = eb_v32_all(0);
    }
    for (size_t j = 0; j < count; j++) {
        const eb_v32 column = eb_v32_all(columns[j]);
#pragma GCC unroll 4
        for (size_t v = 0; v < vectors; v++)
            less[v] = eb_v32_count_less(less[v], column, mine[v]);
    }
#pragma GCC unroll 4
    for (size_t v = 0; v < vectors; v++)
        eb_v32_store(rank + first + v * EB_LANES32, less[v]);
}

void EB_FOR_ISA(eb_boxes_rank)(uint32_t *columns, size_t count, uint32_t *rank)
{
    for (size_t k = count; k % 16; k++)
        columns[k] = 0;
    size_t first = 0;
    for (; first + (RANKED_AT_ONCE - 1) * EB_LANES32 < count; first += RANKED_AT_ONCE * EB_LANES32)
        rank_vectors(columns, count, first, RANKED_AT_ONCE, rank);
    for (; first < count; first += EB_LANES32)
        rank_vectors(columns, count, first, 1, rank);
}
