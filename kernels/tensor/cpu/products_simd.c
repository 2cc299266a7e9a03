/* products: eb_adder_dot (kernels/tensor/adder.h) for many pairs, fast. Finite coordinates only: loading refuses
 * others.
 *
 * A lane is a coordinate. Significands are below 2, so a product is exact in FP32 and below 4; aligned to F bits it is
 * below 2^(F + 2) ≤ 2^27, and 16 of them fit 32 bits. Four pairs take turns, since each waits for its own last sum.
 */
#include <math.h>
#include <string.h>

#include "kernels/tensor/cpu/points.h"

#define NAME_(name, isa) name##_##isa
#define NAME(name, isa) NAME_(name, isa)
#define INLINE static inline __attribute__((always_inline))

enum { TOGETHER = 4, LEAST_SHIFT = -40 /* shifts a product to 0 */ };

/* One pair's operands: of the row, of the column. */
typedef struct pair {
    const float *a, *b;
    const int16_t *ea, *eb;
} pair;

INLINE double power(int exponent) /* 2^exponent, −1022 ≤ exponent ≤ 1023 */
{
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

INLINE uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* x toward zero with `kept` fraction bits; subnormal FP32 numbers keep fewer. */
INLINE float toward_zero(double x, unsigned kept)
{
    if (fabs(x) < 0x1p-126)
        return (float)(trunc(x * power(126 + (int)kept)) * power(-126 - (int)kept)) + 0.0f;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= ~UINT64_C(0) << (52 - kept);
    memcpy(&x, &bits, sizeof x);
    return (float)x;
}

INLINE float to_half(double x)
{
    if (fabs(x) >= 65520)
        return copysignf(INFINITY, (float)x);
    uint64_t bits;
    double far;
    memcpy(&bits, &x, sizeof bits);
    bits &= UINT64_C(0x7ff) << 52;
    memcpy(&far, &bits, sizeof far);
    far = (far > 0x1p-14 ? far : 0x1p-14) * 0x1.8p42;
    return (float)((x + far) - far);
}

INLINE float rounded(eb_sum_rounding rounding, double x)
{
    return rounding == EB_SUM_F16 ? to_half(x) : toward_zero(x, rounding == EB_SUM_F32 ? 23 : 13);
}

/* The exponent that the previous sum is aligned by. */
INLINE int sum_exponent(const eb_adder *adder, float c)
{
    const int least = adder->rounding == EB_SUM_F16 ? -14 : -126, own = (int)(bits_of(c) >> 23 & 255u) - 127;
    return c == 0 ? adder->zero : own > least ? own : least;
}

/* c in units of 2^−scale, toward zero. */
INLINE int64_t aligned_sum(float c, int scale)
{
    const uint32_t bits = bits_of(c), field = bits >> 23 & 255u;
    const int64_t magnitude = (int64_t)((bits & 0x7fffffu) | (field ? 0x800000u : 0));
    const int shift = scale + (field ? (int)field : 1) - 150;
    const int64_t units = shift >= 0 ? magnitude << shift : shift > -32 ? magnitude >> -shift : 0;
    return bits >> 31 ? -units : units;
}

/* ---- a block's products, in vectors of 4, 8 or 16 lanes ---- */

#define VECTORS(lanes)                                                                                                 \
    typedef float f##lanes __attribute__((vector_size(4 * (lanes))));                                                  \
    typedef int32_t i##lanes __attribute__((vector_size(4 * (lanes))));                                                \
    typedef int16_t s##lanes __attribute__((vector_size(2 * (lanes))));
VECTORS(4)
VECTORS(8)
VECTORS(16)

#define LARGER(a, b) (((a) & ((a) > (b))) | ((b) & ~((a) > (b))))

INLINE int32_t most_4(const i4 *x)
{
    const int32_t a = (*x)[0] > (*x)[1] ? (*x)[0] : (*x)[1], b = (*x)[2] > (*x)[3] ? (*x)[2] : (*x)[3];
    return a > b ? a : b;
}

INLINE int32_t most_8(const i8 *x)
{
    const i4 low = __builtin_shufflevector(*x, *x, 0, 1, 2, 3), high = __builtin_shufflevector(*x, *x, 4, 5, 6, 7);
    const i4 larger = LARGER(low, high);
    return most_4(&larger);
}

INLINE int32_t most_16(const i16 *x)
{
    const i8 low = __builtin_shufflevector(*x, *x, 0, 1, 2, 3, 4, 5, 6, 7);
    const i8 high = __builtin_shufflevector(*x, *x, 8, 9, 10, 11, 12, 13, 14, 15);
    const i8 larger = LARGER(low, high);
    return most_8(&larger);
}

INLINE int32_t sum_4(const i4 *x) { return ((*x)[0] + (*x)[1]) + ((*x)[2] + (*x)[3]); }

INLINE int32_t sum_8(const i8 *x)
{
    const i4 sum = __builtin_shufflevector(*x, *x, 0, 1, 2, 3) + __builtin_shufflevector(*x, *x, 4, 5, 6, 7);
    return sum_4(&sum);
}

INLINE int32_t sum_16(const i16 *x)
{
    const i8 sum = __builtin_shufflevector(*x, *x, 0, 1, 2, 3, 4, 5, 6, 7) +
                   __builtin_shufflevector(*x, *x, 8, 9, 10, 11, 12, 13, 14, 15);
    return sum_8(&sum);
}

/* multiply: the products of some lanes, their exponents, and the largest exponent. align: their sum in units of
 * 2^(largest − F). */
#define PRODUCTS(lanes)                                                                                                \
    typedef struct products_##lanes {                                                                                  \
        f##lanes value;                                                                                                \
        i##lanes exponent;                                                                                             \
    } products_##lanes;                                                                                                \
                                                                                                                       \
    INLINE int32_t multiply_##lanes(const pair *of, size_t at, int32_t zero, products_##lanes *out)                    \
    {                                                                                                                  \
        f##lanes a, b;                                                                                                 \
        s##lanes ea, eb;                                                                                               \
        memcpy(&a, of->a + at, sizeof a);                                                                              \
        memcpy(&b, of->b + at, sizeof b);                                                                              \
        memcpy(&ea, of->ea + at, sizeof ea);                                                                           \
        memcpy(&eb, of->eb + at, sizeof eb);                                                                           \
        out->value = a * b;                                                                                            \
        const i##lanes none = out->value == 0, all = (i##lanes){0} + zero;                                             \
        const i##lanes sum = __builtin_convertvector(ea, i##lanes) + __builtin_convertvector(eb, i##lanes);            \
        out->exponent = (sum & ~none) | (all & none);                                                                  \
        return most_##lanes(&out->exponent);                                                                           \
    }                                                                                                                  \
                                                                                                                       \
    INLINE int32_t align_##lanes(const products_##lanes *products, int32_t shift_by)                                   \
    {                                                                                                                  \
        const i##lanes shift = products->exponent + shift_by, least = (i##lanes){0} + LEAST_SHIFT;                     \
        const i##lanes field = (LARGER(shift, least) + 127) << 23;                                                     \
        f##lanes scale;                                                                                                \
        memcpy(&scale, &field, sizeof scale);                                                                          \
        const i##lanes units = __builtin_convertvector(products->value * scale, i##lanes);                             \
        return sum_##lanes(&units);                                                                                    \
    }
PRODUCTS(4)
PRODUCTS(8)
PRODUCTS(16)

INLINE float finished(const eb_adder *adder, float c, int32_t largest, int64_t units)
{
    const int scale = (int)adder->fraction - largest;
    return rounded(adder->rounding, (double)(units + aligned_sum(c, scale)) * power(-scale));
}

/* The widest vectors of the instruction set: a block of more coordinates takes several. */
#if defined(__AVX512F__)
#define WIDEST 16
#elif defined(__AVX2__)
#define WIDEST 8
#else
#define WIDEST 4
#endif

#define BLOCK_OF(lanes)                                                                                                \
    INLINE float block_##lanes(const eb_adder *adder, float c, const pair *of, size_t at, const unsigned size)         \
    {                                                                                                                  \
        products_##lanes products[EB_MOST_BLOCK / (lanes)];                                                            \
        int32_t largest = sum_exponent(adder, c);                                                                      \
        int64_t units = 0;                                                                                             \
        for (unsigned k = 0; k < size / (lanes); k++) {                                                                \
            const int32_t most = multiply_##lanes(of, at + k * (lanes), adder->zero, &products[k]);                    \
            largest = most > largest ? most : largest;                                                                 \
        }                                                                                                              \
        for (unsigned k = 0; k < size / (lanes); k++)                                                                  \
            units += align_##lanes(&products[k], (int32_t)adder->fraction - largest);                                  \
        return finished(adder, c, largest, units);                                                                     \
    }
BLOCK_OF(4)
BLOCK_OF(8)
BLOCK_OF(16)

INLINE float block(const eb_adder *adder, float c, const pair *of, size_t at, const unsigned size)
{
    return size < 8 || WIDEST < 8     ? block_4(adder, c, of, at, size)
           : size < 16 || WIDEST < 16 ? block_8(adder, c, of, at, size)
                                      : block_16(adder, c, of, at, size);
}

/* The column's operands of a crossed block: its halves exchanged. */
typedef struct exchanged {
    float significand[EB_MOST_BLOCK];
    int16_t exponent[EB_MOST_BLOCK];
} exchanged;

INLINE void exchange(const pair *of, size_t at, const unsigned size, exchanged *out)
{
    const unsigned half = size / 2;
    for (unsigned k = 0; k < half; k++) {
        out->significand[k] = of->b[at + half + k];
        out->significand[half + k] = of->b[at + k];
        out->exponent[k] = of->eb[at + half + k];
        out->exponent[half + k] = of->eb[at + k];
    }
}

INLINE float one_block(const eb_adder *adder, float c, const pair *of, size_t at, bool crossed, const unsigned size)
{
    if (isinf(c) || isnan(c)) /* products are finite, so it stays */
        return c;
    if (!crossed)
        return block(adder, c, of, at, size);
    exchanged column;
    exchange(of, at, size, &column);
    const pair here = {of->a + at, column.significand, of->ea + at, column.exponent};
    return block(adder, c, &here, 0, size);
}

INLINE float one_step(const eb_chain *chain, float c, const pair *of, size_t at, bool crossed, const unsigned size)
{
    const eb_adder *adder = &chain->adder;
    if (!adder->halved)
        return one_block(adder, c, of, at, crossed, size);
    const float sum = one_block(adder, one_block(adder, 0, of, at, crossed, size), of, at + size, crossed, size);
    return adder->rounding == EB_SUM_F16 ? to_half((double)(c + sum)) : c + sum;
}

INLINE void chains(const eb_chain *chain, const pair *of, float *products, const unsigned size)
{
    const unsigned length = chain->adder.halved ? 2 * size : size, promote = chain->promote;
    float total[TOGETHER] = {0}, c[TOGETHER] = {0};
    for (unsigned s = 0; s < chain->sections; s++) {
        const eb_section *section = &chain->section[s];
        for (size_t at = section->begin; at < section->begin + section->length; at += length) {
            for (unsigned k = 0; k < TOGETHER && promote && at > 0 && at % promote == 0; k++) {
                total[k] += c[k];
                c[k] = 0;
            }
            for (unsigned k = 0; k < TOGETHER; k++)
                c[k] = one_step(chain, c[k], &of[k], at, section->part != section->with, size);
        }
    }
    for (unsigned k = 0; k < TOGETHER; k++)
        products[k] = promote ? total[k] + c[k] : c[k];
}

INLINE pair pair_at(const eb_chained *points, uint32_t row, uint32_t column)
{
    const size_t a = row * points->chain->length, b = column * points->chain->length;
    return (pair){points->significand + a, points->significand + b, points->exponent + a, points->exponent + b};
}

INLINE void all(const eb_chained *points, const uint32_t *rows, const uint32_t *columns, size_t count, float *products,
                const unsigned size)
{
    for (size_t k = 0; k < count; k += TOGETHER) {
        pair of[TOGETHER];
        float found[TOGETHER];
        const size_t some = count - k < TOGETHER ? count - k : TOGETHER;
        for (size_t t = 0; t < TOGETHER; t++)
            of[t] = pair_at(points, rows[k + (t < some ? t : 0)], columns[k + (t < some ? t : 0)]);
        chains(points->chain, of, found, size);
        memcpy(products + k, found, some * sizeof *found);
    }
}

void NAME(eb_chain_products, EB_ISA)(const eb_chained *points, const uint32_t *rows, const uint32_t *columns,
                                     size_t count, float *products)
{
    switch (points->chain->adder.block) {
    case 4: all(points, rows, columns, count, products, 4); break;
    case 8: all(points, rows, columns, count, products, 8); break;
    case 16: all(points, rows, columns, count, products, 16); break;
    default: all(points, rows, columns, count, products, 32); break;
    }
}
