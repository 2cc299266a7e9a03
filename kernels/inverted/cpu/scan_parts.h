/* scan_parts: what the ways to look entries up have in common: decoding, adding, storing, for one instruction set. Only
 * scan_simd.c includes it.
 */
#ifndef EB_KERNELS_INVERTED_CPU_SCAN_PARTS_H
#define EB_KERNELS_INVERTED_CPU_SCAN_PARTS_H

#include "core/base/dtype.h"
#include "core/inverted/table.h"
#include "kernels/walk/vector.h"

/* An 8-bit entry as FP32's bits (format8.h); OCP's are not negative here, and a product makes normal numbers of their
 * subnormals. u8 stays as it is. */
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

/* Integers below 2^24 are floats. */
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

/* SCAN with format and sums known to the compiler. */
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

#endif
