/* order: orders points into leaves (shape.h) on the device. It measures each dimension's spread, sorts Morton codes by
 * radix, and bisects each segment within a block. The order does not depend on ε.
 */
#pragma once

#include "kernels/device/gpu.cuh"

namespace eb {

/* Writes point[k], the point at place k of leaves · 32, for n × d points. no_point marks an empty place. */
constexpr uint32_t no_point = ~0u;
eb_code order_in_leaves(const double *points, size_t n, size_t d, device_array<uint32_t> &point, cudaStream_t stream,
                        eb_status *status);

/* Device bytes for each point during order_in_leaves, `point` included. */
constexpr size_t ordering_bytes_a_point = 2 * (sizeof(uint64_t) + sizeof(uint32_t)) + sizeof(uint32_t);

} // namespace eb
