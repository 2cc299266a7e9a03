/* pair: computes every step of one pair's distance by a rung's arithmetic: prepared points, their numbers, norms, the
 * tensor core's blocks term by term, the rung's distance and FP64's, and where the two differ.
 *
 * The results have the engine's bits. Norms, products and q are in the unit of q (distance.h); s = q · scale.
 */
#pragma once

#include "kernels/tensor/cpu/distance.h"

/* A block of products and its loss: `cut` is what alignment cuts off, `rounded` what rounding the sum cuts off. */
typedef struct eb_pair_block {
    const eb_section *section;
    size_t place; /* of its first operand in the chain */
    float before; /* the sum before; 0 after promotion and for the blocks of a halved adder */
    double cut, rounded;
    double outside; /* the FP32 sum outside the tensor core, to which the sum is added now; NAN: not now */
    eb_adder_steps steps;
} eb_pair_block;

typedef struct eb_pair_end {
    size_t point;
    eb_rounding_row row; /* the prepared point and its numbers */
    eb_operand *operand; /* [chain.length]; the column's are exchanged where the rung exchanges them */
    double norm, exact;  /* n; ‖ŷ‖² by FP64 */
    double moved;        /* in the unit of the stored points */
} eb_pair_end;

typedef struct eb_pair {
    size_t d;
    double eps;
    eb_rung rung;
    eb_frame frame;
    eb_chain chain;
    double debias; /* κ */
    double scale;
    eb_pair_end end[2];
    size_t blocks, worst; /* floating-point types; worst: index of the block with the greatest loss */
    eb_pair_block *block;
    int64_t slices[4]; /* S8: products of the slices upper · upper, upper · lower, lower · upper, lower · lower */
    double dot;        /* a */
    double taken, all; /* by FP64: the products that a has; ⟨ŷ, ŷ⟩ */
    double q, s;       /* s: dist², at least 0 */
    double rounded2;   /* dist² of the rounded points by FP64 */
    double truth2;     /* dist² of the stored points by FP64's chain */
    bool near, near_truth;
} eb_pair;

/* Explains points i and j at ε. engine: its name, for refusals. EB_BAD_VALUE if the type or FP64's squares overflow;
 * EB_NO_MEMORY. Free `out` even after an error. */
eb_code eb_pair_explain(const eb_rung *rung, const char *engine, const eb_dataset *ds, size_t i, size_t j, double eps,
                        eb_pair *out, eb_status *status);
void eb_pair_free(eb_pair *pair);

/* s − FP64's dist², split into parts whose sum is this difference, up to FP64's rounding. */
typedef struct eb_pair_parts {
    double points, debias, norms, left_out, products, subtraction, whole;
} eb_pair_parts;

eb_pair_parts eb_pair_parts_of(const eb_pair *pair);
