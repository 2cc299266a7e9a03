/* upload: copies points to the device, as stored, or converted there and padded with zeros to whole tiles and
 * slices. */
#pragma once

#include "kernels/upload/marks.cuh"

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

/* Rows that arrive as stored, for rules that convert them once they are there (variant.cuh, take_rows). */
template <class point> class staged_rows {
  public:
    /* Makes room for the rows, at *rows, and pads the points. */
    eb_code expect(const eb_dataset *ds, size_t n_padded, size_t d_padded, point *points, unsigned char **rows,
                   cudaStream_t stream, eb_status *status);
    /* Converts rows as upload_points does. The last ones free the room. */
    eb_code convert(const eb_dataset *ds, size_t first, size_t count, size_t d_padded, point *points,
                    cudaStream_t stream, eb_status *status);

  private:
    device_array<unsigned char> rows_;
    device_array<unsigned long long> bad_; /* the first value that a point cannot hold */
};

} // namespace eb
