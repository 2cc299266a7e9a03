/* images: copies of the points for an engine's sums: FP32 or FP64, with reordered dimensions and rows padded with
 * zeros; one in the points' own order, one in the order of an index.
 */
#pragma once

#include <vector>

#include "kernels/device/gpu.cuh"

namespace eb {

/* Rounds `count` FP64 values to FP32, in place. */
eb_code round_to_single(double *values, size_t count, cudaStream_t stream, eb_status *status);

class point_images {
  public:
    /* points: n × d, on the device; column c of the image is dimension order[c]. */
    eb_code make(const double *points, size_t n, size_t d, const std::vector<uint32_t> &order, size_t d_padded,
                 bool single, cudaStream_t stream, eb_status *status);
    /* Sorts the image: point[k] is the point at place k. */
    eb_code place(const uint32_t *point, cudaStream_t stream, eb_status *status);

    /* float or double, n × d_padded */
    const void *stored() const { return stored_.get(); }
    const void *sorted() const { return sorted_.get(); }
    size_t d_padded() const { return d_padded_; }
    static constexpr size_t bytes_a_point(size_t d_padded) { return 2 * d_padded * sizeof(double); }

  private:
    size_t n_ = 0, d_padded_ = 0, row_bytes_ = 0;
    device_array<double> stored_, sorted_; /* FP32 images use half of the bytes */
};

} // namespace eb
