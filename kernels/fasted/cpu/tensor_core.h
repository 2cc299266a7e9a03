/* tensor_core: the arithmetic of NVIDIA's FP16 tensor cores with FP32 sums, bit by bit. products_simd.c computes it
 * fast. Source: Fasi et al., PeerJ CS 7:e330 (2021); MMA-Sim, arXiv 2511.10909. check-gpu and a golden file of an
 * H200's results test it against hardware.
 *
 * One block computes D = c + Σ a_k·b_k over K products. Exact products keep the exponent e_a + e_b, unnormalised. All
 * terms are aligned to the largest exponent η of a nonzero term and truncated to F bits below it. The integers are
 * summed exactly; the sum is normalised and rounded toward zero. A longer product chains blocks, k ascending, the last
 * one padded with zeros.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/fasted/switches.h"

#define EB_TENSOR_BLOCK_MOST 16u

typedef enum eb_tensor { EB_TENSOR_SM80, EB_TENSOR_SM90 } eb_tensor; /* in the order of fasted's option `tensor` */

typedef struct eb_tensor_model {
    const char *name;
    unsigned block;    /* K: products summed at once */
    unsigned fraction; /* F: bits kept below the largest exponent */
} eb_tensor_model;

const eb_tensor_model *eb_tensor_model_of(eb_tensor tensor);

/* Returns s + x rounded toward zero, for finite s, x ≥ 0: a step of FASTED's norms. */
float eb_add_toward_zero(float s, float x);

/* Returns FASTED's ‖p‖² of FP16 coordinates; d is even. */
float eb_fasted_norm(const uint16_t *half, size_t d, eb_fasted_norms norms);
