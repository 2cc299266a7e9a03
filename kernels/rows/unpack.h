/* unpack: the inner loops that unpack entries (packed.h), each compiled for several instruction sets (unpack_simd.c).
 * They read and write up to the next multiple of 32 entries. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct eb_unpack_kernels {
    void (*columns)(const uint16_t *low, const uint8_t *high, unsigned high_bits, size_t count, uint32_t *to);
    void (*f64)(const uint32_t *low, const uint16_t *middle, const uint8_t *high, uint64_t base, size_t count,
                uint64_t *to);
} eb_unpack_kernels;

#define EB_UNPACK_KERNELS(isa)                                                                                         \
    void eb_unpack_columns_##isa(const uint16_t *, const uint8_t *, unsigned, size_t, uint32_t *);                     \
    void eb_unpack_f64_##isa(const uint32_t *, const uint16_t *, const uint8_t *, uint64_t, size_t, uint64_t *);
EB_UNPACK_KERNELS(base)
EB_UNPACK_KERNELS(avx2)
EB_UNPACK_KERNELS(avx512)
#undef EB_UNPACK_KERNELS
