/* pair: what the certified filter on FP16 (bound.h) says of one pair. The filter is one of the exact engine's ways; it
 * centres and scales its points first.
 */
#pragma once

#include "core/data/dataset.h"
#include "kernels/tensor/adder.h"

typedef enum eb_certificate_verdict { EB_RULED_OUT, EB_SURE, EB_LEFT_OPEN } eb_certificate_verdict;

typedef struct eb_certificate {
    eb_certificate_verdict verdict;
    double least, threshold; /* least: dist² − its possible error; above the threshold: ruled out */
    double moved;            /* by how much rounding moves both points together */
} eb_certificate;

/* Repeats the filter's arithmetic with the adder, one of FP16 with FP32 sums. */
eb_code eb_certificate_of(const eb_dataset *ds, size_t i, size_t j, double eps, const eb_adder *adder,
                          eb_certificate *out, eb_status *status);
