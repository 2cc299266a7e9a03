/* order: sorts points on the device into an order that suits a kernel. Places then differ from rows: kernels/rows is
 * given the point at each place. */
#pragma once

#include "kernels/device/gpu.cuh"

namespace eb {

/* point[k] = the point with the k-th smallest key; equal keys keep the stored order. point has room for `count`. block:
 * blocks of so many points, at most 2^24 blocks, are each ordered by itself; 0: all points are one. */
eb_code order_by(const float *key, size_t count, size_t block, uint32_t *point, cudaStream_t stream, eb_status *status);

/* point[k] = k. */
eb_code order_as_stored(size_t count, uint32_t *point, cudaStream_t stream, eb_status *status);

/* Row k of `out` becomes row point[k] of `rows`. Rows are multiples of 16 bytes at multiples of 16 bytes; rows from
 * `count` to `padded` become zeros. */
eb_code gather_rows(const void *rows, size_t row_bytes, const uint32_t *point, size_t count, size_t padded, void *out,
                    cudaStream_t stream, eb_status *status);

/* Like gather_rows, for one value per row and without padding. */
eb_code gather_values(const float *values, const uint32_t *point, size_t count, float *out, cudaStream_t stream,
                      eb_status *status);

} // namespace eb
