/* scan_simd: sums table entries, with a lane for each point and subspaces j ascending. An entry is gathered in its
 * stored format and becomes FP32 in the register, by the shift and addition of core/formats8/format8.h. */
#include "core/base/dtype.h"
#include "core/inverted/inverted.h"
#include "kernels/inverted/cpu/kernels.h"
#include "kernels/walk/vector.h"

/* ---- shared by all ways of looking entries up: decoding, adding, storing ---- */

/* An 8-bit entry as the bits of an FP32 number (format8.h). OCP's formats are non-negative here, and a product turns
 * their subnormals into normal numbers. u8 stays an integer. */
#if defined(__AVX512F__)
#define EB_SHIFT_LEFT(a, by) _mm512_slli_epi32((a), (by))
#elif defined(__AVX2__)
#define EB_SHIFT_LEFT(a, by) _mm256_slli_epi32((a), (by))
#endif

#if defined(EB_SHIFT_LEFT)
EB_INLINE eb_v32 eb_decoded(eb_table_format format, eb_v32 code)
{
    switch (format) {
    case EB_TABLE_E5M3: return eb_v32_add(EB_SHIFT_LEFT(code, 20), eb_v32_all(112u << 23));
    case EB_TABLE_E4M4: return eb_v32_add(EB_SHIFT_LEFT(code, 19), eb_v32_all(120u << 23));
    case EB_TABLE_E4M3: return eb_v32_times_f32(EB_SHIFT_LEFT(code, 20), eb_v32_all((120u + 127u) << 23));
    case EB_TABLE_E5M2: return eb_v32_times_f32(EB_SHIFT_LEFT(code, 21), eb_v32_all((112u + 127u) << 23));
    default: return code;
    }
}
#else
EB_INLINE uint32_t eb_decoded_one(eb_table_format format, uint32_t code)
{
    float x;
    switch (format) {
    case EB_TABLE_E5M3: return (code << 20) + (112u << 23);
    case EB_TABLE_E4M4: return (code << 19) + (120u << 23);
    case EB_TABLE_E4M3:
    case EB_TABLE_E5M2:
        code <<= format == EB_TABLE_E4M3 ? 20 : 21;
        memcpy(&x, &code, sizeof x);
        x *= format == EB_TABLE_E4M3 ? 0x1p120F : 0x1p112F;
        memcpy(&code, &x, sizeof x);
        return code;
    default: return code;
    }
}
#endif

/* FP32 rounded to FP16 and back. */
EB_INLINE eb_v32 eb_through_f16(eb_v32 a)
{
#if defined(__AVX512F__)
    return _mm512_castps_si512(_mm512_cvtph_ps(_mm512_cvtps_ph(_mm512_castsi512_ps(a), _MM_FROUND_TO_NEAREST_INT)));
#elif defined(__AVX2__)
    return _mm256_castps_si256(_mm256_cvtph_ps(_mm256_cvtps_ph(_mm256_castsi256_ps(a), _MM_FROUND_TO_NEAREST_INT)));
#else
    uint32_t bits[EB_LANES32];
    eb_v32_store(bits, a);
    for (size_t lane = 0; lane < EB_LANES32; lane++) {
        float x;
        memcpy(&x, &bits[lane], sizeof x);
        x = eb_half_to_float(eb_half_from_double((double)x));
        memcpy(&bits[lane], &x, sizeof x);
    }
    return eb_v32_load(bits);
#endif
}

EB_INLINE eb_v32 eb_summed(eb_table_format format, bool f16_sums, eb_v32 sum, eb_v32 entry)
{
    if (format == EB_TABLE_U8)
        return eb_v32_add(sum, entry);
    sum = eb_v32_add_f32(sum, entry);
    return f16_sums ? eb_through_f16(sum) : sum;
}

/* Integers below 2^24 are exact as floats. */
EB_INLINE void eb_store_sums(eb_table_format format, eb_v32 sum, float *to)
{
    uint32_t bits[EB_LANES32];
    if (format != EB_TABLE_U8) {
        eb_v32_store((uint32_t *)(void *)to, sum);
        return;
    }
    eb_v32_store(bits, sum);
    for (size_t lane = 0; lane < EB_LANES32; lane++)
        to[lane] = (float)bits[lane];
}

/* Calls `scan` with format and kind of sums as compile-time constants. */
#define EB_ONE_TABLE(scan, format, table, codes, blocks, sums)                                                         \
    case format:                                                                                                       \
        if ((table)->f16_sums)                                                                                         \
            scan(table, codes, blocks, format, true, sums);                                                            \
        else                                                                                                           \
            scan(table, codes, blocks, format, false, sums);                                                           \
        break
#define EB_TABLES8(scan, table, codes, blocks, sums)                                                                   \
    EB_ONE_TABLE(scan, EB_TABLE_E5M3, table, codes, blocks, sums);                                                     \
    EB_ONE_TABLE(scan, EB_TABLE_E4M4, table, codes, blocks, sums);                                                     \
    EB_ONE_TABLE(scan, EB_TABLE_E4M3, table, codes, blocks, sums);                                                     \
    EB_ONE_TABLE(scan, EB_TABLE_E5M2, table, codes, blocks, sums);                                                     \
    case EB_TABLE_U8: scan(table, codes, blocks, EB_TABLE_U8, false, sums); break;
#define EB_EACH_TABLE(scan, table, codes, blocks, sums)                                                                \
    switch ((table)->format) {                                                                                         \
        EB_ONE_TABLE(scan, EB_TABLE_F32, table, codes, blocks, sums);                                                  \
        EB_ONE_TABLE(scan, EB_TABLE_F16, table, codes, blocks, sums);                                                  \
        EB_TABLES8(scan, table, codes, blocks, sums)                                                                   \
    default: break;                                                                                                    \
    }

/* ---- ways of looking entries up ---- */

enum { VECTORS = EB_LIST_BLOCK / EB_LANES32 };

/* The entries of a table's row for a vector of codes, as bits of FP32 numbers; for u8 as integers. */
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

/* The entries of 64 codes: bits 0–6 choose an entry in both halves of the row, bit 7 chooses the half. */
EB_VBMI EB_INLINE __m512i entries_vbmi(const uint8_t *row, __m512i codes)
{
    const __m512i low = _mm512_permutex2var_epi8(_mm512_loadu_si512(row), codes, _mm512_loadu_si512(row + 64)),
                  high = _mm512_permutex2var_epi8(_mm512_loadu_si512(row + 128), codes, _mm512_loadu_si512(row + 192));
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(codes), low, high);
}

EB_VBMI EB_INLINE __m512i codes_of_pair(const uint8_t *a, const uint8_t *other)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(const void *)a)),
                              _mm256_loadu_si256((const __m256i *)(const void *)other), 1);
}

/* Scans two blocks side by side; of an odd number, the last block is scanned twice. */
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
            _mm_prefetch((const char *)a + 2 * block, _MM_HINT_T0);
            _mm_prefetch((const char *)other + 2 * block, _MM_HINT_T0);
            const __m512i entry =
                entries_vbmi((const uint8_t *)table->entry + j * EB_BOOK_ENTRIES, codes_of_pair(a, other));
            const __m128i part[4] = {_mm512_castsi512_si128(entry), _mm512_extracti32x4_epi32(entry, 1),
                                     _mm512_extracti32x4_epi32(entry, 2), _mm512_extracti32x4_epi32(entry, 3)};
            for (size_t v = 0; v < 4; v++)
                sum[v] = eb_summed(format, f16_sums, sum[v], eb_decoded(format, _mm512_cvtepu8_epi32(part[v])));
        }
        for (size_t v = 0; v < (pair ? 4 : 2); v++)
            eb_store_sums(format, sum[v], sums + v * EB_LANES32);
    }
}

/* ---- wider entries, byte by byte ---- */

#define RAMP8(from, by)                                                                                                \
    (from), (from) + (by), (from) + 2 * (by), (from) + 3 * (by), (from) + 4 * (by), (from) + 5 * (by),                 \
        (from) + 6 * (by), (from) + 7 * (by)
#define RAMP32(from, by)                                                                                               \
    RAMP8(from, by), RAMP8((from) + 8 * (by), by), RAMP8((from) + 16 * (by), by), RAMP8((from) + 24 * (by), by)

/* Positions of bytes in two registers. FP32: the bytes 0 of all 32 numbers, then their bytes 1; bytes 2, then bytes 3.
 * FP16: the bytes 0 of all 64 numbers; their bytes 1. */
static const uint8_t pick_f32[2][64] = {{RAMP32(0, 4), RAMP32(1, 4)}, {RAMP32(2, 4), RAMP32(3, 4)}};
static const uint8_t pick_f16[2][64] = {{RAMP32(0, 2), RAMP32(64, 2)}, {RAMP32(1, 2), RAMP32(65, 2)}};

/* A row's entries as planes of bytes: plane b has byte b of all 256 entries, in four registers. */
typedef struct planes {
    __m512i of[4][4];
} planes;

EB_VBMI EB_INLINE void planes_of_f32(const char *row, planes *plane)
{
    for (int q = 0; q < 4; q++, row += 256) {
        const __m512i a = _mm512_loadu_si512(row), b = _mm512_loadu_si512(row + 64), c = _mm512_loadu_si512(row + 128),
                      d = _mm512_loadu_si512(row + 192);
        for (int p = 0; p < 2; p++) {
            const __m512i pick = _mm512_loadu_si512(pick_f32[p]), first = _mm512_permutex2var_epi8(a, pick, b),
                          second = _mm512_permutex2var_epi8(c, pick, d);
            plane->of[2 * p][q] = _mm512_shuffle_i64x2(first, second, 0x44);
            plane->of[2 * p + 1][q] = _mm512_shuffle_i64x2(first, second, 0xee);
        }
    }
}

EB_VBMI EB_INLINE void planes_of_f16(const char *row, planes *plane)
{
    for (int q = 0; q < 4; q++, row += 128)
        for (int p = 0; p < 2; p++)
            plane->of[p][q] = _mm512_permutex2var_epi8(_mm512_loadu_si512(row), _mm512_loadu_si512(pick_f16[p]),
                                                       _mm512_loadu_si512(row + 64));
}

EB_VBMI EB_INLINE __m512i bytes_of(const __m512i plane[4], __m512i codes, __mmask64 upper)
{
    return _mm512_mask_blend_epi8(upper, _mm512_permutex2var_epi8(plane[0], codes, plane[1]),
                                  _mm512_permutex2var_epi8(plane[2], codes, plane[3]));
}

/* 64 entries as four registers of FP32. Unpacking works within quarters of a register, so the codes come transposed: of
 * sixteen groups of four points, group 4i + k stands at position (k, i). */
EB_VBMI EB_INLINE void wide_entries(eb_table_format format, const planes *plane, __m512i codes, __m512i out[4])
{
    const __mmask64 upper = _mm512_movepi8_mask(codes);
    const __m512i b0 = bytes_of(plane->of[0], codes, upper), b1 = bytes_of(plane->of[1], codes, upper),
                  low = _mm512_unpacklo_epi8(b0, b1), high = _mm512_unpackhi_epi8(b0, b1);
    if (format == EB_TABLE_F16) {
        const __m512i none = _mm512_setzero_si512(), half[4] = {
                                                         _mm512_unpacklo_epi16(low, none),
                                                         _mm512_unpackhi_epi16(low, none),
                                                         _mm512_unpacklo_epi16(high, none),
                                                         _mm512_unpackhi_epi16(high, none),
                                                     };
        for (int v = 0; v < 4; v++)
            out[v] = _mm512_castps_si512(_mm512_cvtph_ps(_mm512_cvtepi32_epi16(half[v])));
        return;
    }
    const __m512i b2 = bytes_of(plane->of[2], codes, upper), b3 = bytes_of(plane->of[3], codes, upper),
                  low2 = _mm512_unpacklo_epi8(b2, b3), high2 = _mm512_unpackhi_epi8(b2, b3);
    out[0] = _mm512_unpacklo_epi16(low, low2);
    out[1] = _mm512_unpackhi_epi16(low, low2);
    out[2] = _mm512_unpacklo_epi16(high, high2);
    out[3] = _mm512_unpackhi_epi16(high, high2);
}

/* Blocks scanned together for each subspace. If m is a power of two, so is the distance of blocks, which then fall into
 * few sets of the L1 cache; 16 blocks still fit. */
enum { TOGETHER = 16 };

/* Scans TOGETHER blocks subspace by subspace: the subspace's planes stay in registers, the blocks' sums are in memory.
 * The prefetched codes of the subspace after the next are on another cache line. */
EB_VBMI EB_INLINE void scan_together(const eb_lookup_table *table, const uint8_t *codes, size_t blocks,
                                     eb_table_format format, bool f16_sums, float *sums)
{
    const __m512i turned = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const size_t block = table->m * EB_LIST_BLOCK, row = EB_BOOK_ENTRIES * eb_table_entry_bytes(format);
    memset(sums, 0, blocks * EB_LIST_BLOCK * sizeof *sums);
    for (size_t j = 0; j < table->m; j++) {
        planes plane;
        __m512i entry[4];
        if (format == EB_TABLE_F32)
            planes_of_f32((const char *)table->entry + j * row, &plane);
        else
            planes_of_f16((const char *)table->entry + j * row, &plane);
        for (size_t b = 0; b < blocks; b += 2) {
            const uint8_t *at = codes + b * block + j * EB_LIST_BLOCK;
            const bool pair = b + 1 < blocks;
            const uint8_t *other = pair ? at + block : at;
            _mm_prefetch((const char *)at + 4 * EB_LIST_BLOCK, _MM_HINT_T0);
            _mm_prefetch((const char *)other + 4 * EB_LIST_BLOCK, _MM_HINT_T0);
            wide_entries(format, &plane, _mm512_permutexvar_epi32(turned, codes_of_pair(at, other)), entry);
            for (size_t v = 0; v < (pair ? 4 : 2); v++) {
                uint32_t *to = (uint32_t *)(void *)(sums + b * EB_LIST_BLOCK + v * EB_LANES32);
                eb_v32_store(to, eb_summed(format, f16_sums, eb_v32_load(to), entry[v]));
            }
        }
    }
}

EB_VBMI EB_INLINE void scan_wide(const eb_lookup_table *table, const uint8_t *codes, size_t blocks,
                                 eb_table_format format, bool f16_sums, float *sums)
{
    for (size_t b = 0; b < blocks; b += TOGETHER)
        scan_together(table, codes + b * table->m * EB_LIST_BLOCK, blocks - b < TOGETHER ? blocks - b : TOGETHER,
                      format, f16_sums, sums + b * EB_LIST_BLOCK);
}

EB_VBMI void eb_table_scan_vbmi(const eb_lookup_table *table, const uint8_t *codes, size_t blocks, float *sums)
{
    switch (table->format) {
        EB_ONE_TABLE(scan_wide, EB_TABLE_F32, table, codes, blocks, sums);
        EB_ONE_TABLE(scan_wide, EB_TABLE_F16, table, codes, blocks, sums);
        EB_TABLES8(scan_vbmi, table, codes, blocks, sums)
    default: break;
    }
}

#endif
