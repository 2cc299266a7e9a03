/* pair: one pair of points taken apart, from its bytes to the verdicts: FP16 numbers, norms, the tensor core's blocks
 * term by term, FASTED's distance beside FP64's, where the two part, and which certificate decides the pair.
 *
 * FASTED's part is that of the engine on the CPU, bit by bit (cpu/fasted), without its conversion of all points.
 */
#pragma once

#include "core/data/dataset.h"
#include "kernels/fasted/cpu/tensor_block.h"

/* A block of products, and what it lost: bits below the alignment, then bits of the sum beyond FP32's. */
typedef struct eb_pair_block {
    size_t first;   /* its first dimension */
    unsigned terms; /* products, without padding */
    float before, after;
    double cut, rounded;
    eb_tensor_steps steps;
} eb_pair_block;

typedef struct eb_pair_end {
    size_t point;
    uint16_t *half; /* [d_padded] */
    float norm;     /* FASTED's s */
    double exact;   /* ‖ŷ‖² of the FP16 numbers, in FP64 */
    double moved;   /* ‖x − fp16(x)‖ */
} eb_pair_end;

/* What a certified FP16 filter does with the pair (kernels/certified/bound.h), one of the exact engine's ways: its
 * points are centred and scaled first. */
typedef enum eb_pair_certificate { EB_PAIR_RULED_OUT, EB_PAIR_SURE, EB_PAIR_OPEN } eb_pair_certificate;

typedef struct eb_pair {
    size_t d, d_padded;
    double eps;
    const eb_tensor_model *model;
    eb_pair_end end[2];
    size_t blocks, worst; /* worst: which block lost most */
    eb_pair_block *block;
    float dot;       /* ⟨ŷ, ŷ⟩ by the tensor core */
    double dot16;    /* by FP64 */
    float fasted2;   /* FASTED's dist², below 0 by cancellation: 0 */
    double rounded2; /* of the FP16 points by the truth's chain */
    double truth2;   /* of the points */
    bool near_fasted, near_truth;
    struct {
        eb_pair_certificate verdict;
        double least, threshold; /* its dist² less what may be lost; above the threshold the pair is ruled out */
        double moved;            /* by how much both points' rounding moved them there */
    } certified;
} eb_pair;

/* Points i and j of the dataset at ε. EB_BAD_VALUE where FP16 overflows, or FP64's squares would; EB_NO_MEMORY; free it
 * all the same. */
eb_code eb_pair_explain(const eb_dataset *ds, size_t i, size_t j, double eps, eb_tensor tensor, eb_fasted_norms norms,
                        eb_pair *out, eb_status *status);
void eb_pair_free(eb_pair *pair);

/* FASTED's dist² less the truth's, in parts that add up to it but for FP64's rounding. */
typedef struct eb_pair_parts {
    double points, norms, products, subtraction, whole;
} eb_pair_parts;

eb_pair_parts eb_pair_parts_of(const eb_pair *pair);
