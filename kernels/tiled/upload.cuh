/* upload: points on the device: copied as stored; or converted there, padded with zeros to whole tiles and slices.
 */
#pragma once

#include "kernels/device/gpu.cuh"

namespace eb {

/* Rows [first, first + count) of ds into points, FP16, FP64 or the low bytes of integers: n_padded × d_padded. Adds to
 * upload_s and convert_s. An FP16 value that overflows is EB_BAD_VALUE with its row and column; number says which point
 * a row is, NULL: itself. */
template <class point>
eb_code upload_points(const eb_dataset *ds, const uint32_t *number, size_t first, size_t count, size_t n_padded,
                      size_t d_padded, point *points, cudaStream_t stream, const eb_context *context,
                      eb_status *status);

/* The same rows as they are stored, packed. Adds to upload_s. */
eb_code upload_rows(const eb_dataset *ds, size_t first, size_t count, unsigned char *rows, cudaStream_t stream,
                    const eb_context *context, eb_status *status);

} // namespace eb
