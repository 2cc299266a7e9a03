/* points: the points of engine tensor as its kernels read them, and the kernels, compiled for several instruction sets
 * (products_simd.c).
 *
 * Floating-point types: a point is a chain of operands (kernels/tensor/adder.h), cut into sections of whole blocks.
 * With one part there is one section, the coordinates. With more parts, x ≈ x_0 + x_1 + …, each section has the
 * products of some parts, the smallest first: two parts have [x_0·y_1 and x_1·y_0], [x_0·y_0]; three parts begin with
 * [x_0·y_2 and x_2·y_0], [x_1·y_1]. In a section of two parts each block holds a half of each, and the columns' halves
 * are exchanged: so a pair has the same bits from both ends. Coordinates past d are 0.
 */
#pragma once

#include <stdint.h>

#include "kernels/tensor/adder.h"

enum { EB_MOST_PARTS = 3, EB_MOST_SECTIONS = 4 };

typedef struct eb_section {
    unsigned part, with; /* products of these parts; crossed if they differ */
    size_t begin, length;
} eb_section;

typedef struct eb_chain {
    eb_adder adder;
    unsigned promote; /* 0: never */
    unsigned sections;
    eb_section section[EB_MOST_SECTIONS];
    size_t length; /* operands of a point */
} eb_chain;

/* The chain of d coordinates in `parts` parts. */
eb_chain eb_chain_of(const eb_adder *adder, unsigned promote, unsigned parts, size_t d);

/* Points as chains, row-major: operands, or where eb_values_suffice their values. */
typedef struct eb_chained {
    const eb_chain *chain;
    float *significand; /* [n × length] */
    int16_t *exponent;  /* [n × length] */
    float *value;       /* [n × length + EB_VALUES_BEHIND]; NULL: the operands are there */
    float least;        /* the type's least normal number */
    bool subnormal;     /* some value is below it, and not 0 */
} eb_chained;

enum { EB_VALUES_BEHIND = 16 }; /* kernels read so far behind the last value */

/* True if the values need no exponents beside them: sums are FP32 or E8M13, and nonzero coordinates have exponents of
 * −48 … 47. least, greatest: of |y| > 0 before rounding. */
bool eb_values_suffice(const eb_adder *adder, eb_number number, unsigned parts, double least, double greatest);

/* Writes a point's chain as operands, or as values. part[p]: [d] its p-th parts. */
void eb_chain_fill(const eb_chain *chain, eb_number number, const double *const *part, size_t d, float *significand,
                   int16_t *exponent);
void eb_chain_fill_values(const eb_chain *chain, const double *const *part, size_t d, float *value);

/* products[k] = ⟨rows[k], columns[k]⟩ as the tensor core sums it. */
typedef void (*eb_chain_products)(const eb_chained *points, const uint32_t *rows, const uint32_t *columns, size_t count,
                                  float *products);
void eb_chain_products_base(const eb_chained *, const uint32_t *, const uint32_t *, size_t, float *);
void eb_chain_products_avx2(const eb_chained *, const uint32_t *, const uint32_t *, size_t, float *);
void eb_chain_products_avx512(const eb_chained *, const uint32_t *, const uint32_t *, size_t, float *);
void eb_value_products_base(const eb_chained *, const uint32_t *, const uint32_t *, size_t, float *);
void eb_value_products_avx2(const eb_chained *, const uint32_t *, const uint32_t *, size_t, float *);
void eb_value_products_avx512(const eb_chained *, const uint32_t *, const uint32_t *, size_t, float *);

/* The best for this CPU (kernels/walk/isa.h), of operands or of values. */
eb_chain_products eb_chain_products_here(bool of_values);
