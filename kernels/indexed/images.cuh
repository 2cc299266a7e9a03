/* images: points as an engine's sums take them: FP32 or FP64, dimensions in an order, rows padded with zeros; as they
 * are stored, and as they lie in an index.
 */
#pragma once

#include <vector>

#include "kernels/device/gpu.cuh"

namespace eb {

/* Each of `count` FP64 values becomes the nearest of FP32's. */
eb_code round_to_single(double *values, size_t count, cudaStream_t stream, eb_status *status);

class point_images {
  public:
    /* points: n × d, on the device; column c is that of dimension order[c]. */
    eb_code make(const double *points, size_t n, size_t d, const std::vector<uint32_t> &order, size_t d_padded,
                 bool single, cudaStream_t stream, eb_status *status);
    /* point: which point lies at a place. */
    eb_code place(const uint32_t *point, cudaStream_t stream, eb_status *status);

    /* float or double, n × d_padded */
    const void *stored() const { return stored_.get(); }
    const void *sorted() const { return sorted_.get(); }
    size_t d_padded() const { return d_padded_; }
    static constexpr size_t bytes_a_point(size_t d_padded) { return 2 * d_padded * sizeof(double); }

  private:
    size_t n_ = 0, d_padded_ = 0, row_bytes_ = 0;
    device_array<double> stored_, sorted_; /* FP32 takes half of it */
};

} // namespace eb
