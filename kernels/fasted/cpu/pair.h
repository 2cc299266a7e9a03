/* pair: computes every step of one pair's distance: FP16 numbers, norms, the tensor core's blocks term by term,
 * FASTED's distance and FP64's, where the two differ, and which certificate decides the pair.
 *
 * The results have the bits of FASTED's CPU engine; only the two points are converted.
 */
#pragma once

#include "core/data/dataset.h"
#include "kernels/fasted/cpu/tensor_block.h"

/* A block of products and its loss: `cut` is what alignment cuts off, `rounded` what rounding to FP32 cuts off. */
typedef struct eb_pair_block {
    size_t first;   /* first dimension */
    unsigned terms; /* number of products, padding excluded */
    float before, after;
    double cut, rounded;
    eb_tensor_steps steps;
} eb_pair_block;

typedef struct eb_pair_end {
    size_t point;
    uint16_t *half; /* [d_padded] */
    float norm;     /* FASTED's ‖p‖² */
    double exact;   /* ‖ŷ‖² of the FP16 numbers, in FP64 */
    double moved;   /* ‖x − fp16(x)‖ */
} eb_pair_end;

/* Verdict of a certified FP16 filter on the pair (kernels/certified/bound.h). Such a filter is one of the exact
 * engine's ways; it centres and scales its points first. */
typedef enum eb_pair_certificate { EB_PAIR_RULED_OUT, EB_PAIR_SURE, EB_PAIR_OPEN } eb_pair_certificate;

typedef struct eb_pair {
    size_t d, d_padded;
    double eps;
    const eb_tensor_model *model;
    eb_pair_end end[2];
    size_t blocks, worst; /* worst: index of the block with the greatest loss */
    eb_pair_block *block;
    float dot;       /* ⟨ŷ, ŷ⟩ by the tensor core, ŷ being the FP16 points */
    double dot16;    /* ⟨ŷ, ŷ⟩ by FP64 */
    float fasted2;   /* FASTED's dist²; 0 where cancellation makes it negative */
    double rounded2; /* dist² of the FP16 points by FP64's chain */
    double truth2;   /* dist² of the stored points by FP64's chain */
    bool near_fasted, near_truth;
    struct {
        eb_pair_certificate verdict;
        double least, threshold; /* least: dist² − its possible error; above the threshold: ruled out */
        double moved;            /* by how much rounding moves both points together */
    } certified;
} eb_pair;

/* Explains points i and j at ε. EB_BAD_VALUE if FP16 or FP64's squares overflow; EB_NO_MEMORY. Free `out` even after an
 * error. */
eb_code eb_pair_explain(const eb_dataset *ds, size_t i, size_t j, double eps, eb_tensor tensor, eb_fasted_norms norms,
                        eb_pair *out, eb_status *status);
void eb_pair_free(eb_pair *pair);

/* FASTED's dist² − FP64's dist², split into parts whose sum is this difference, up to FP64's rounding. */
typedef struct eb_pair_parts {
    double points, norms, products, subtraction, whole;
} eb_pair_parts;

eb_pair_parts eb_pair_parts_of(const eb_pair *pair);
