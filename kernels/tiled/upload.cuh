/* upload: copies points to the device, as stored, or converted there and padded with zeros to whole tiles and
 * slices. */
#pragma once

#include "kernels/tiled/arriving.cuh"

namespace eb {

/* Converts rows [first, first + count) of ds to points: FP16, FP64 or the low bytes of integers, n_padded × d_padded.
 * Adds to upload_s and convert_s. An FP16 overflow is EB_BAD_VALUE with point and column; number: the point of each
 * row; NULL: row k is point k. */
template <class point>
eb_code upload_points(const eb_dataset *ds, const uint32_t *number, size_t first, size_t count, size_t n_padded,
                      size_t d_padded, point *points, cudaStream_t stream, const eb_context *context,
                      eb_status *status);

/* Uploads the same rows as stored, packed. Adds to upload_s. marks: gets each slice; NULL: nobody waits for parts. */
eb_code upload_rows(const eb_dataset *ds, size_t first, size_t count, unsigned char *rows, cudaStream_t stream,
                    const eb_context *context, slice_marks *marks, eb_status *status);

/* Refuses a row's value, number `at` of all rows' values, that FP16 cannot hold. */
eb_code refuse_overflow(const eb_dataset *ds, const uint32_t *number, unsigned long long at, eb_status *status);

} // namespace eb
