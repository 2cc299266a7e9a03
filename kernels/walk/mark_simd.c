/* mark: marks the values of a row that are within the limit, and counts marks. Compiled once per instruction set,
 * because at low d these scans cost as much as the distances themselves. */
#include "kernels/walk/tiles.h"
#include "kernels/walk/vector.h"

/* The bits of 8 consecutive values. */
static inline uint64_t eight(const double *s, double limit)
{
    uint64_t bits = 0;
#pragma GCC unroll 8
    for (unsigned k = 0; k < 8; k += EB_LANES64)
        bits |= (uint64_t)eb_v64_not_above(eb_v64_load(s + k), eb_v64_all(limit)) << k;
    return bits;
}

void EB_FOR_ISA(eb_tile_mark)(const double *s, size_t count, double limit, uint64_t *bits)
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

uint64_t EB_FOR_ISA(eb_tile_count)(const uint64_t *bits, size_t words)
{
    uint64_t count = 0;
    for (size_t w = 0; w < words; w++)
        count += (uint64_t)__builtin_popcountll(bits[w]);
    return count;
}
