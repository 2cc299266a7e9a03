/* cublas_peer: NVIDIA's cuBLAS beside our own products in the same run: X · Xᵀ of the first points, with FP32 sums:
 * FP16 input and output (the smallest), or TF32 input, FP32 output. The library is loaded at the first call; no program
 * links against it. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#include "core/data/dataset.h"

enum cublas_type { CUBLAS_F16, CUBLAS_TF32 };

/* *seconds: the median of `trials` products of the first n points (FP32), after warm_up_s seconds of such products. One
 * row of the output is compared with FP64. EB_NO_ENGINE: cuBLAS is not installed. */
eb_code cublas_product_s(const eb_dataset *ds, enum cublas_type type, size_t n, double warm_up_s, unsigned trials,
                         double *seconds, eb_status *status);

#ifdef __cplusplus
}
#endif
