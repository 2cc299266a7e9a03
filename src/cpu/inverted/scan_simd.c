/* Sums of table entries: lanes are points, j goes up. An entry is gathered as it is stored and becomes FP32 there, by
 * the shift and addition of format8.h. */
#include "core/base/dtype.h"
#include "core/inverted/inverted.h"
#include "cpu/inverted/kernels.h"
#include "cpu/inverted/scan_parts.h"

enum { VECTORS = EB_LIST_BLOCK / EB_LANES32 };

/* What the table's row has for so many codes, as FP32's bits; of u8 as integers. */
EB_INLINE eb_v32 entries(eb_table_format format, const void *row, const uint8_t *codes)
{
#if defined(__AVX512F__)
    const __m512i at = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)codes));
    if (format == EB_TABLE_F32)
        return _mm512_i32gather_epi32(at, row, 4);
    if (format == EB_TABLE_F16)
        return _mm512_castps_si512(_mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_i32gather_epi32(at, row, 2))));
    return eb_decoded(format, _mm512_and_si512(_mm512_i32gather_epi32(at, row, 1), _mm512_set1_epi32(255)));
#elif defined(__AVX2__)
    const __m256i at = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)codes));
    if (format == EB_TABLE_F32)
        return _mm256_i32gather_epi32(row, at, 4);
    if (format == EB_TABLE_F16) {
        const __m256i half = _mm256_and_si256(_mm256_i32gather_epi32(row, at, 2), _mm256_set1_epi32(0xffff));
        const __m128i packed = _mm_packus_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
        return _mm256_castps_si256(_mm256_cvtph_ps(packed));
    }
    return eb_decoded(format, _mm256_and_si256(_mm256_i32gather_epi32(row, at, 1), _mm256_set1_epi32(255)));
#else
    uint32_t bits[EB_LANES32];
    for (size_t lane = 0; lane < EB_LANES32; lane++) {
        float x;
        if (format == EB_TABLE_F32)
            memcpy(&bits[lane], (const float *)row + codes[lane], sizeof(float));
        else if (format == EB_TABLE_F16) {
            x = eb_half_to_float(((const uint16_t *)row)[codes[lane]]);
            memcpy(&bits[lane], &x, sizeof x);
        } else
            bits[lane] = eb_decoded_one(format, ((const uint8_t *)row)[codes[lane]]);
    }
    return eb_v32_load(bits);
#endif
}

EB_INLINE void scan(const eb_lookup_table *table, const uint8_t *codes, size_t blocks, eb_table_format format,
                    bool f16_sums, float *sums)
{
    const size_t row = EB_BOOK_ENTRIES * eb_table_entry_bytes(format);
    for (size_t b = 0; b < blocks; b++) {
        eb_v32 sum[VECTORS];
        for (size_t v = 0; v < VECTORS; v++)
            sum[v] = eb_v32_all(0);
        for (size_t j = 0; j < table->m; j++, codes += EB_LIST_BLOCK)
            for (size_t v = 0; v < VECTORS; v++)
                sum[v] = eb_summed(format, f16_sums, sum[v],
                                   entries(format, (const char *)table->entry + j * row, codes + v * EB_LANES32));
        for (size_t v = 0; v < VECTORS; v++)
            eb_store_sums(format, sum[v], sums + b * EB_LIST_BLOCK + v * EB_LANES32);
    }
}

void EB_FOR_ISA(eb_table_scan)(const eb_lookup_table *table, const uint8_t *codes, size_t blocks, float *sums)
{
    EB_EACH_TABLE(scan, table, codes, blocks, sums);
}

size_t EB_FOR_ISA(eb_table_select)(const float *sums, size_t count, float limit, uint32_t *out)
{
    size_t found = 0, k = 0;
    uint32_t bits;
    memcpy(&bits, &limit, sizeof bits);
    for (; k + EB_LANES32 <= count; k += EB_LANES32) {
        unsigned lanes =
            eb_v32_not_above_f32(eb_v32_load((const uint32_t *)(const void *)(sums + k)), eb_v32_all(bits));
        for (; lanes; lanes &= lanes - 1)
            out[found++] = (uint32_t)k + (uint32_t)__builtin_ctz(lanes);
    }
    for (; k < count; k++)
        if (sums[k] <= limit)
            out[found++] = (uint32_t)k;
    return found;
}

#if defined(__AVX512F__)

#define EB_VBMI __attribute__((target("avx512vbmi")))

/* Of 64 codes the entries: bits 0–6 choose in either half of the row, bit 7 the half. */
EB_VBMI EB_INLINE __m512i entries_vbmi(const uint8_t *row, __m512i codes)
{
    const __m512i low = _mm512_permutex2var_epi8(_mm512_loadu_si512(row), codes, _mm512_loadu_si512(row + 64)),
                  high = _mm512_permutex2var_epi8(_mm512_loadu_si512(row + 128), codes, _mm512_loadu_si512(row + 192));
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(codes), low, high);
}

/* Two blocks side by side; the last of an odd number beside itself. */
EB_VBMI EB_INLINE void scan_vbmi(const eb_lookup_table *table, const uint8_t *codes, size_t blocks,
                                 eb_table_format format, bool f16_sums, float *sums)
{
    const size_t block = table->m * EB_LIST_BLOCK;
    for (size_t b = 0; b < blocks; b += 2, codes += 2 * block, sums += 2 * EB_LIST_BLOCK) {
        const bool pair = b + 1 < blocks;
        const uint8_t *a = codes, *other = pair ? codes + block : codes;
        __m512i sum[4] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(),
                          _mm512_setzero_si512()};
        for (size_t j = 0; j < table->m; j++, a += EB_LIST_BLOCK, other += EB_LIST_BLOCK) {
            const __m512i both =
                _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(const void *)a)),
                                   _mm256_loadu_si256((const __m256i *)(const void *)other), 1);
            const __m512i entry = entries_vbmi((const uint8_t *)table->entry + j * EB_BOOK_ENTRIES, both);
            const __m128i part[4] = {_mm512_castsi512_si128(entry), _mm512_extracti32x4_epi32(entry, 1),
                                     _mm512_extracti32x4_epi32(entry, 2), _mm512_extracti32x4_epi32(entry, 3)};
            for (size_t v = 0; v < 4; v++)
                sum[v] = eb_summed(format, f16_sums, sum[v], eb_decoded(format, _mm512_cvtepu8_epi32(part[v])));
        }
        for (size_t v = 0; v < (pair ? 4 : 2); v++)
            eb_store_sums(format, sum[v], sums + v * EB_LANES32);
    }
}

EB_VBMI void eb_table_scan_vbmi(const eb_lookup_table *table, const uint8_t *codes, size_t blocks, float *sums)
{
    if (table->format == EB_TABLE_F32 || table->format == EB_TABLE_F16)
        eb_table_scan_avx512(table, codes, blocks, sums);
    else
        EB_EACH_TABLE8(scan_vbmi, table, codes, blocks, sums);
}

#endif
