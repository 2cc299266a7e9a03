/* state: what engine tensor keeps of a problem on the host (engine.c), and what it tells about its rounding (facts.c).
 */
#pragma once

#include <stdatomic.h>

#include "kernels/tensor/cpu/dots.h"
#include "kernels/tensor/cpu/round.h"
#include "kernels/walk/emulated.h"

typedef struct eb_tensor_state {
    eb_emulated join; /* must come first */
    eb_rung rung;
    eb_frame frame;
    eb_chain chain;
    eb_chained chained; /* floating-point types */
    double *values;     /* FP64: [places × d] */
    int8_t *levels;     /* S8: [places × parts × d] */
    float *norm;        /* [places]; FP32 norms: floating-point types, S8 with a step a point */
    double *edge;       /* [places] of `near` (engine.c); NULL: it is not used */
    double *above;      /* [places] by how much the arithmetic can be above the squared distance of rounded points */
    double *square;     /* [places]; other norms: S8: Σ level² */
    float *step;        /* [places]; S8 with a step a point */
    double unit;        /* s = q · unit */
    double debias;      /* κ */
    _Atomic size_t beyond, inexact;
    _Atomic bool subnormal;
    eb_chain_products products;
    eb_dot_f64 dot_f64;
    eb_dot_s8 dot_s8;
    eb_dot_f32 dot_f32;
    char description[2][280]; /* of an answer by its own candidates, by shared ones */
} eb_tensor_state;

/* The set and the row in it of a place: left points first, then, if the right set is another one, its points. */
static inline const eb_dataset *eb_tensor_set_of(const eb_tensor_state *t, const eb_problem *problem, size_t place,
                                                 size_t *row)
{
    const bool right = t->join.first_column > 0 && place >= t->join.first_column;
    *row = right ? place - t->join.first_column : place;
    return right ? problem->right : problem->left;
}

/* Functions of eb_implementation. */
eb_code eb_tensor_rounded(const void *state, const uint32_t *rows, size_t m, double *out, eb_status *status);
double eb_tensor_complete_eps(const void *state, double eps);
