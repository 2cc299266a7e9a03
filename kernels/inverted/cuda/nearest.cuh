/* nearest: squared distances from points to vectors, s ← s + t·t with t = point − vector, both operations rounded to
 * FP32, in register tiles of 128 × 128 as in a matrix product. From them: nearest vectors, and points' codes.
 */
#pragma once

#include "kernels/device/gpu.cuh"

namespace eb {

/* Row-major, without gaps between rows. */
struct f32_rows {
    const float *value;
    size_t count, d;
};

/* Each point's nearest vector, the first among equal ones, and its s unless it is NULL. */
eb_code launch_nearest(const f32_rows &points, const f32_rows &vectors, uint32_t *place, float *s, eb_status *status);

/* Those of some of the points: *which many, whose numbers follow. key: [*which] all bits set before; then s above the
 * vector's number, as in select.cuh. */
eb_code launch_settle(const f32_rows &points, const uint32_t *which, const f32_rows &vectors, unsigned long long *key,
                      eb_status *status);

/* Codes of points: each piece's nearest of the 256 entries of its book. points: d is m pieces; place: each point's
 * centroid, which the kernels subtract in place, so that points are their residuals afterwards. books: m × 256 × d/m;
 * codes: [count × m]. All are on the device. */
struct code_task {
    float *points;
    size_t count, d, m;
    const uint32_t *place;
    const float *centroids, *books;
    uint8_t *codes;
};
eb_code launch_codes(const code_task &task, eb_status *status);

/* s from each point to all vectors: out is points × vectors, row-major. */
eb_code launch_distances(const f32_rows &points, const f32_rows &vectors, float *out, eb_status *status);

} // namespace eb
