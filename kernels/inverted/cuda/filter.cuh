/* filter: nearest vectors by FP16 products on tensor cores, with launch_nearest's bits. The products decide nearly all
 * points (near_bound.h); for the others FP32 distances to all vectors are computed. No distance is stored.
 */
#pragma once

#include <cuda_fp16.h>

#include "kernels/inverted/cuda/nearest.cuh"

namespace eb {

/* Rows in FP16, multiplied by a power of two and padded with zeros to whole tiles and slices. */
class half_rows {
  public:
    /* rows are on the device. The padded rows' half_square is +Inf. point_scale: the points' if these are vectors, 0 if
     * these are points, which need no half_square. */
    eb_code take(const f32_rows &rows, double point_scale, eb_status *status);

    /* Greatest of the rows. */
    struct greatest {
        float value, length, moved, half_square;
    };

    device_array<__half> value;           /* [padded × d_padded] */
    device_array<float> length, moved;    /* [padded] */
    device_array<float> half_square;      /* [padded] */
    device_array<unsigned> greatest_bits; /* a `greatest` */
    greatest most{};                      /* of vectors; of points the value alone */
    double scale = 1;
    size_t padded = 0, d_padded = 0;
};

class near_filter {
  public:
    /* Prepares points for the calls of `find`; they stay on the device until then. */
    eb_code take(const f32_rows &points, eb_status *status);

    /* As launch_nearest; s may be NULL. */
    eb_code find(const f32_rows &points, const f32_rows &vectors, uint32_t *place, float *s, eb_status *status);

  private:
    half_rows points_, vectors_;
    device_array<uint32_t> unsure_; /* points, after their number */
    device_array<unsigned long long> key_;
};

} // namespace eb
