/* nearest: squared distances from points to vectors, t = point − vector, s ← s + t·t, both rounded to FP32: tiles of
 * 128 × 128 in registers, as a matrix product has them.
 */
#pragma once

#include "kernels/device/gpu.cuh"

namespace eb {

/* Row-major, rows one behind the other. */
struct f32_rows {
    const float *value;
    size_t count, d;
};

/* Of each point the nearest vector and its s; of equal ones the first. */
eb_code launch_nearest(const f32_rows &points, const f32_rows &vectors, uint32_t *place, float *s, eb_status *status);

/* s from each point to all vectors: out is points × vectors, row-major. */
eb_code launch_distances(const f32_rows &points, const f32_rows &vectors, float *out, eb_status *status);

} // namespace eb
