/* half_blocks: the definition of the tensor core (kernels/tensor/adder.h) for points in FP16 bits, with FP32 sums.
 * Header-only. */
#pragma once

#include "core/base/dtype.h"
#include "kernels/tensor/adder.h"

static inline eb_adder half_adder(eb_core core)
{
    eb_adder adder = {.block = 0};
    (void)eb_adder_of(EB_F16_NUMBER, EB_SUMS_F32, EB_PATH_AUTO, core, &adder, NULL);
    return adder;
}

/* c plus one block of products. */
static inline float half_block(const eb_adder *adder, float c, const uint16_t *a, const uint16_t *b)
{
    eb_operand x[EB_MOST_BLOCK], y[EB_MOST_BLOCK];
    for (unsigned k = 0; k < adder->block; k++) {
        x[k] = eb_operand_of(EB_F16_NUMBER, eb_half_to_float(a[k]));
        y[k] = eb_operand_of(EB_F16_NUMBER, eb_half_to_float(b[k]));
    }
    return eb_adder_block(adder, c, x, y);
}

/* A chain of blocks from 0, the last one padded with zeros. */
static inline float half_dot(const eb_adder *adder, const uint16_t *a, const uint16_t *b, size_t d)
{
    float sum = 0;
    for (size_t k = 0; k < d; k += adder->block) {
        uint16_t x[EB_MOST_BLOCK] = {0}, y[EB_MOST_BLOCK] = {0};
        for (size_t i = 0; i < adder->block && k + i < d; i++) {
            x[i] = a[k + i];
            y[i] = b[k + i];
        }
        sum = half_block(adder, sum, x, y);
    }
    return sum;
}
