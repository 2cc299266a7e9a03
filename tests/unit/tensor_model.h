/* tensor_model: what tensor_core.h describes, written down as it stands there, product by product: the definition that
 * the fast copy in products_simd.c and the hardware are held to. Header-only. */
#ifndef EB_TESTS_TENSOR_MODEL_H
#define EB_TESTS_TENSOR_MODEL_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "cpu/fasted/tensor_core.h"

static const eb_tensor_model tensor_v100 = {.name = "v100", .block = 4, .fraction = 23}; /* m8n8k4 */

static inline uint32_t tensor_bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float tensor_float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* value = ±magnitude · 2^(exponent − fraction bits), the exponent as the hardware aligns by it. */
typedef struct tensor_term {
    bool negative;
    uint64_t magnitude;
    int exponent;
    int fraction;
} tensor_term;

/* Subnormals keep the smallest exponent and lack the hidden bit: they are not normalised. */
static inline tensor_term tensor_product_term(uint16_t a, uint16_t b)
{
    int exponent_a = a >> 10 & 31, exponent_b = b >> 10 & 31;
    uint64_t significand_a = (a & 1023u) | (exponent_a ? 1024u : 0);
    uint64_t significand_b = (b & 1023u) | (exponent_b ? 1024u : 0);
    return (tensor_term){.negative = (a ^ b) >> 15 != 0,
                         .magnitude = significand_a * significand_b,
                         .exponent = (exponent_a ? exponent_a : 1) - 15 + (exponent_b ? exponent_b : 1) - 15,
                         .fraction = 20};
}

static inline tensor_term tensor_sum_term(float c)
{
    uint32_t bits = tensor_bits_of(c);
    int exponent = (int)(bits >> 23 & 255u);
    return (tensor_term){.negative = bits >> 31 != 0,
                         .magnitude = (bits & 0x7fffffu) | (exponent ? 0x800000u : 0),
                         .exponent = (exponent ? exponent : 1) - 127,
                         .fraction = 23};
}

/* ---- what is not finite ---- */

static inline bool tensor_half_is_nan(uint16_t h) { return (h & 0x7fffu) > 0x7c00u; }
static inline bool tensor_half_is_inf(uint16_t h) { return (h & 0x7fffu) == 0x7c00u; }
static inline bool tensor_half_is_zero(uint16_t h) { return (h & 0x7fffu) == 0; }

/* NaN anywhere, ∞·0 or ∞ − ∞ make NaN; else ∞ wins. Returns whether the block has such a result. */
static inline bool tensor_special_result(unsigned block, float c, const uint16_t *a, const uint16_t *b, float *result)
{
    bool nan = isnan(c), plus = c == INFINITY, minus = c == -INFINITY;
    for (unsigned k = 0; k < block; k++) {
        bool infinite = tensor_half_is_inf(a[k]) || tensor_half_is_inf(b[k]), negative = (a[k] ^ b[k]) >> 15 != 0;
        nan = nan || tensor_half_is_nan(a[k]) || tensor_half_is_nan(b[k]) ||
              (infinite && (tensor_half_is_zero(a[k]) || tensor_half_is_zero(b[k])));
        plus = plus || (infinite && !negative);
        minus = minus || (infinite && negative);
    }
    if (nan || (plus && minus))
        *result = tensor_float_of(0x7fffffffu);
    else if (plus || minus)
        *result = plus ? INFINITY : -INFINITY;
    return nan || plus || minus;
}

/* ---- aligning, summing, rounding ---- */

/* Truncated toward zero to `fraction` bits below 2^largest. Only a zero may have a larger exponent. */
static inline int64_t tensor_align(tensor_term t, int largest, unsigned fraction)
{
    if (t.magnitude == 0)
        return 0;
    int shift = t.exponent - t.fraction + (int)fraction - largest;
    uint64_t q = shift >= 0 ? t.magnitude << shift : shift > -64 ? t.magnitude >> -shift : 0;
    return t.negative ? -(int64_t)q : (int64_t)q;
}

/* sum · 2^scale, rounded toward zero to FP32, subnormals kept. What is too large would become ∞, but nothing is:
 * beside a c near 2^128 terms are aligned to multiples of 2^102, and K products of FP16 stay below 2^36. */
static inline float tensor_round_toward_zero(int64_t sum, int scale)
{
    if (sum == 0)
        return 0;
    uint32_t sign = sum < 0 ? 0x80000000u : 0;
    uint64_t magnitude = sum < 0 ? -(uint64_t)sum : (uint64_t)sum;
    int top = 63 - __builtin_clzll(magnitude), exponent = top + scale;
    if (exponent > 127)
        return tensor_float_of(sign | 0x7f800000u);
    if (exponent < -126) {
        int shift = scale + 149; /* the last bit of a subnormal is 2^-149 */
        uint64_t fraction = shift >= 0 ? magnitude << shift : shift > -64 ? magnitude >> -shift : 0;
        return tensor_float_of(sign | (uint32_t)fraction);
    }
    uint64_t significand = top >= 23 ? magnitude >> (top - 23) : magnitude << (23 - top);
    return tensor_float_of(sign | (uint32_t)(exponent + 127) << 23 | ((uint32_t)significand & 0x7fffffu));
}

/* One block: K products a[k]·b[k] (FP16 bits) on top of c. NaN results are 0x7fffffff. */
static inline float tensor_block(const eb_tensor_model *model, float c, const uint16_t *a, const uint16_t *b)
{
    float special;
    if (tensor_special_result(model->block, c, a, b, &special))
        return special;
    tensor_term terms[EB_TENSOR_BLOCK_MOST + 1];
    for (unsigned k = 0; k < model->block; k++)
        terms[k] = tensor_product_term(a[k], b[k]);
    terms[model->block] = tensor_sum_term(c);
    bool any = false;
    int largest = 0;
    for (unsigned k = 0; k <= model->block; k++) {
        if (terms[k].magnitude == 0)
            continue;
        largest = !any || terms[k].exponent > largest ? terms[k].exponent : largest;
        any = true;
    }
    int64_t sum = 0;
    for (unsigned k = 0; k <= model->block && any; k++)
        sum += tensor_align(terms[k], largest, model->fraction);
    return tensor_round_toward_zero(sum, largest - (int)model->fraction);
}

/* The product of two d-dimensional points, c = 0 at first. */
static inline float tensor_dot(const eb_tensor_model *model, const uint16_t *a, const uint16_t *b, size_t d)
{
    float sum = 0;
    size_t k = 0;
    for (; k + model->block <= d; k += model->block)
        sum = tensor_block(model, sum, a + k, b + k);
    if (k < d) {
        uint16_t last_a[EB_TENSOR_BLOCK_MOST] = {0}, last_b[EB_TENSOR_BLOCK_MOST] = {0};
        memcpy(last_a, a + k, (d - k) * sizeof *a);
        memcpy(last_b, b + k, (d - k) * sizeof *b);
        sum = tensor_block(model, sum, last_a, last_b);
    }
    return sum;
}

#endif
