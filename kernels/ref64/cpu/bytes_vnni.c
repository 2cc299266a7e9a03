/* The kernels of panels_simd.h for bytes: four products a lane by one instruction, VPDPBUSD. It multiplies unsigned by
 * signed bytes. So 128 is added to the rows' values, and the columns' terms take the surplus out (eb_integer_points).
 */
#include "kernels/ref64/cpu/panels_simd.h"

void eb_ref64_select_i8_vnni(const eb_integer_points *points, uint32_t limit, const eb_place *place, uint64_t *bits,
                             void *scratch)
{
    select_integers(BYTE_QUADS, points, limit, place, bits, scratch);
}

void eb_ref64_measure_i8_vnni(const eb_integer_points *points, const uint32_t *rows, size_t m, size_t j0, size_t nj,
                              double *const *s, void *scratch)
{
    measure_integers(BYTE_QUADS, points, rows, m, j0, nj, s, scratch);
}

void eb_ref64_filter_i8_vnni(const eb_panels *points, const uint32_t *rows, const uint32_t *row, const uint32_t *column,
                             const eb_place *place, uint64_t *bits, void *scratch)
{
    tile t = tile_in(points, row, column, place, scratch);
    t.anywhere = rows;
    t.bits = bits;
    select_pairs(LEVELS, &t);
}

/* Σ(x − y)² in FP32. No term is negative, so that its relative error is below (d + 32)·2^-24, and its absolute one
 * below d·2^-149 where it is subnormal. */
EB_INLINE float squared_f32(const float *x, const float *y, size_t d)
{
    __m512 sum[4] = {_mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps()};
    size_t k = 0;
    for (; k + 64 <= d; k += 64)
#pragma GCC unroll 4
        for (size_t v = 0; v < 4; v++) {
            const __m512 off = _mm512_sub_ps(_mm512_loadu_ps(x + k + 16 * v), _mm512_loadu_ps(y + k + 16 * v));
            sum[v] = _mm512_fmadd_ps(off, off, sum[v]);
        }
    for (; k < d; k += 16) {
        const __mmask16 some = d - k < 16 ? (__mmask16)((1u << (d - k)) - 1) : 0xffff;
        const __m512 off = _mm512_sub_ps(_mm512_maskz_loadu_ps(some, x + k), _mm512_maskz_loadu_ps(some, y + k));
        sum[0] = _mm512_fmadd_ps(off, off, sum[0]);
    }
    return _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(sum[0], sum[1]), _mm512_add_ps(sum[2], sum[3])));
}

size_t eb_ref64_keep_near_vnni(const eb_dataset *ds, uint32_t *rows, uint32_t *columns, const double *limit,
                               size_t count)
{
    const double more = 1 + ((double)ds->d + 64) * 0x1p-23 * EB_NEAREST_LOSS, least = (double)ds->d * 0x1p-140;
    size_t kept = 0;
    for (size_t c = 0; c < count; c++) {
        const float *x = (const float *)(const void *)eb_row(ds, rows[c]),
                    *y = (const float *)(const void *)eb_row(ds, columns[c]);
        if (limit[c] < 0x1p120 && (double)squared_f32(x, y, ds->d) > limit[c] * more + least)
            continue;
        rows[kept] = rows[c];
        columns[kept++] = columns[c];
    }
    return kept;
}

void eb_ref64_lay_bytes_vnni(const unsigned char *row, unsigned char flip, size_t d, uint32_t *panel, uint32_t *norm,
                             int32_t *sum)
{
    const size_t whole = d / 4;
    uint32_t lane, last = 0;
    int32_t squares = 0, all = 0;
    for (size_t k = 0; k < whole; k++) {
        memcpy(&lane, row + 4 * k, sizeof lane);
        panel[k * EB_PANEL] = lane ^ flip * 0x01010101u;
    }
    for (size_t k = 4 * whole; k < d; k++)
        last |= (uint32_t)(row[k] ^ flip) << 8 * (k % 4);
    if (d % 4 != 0)
        panel[whole * EB_PANEL] = last;
    for (size_t k = 0; k < d; k++) {
        const int32_t x = (row[k] ^ flip ^ 0x80) - 128; /* the byte as int8 */
        squares += x * x;                               /* at most 65536 · 2^14 */
        all += x;
    }
    *norm = (uint32_t)squares;
    *sum = all;
}

/* y of eight coordinates, and the integers near them, as eb_quantised_near finds them: NaN becomes the least. */
EB_INLINE __m512d scaled(const double *x, const double *centre, double scale)
{
    return _mm512_mul_pd(_mm512_sub_pd(_mm512_loadu_pd(x), _mm512_loadu_pd(centre)), _mm512_set1_pd(scale));
}

EB_INLINE __m512d near_of(__m512d y)
{
    const __m512d least = _mm512_set1_pd(-EB_QUANTISED_LEVELS), most = _mm512_set1_pd(EB_QUANTISED_LEVELS);
    return _mm512_roundscale_pd(_mm512_min_pd(_mm512_max_pd(y, least), most), _MM_FROUND_TO_NEAREST_INT);
}

void eb_ref64_quantise_vnni(const double *x, const double *centre, double scale, size_t d, int8_t *q,
                            eb_quantised_sums *sums, int32_t *sum)
{
    __m512d error = _mm512_setzero_pd(), length = error;
    __m256i square = _mm256_setzero_si256(), all = square;
    const size_t whole = d / 8 * 8;
    for (size_t k = 0; k < whole; k += 8) {
        const __m512d y = scaled(x + k, centre + k, scale), near = near_of(y), off = _mm512_sub_pd(y, near);
        const __m256i value = _mm512_cvtpd_epi32(near);
        error = _mm512_fmadd_pd(off, off, error);
        length = _mm512_fmadd_pd(y, y, length);
        square = _mm256_add_epi32(square, _mm256_mullo_epi32(value, value));
        all = _mm256_add_epi32(all, value);
        _mm_storel_epi64((__m128i *)(void *)(q + k), _mm256_cvtepi32_epi8(value));
    }
    const __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512(square), all, 1);
    *sums = (eb_quantised_sums){.error = _mm512_reduce_add_pd(error),
                                .length = _mm512_reduce_add_pd(length),
                                .square = _mm512_mask_reduce_add_epi32(0x00ff, both)};
    *sum = _mm512_mask_reduce_add_epi32(0xff00, both);
    for (size_t k = whole; k < d; k++) {
        const double y = (x[k] - centre[k]) * scale, near = eb_quantised_near(y);
        eb_quantised_add(sums, y, near);
        q[k] = (int8_t)near;
        *sum += q[k];
    }
}
