/* unpack_simd: unpacks entries (unpack.h). The compiler makes vectors of these loops. */
#include "kernels/rows/unpack.h"
#include "kernels/walk/vector.h"

void EB_FOR_ISA(eb_unpack_columns)(const uint16_t *restrict low, const uint8_t *restrict high, unsigned high_bits,
                                   size_t count, uint32_t *restrict to)
{
    if (high_bits == 0)
        for (size_t k = 0; k < count; k++)
            to[k] = low[k];
    else if (high_bits == 8)
        for (size_t k = 0; k < count; k++)
            to[k] = low[k] | (uint32_t)high[k] << 16;
    else
        for (; count > 0; low += 32, high += 16, to += 32, count = count > 32 ? count - 32 : 0)
            for (size_t j = 0; j < 16; j++) {
                to[j] = low[j] | (high[j] & 15u) << 16;
                to[16 + j] = low[16 + j] | (uint32_t)(high[j] >> 4) << 16;
            }
}

void EB_FOR_ISA(eb_unpack_f64)(const uint32_t *restrict low, const uint16_t *restrict middle,
                               const uint8_t *restrict high, uint64_t base, size_t count, uint64_t *restrict to)
{
    for (size_t k = 0; k < count; k++) {
        const uint64_t code = low[k] | (uint64_t)middle[k] << 32 | (uint64_t)high[k] << 48;
        to[k] = code ? base + code : 0;
    }
}
