/* cublas_peer: NVIDIA's cuBLAS beside our own products, in the same run: X · Xᵀ of the first points, FP16 in, FP32
 * sums, FP16 out, which writes the least. The library is looked for when it is first asked; nothing links against it.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#include "core/data/dataset.h"

/* *seconds: the median of `trials` products of the first n points (FP32), after so many seconds of such products; one
 * row of what came out is held against FP64. EB_NO_ENGINE: there is no cuBLAS here. */
eb_code cublas_product_s(const eb_dataset *ds, size_t n, double warm_up_s, unsigned trials, double *seconds,
                         eb_status *status);

#ifdef __cplusplus
}
#endif
