/* tensor_block: tensor_core.h's arithmetic written down product by product. This is the definition that products_simd.c
 * and the hardware are tested against; it also returns its steps. Header-only. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/fasted/cpu/tensor_core.h"

static inline uint32_t eb_tensor_bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float eb_tensor_float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* value = ±magnitude · 2^(exponent − fraction). The exponent is the one that the hardware aligns by. */
typedef struct eb_tensor_term {
    bool negative;
    uint64_t magnitude;
    int exponent;
    int fraction;
} eb_tensor_term;

/* Subnormals have the smallest exponent and no hidden bit: they are not normalised. */
static inline eb_tensor_term eb_tensor_product_term(uint16_t a, uint16_t b)
{
    int exponent_a = a >> 10 & 31, exponent_b = b >> 10 & 31;
    uint64_t significand_a = (a & 1023u) | (exponent_a ? 1024u : 0);
    uint64_t significand_b = (b & 1023u) | (exponent_b ? 1024u : 0);
    return (eb_tensor_term){.negative = (a ^ b) >> 15 != 0,
                            .magnitude = significand_a * significand_b,
                            .exponent = (exponent_a ? exponent_a : 1) - 15 + (exponent_b ? exponent_b : 1) - 15,
                            .fraction = 20};
}

static inline eb_tensor_term eb_tensor_sum_term(float c)
{
    uint32_t bits = eb_tensor_bits_of(c);
    int exponent = (int)(bits >> 23 & 255u);
    return (eb_tensor_term){.negative = bits >> 31 != 0,
                            .magnitude = (bits & 0x7fffffu) | (exponent ? 0x800000u : 0),
                            .exponent = (exponent ? exponent : 1) - 127,
                            .fraction = 23};
}

/* ---- NaN and infinity ---- */

static inline bool eb_tensor_half_is_nan(uint16_t h) { return (h & 0x7fffu) > 0x7c00u; }
static inline bool eb_tensor_half_is_inf(uint16_t h) { return (h & 0x7fffu) == 0x7c00u; }
static inline bool eb_tensor_half_is_zero(uint16_t h) { return (h & 0x7fffu) == 0; }

/* NaN anywhere, ∞·0 and ∞ − ∞ give NaN; otherwise ∞ gives ∞. Returns true if the block has such a result. */
static inline bool eb_tensor_special_result(unsigned block, float c, const uint16_t *a, const uint16_t *b,
                                            float *result)
{
    bool nan = isnan(c), plus = c == INFINITY, minus = c == -INFINITY;
    for (unsigned k = 0; k < block; k++) {
        bool infinite = eb_tensor_half_is_inf(a[k]) || eb_tensor_half_is_inf(b[k]), negative = (a[k] ^ b[k]) >> 15 != 0;
        nan = nan || eb_tensor_half_is_nan(a[k]) || eb_tensor_half_is_nan(b[k]) ||
              (infinite && (eb_tensor_half_is_zero(a[k]) || eb_tensor_half_is_zero(b[k])));
        plus = plus || (infinite && !negative);
        minus = minus || (infinite && negative);
    }
    if (nan || (plus && minus))
        *result = eb_tensor_float_of(0x7fffffffu);
    else if (plus || minus)
        *result = plus ? INFINITY : -INFINITY;
    return nan || plus || minus;
}

/* ---- aligning, summing, rounding ---- */

/* Truncates toward zero to `fraction` bits below 2^largest. Only a zero may have a larger exponent than `largest`. */
static inline int64_t eb_tensor_align(eb_tensor_term t, int largest, unsigned fraction)
{
    if (t.magnitude == 0)
        return 0;
    int shift = t.exponent - t.fraction + (int)fraction - largest;
    uint64_t q = shift >= 0 ? t.magnitude << shift : shift > -64 ? t.magnitude >> -shift : 0;
    return t.negative ? -(int64_t)q : (int64_t)q;
}

/* Returns sum · 2^scale, rounded toward zero to FP32, subnormals kept. Overflow would give ∞, but cannot happen: beside
 * a c near 2^128 terms are aligned to multiples of 2^102, and K products of FP16 stay below 2^36. */
static inline float eb_tensor_round_toward_zero(int64_t sum, int scale)
{
    if (sum == 0)
        return 0;
    uint32_t sign = sum < 0 ? 0x80000000u : 0;
    uint64_t magnitude = sum < 0 ? -(uint64_t)sum : (uint64_t)sum;
    int top = 63 - __builtin_clzll(magnitude), exponent = top + scale;
    if (exponent > 127)
        return eb_tensor_float_of(sign | 0x7f800000u);
    if (exponent < -126) {
        int shift = scale + 149; /* the last bit of a subnormal is 2^-149 */
        uint64_t fraction = shift >= 0 ? magnitude << shift : shift > -64 ? magnitude >> -shift : 0;
        return eb_tensor_float_of(sign | (uint32_t)fraction);
    }
    uint64_t significand = top >= 23 ? magnitude >> (top - 23) : magnitude << (23 - top);
    return eb_tensor_float_of(sign | (uint32_t)(exponent + 127) << 23 | ((uint32_t)significand & 0x7fffffu));
}

/* The steps of a block of finite terms: its products in order, then the previous sum. */
typedef struct eb_tensor_steps {
    bool any;    /* some term is not 0 */
    int largest; /* η */
    int64_t aligned[EB_TENSOR_BLOCK_MOST + 1], sum;
} eb_tensor_steps;

/* Aligns and sums the terms of a block. */
static inline eb_tensor_steps eb_tensor_steps_of(const eb_tensor_model *model, float c, const uint16_t *a,
                                                 const uint16_t *b)
{
    eb_tensor_steps steps = {.any = false};
    eb_tensor_term terms[EB_TENSOR_BLOCK_MOST + 1];
    for (unsigned k = 0; k < model->block; k++)
        terms[k] = eb_tensor_product_term(a[k], b[k]);
    terms[model->block] = eb_tensor_sum_term(c);
    for (unsigned k = 0; k <= model->block; k++) {
        if (terms[k].magnitude == 0)
            continue;
        steps.largest = !steps.any || terms[k].exponent > steps.largest ? terms[k].exponent : steps.largest;
        steps.any = true;
    }
    for (unsigned k = 0; k <= model->block && steps.any; k++) {
        steps.aligned[k] = eb_tensor_align(terms[k], steps.largest, model->fraction);
        steps.sum += steps.aligned[k];
    }
    return steps;
}

/* Returns c plus the K products a[k]·b[k] (FP16 bits) of one block. NaN results are 0x7fffffff. */
static inline float eb_tensor_block(const eb_tensor_model *model, float c, const uint16_t *a, const uint16_t *b)
{
    float special;
    if (eb_tensor_special_result(model->block, c, a, b, &special))
        return special;
    const eb_tensor_steps steps = eb_tensor_steps_of(model, c, a, b);
    return eb_tensor_round_toward_zero(steps.sum, steps.largest - (int)model->fraction);
}

/* Returns the inner product of two d-dimensional points: a chain of blocks, from c = 0. */
static inline float eb_tensor_dot(const eb_tensor_model *model, const uint16_t *a, const uint16_t *b, size_t d)
{
    float sum = 0;
    size_t k = 0;
    for (; k + model->block <= d; k += model->block)
        sum = eb_tensor_block(model, sum, a + k, b + k);
    if (k < d) {
        uint16_t last_a[EB_TENSOR_BLOCK_MOST] = {0}, last_b[EB_TENSOR_BLOCK_MOST] = {0};
        memcpy(last_a, a + k, (d - k) * sizeof *a);
        memcpy(last_b, b + k, (d - k) * sizeof *b);
        sum = eb_tensor_block(model, sum, last_a, last_b);
    }
    return sum;
}
