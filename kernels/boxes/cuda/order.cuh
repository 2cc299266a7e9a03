/* order: points brought into leaves (shape.h) on the device: a survey of each dimension's spread, one radix sort of
 * Morton codes, and a bisection of each segment within a block. It does not depend on ε.
 */
#pragma once

#include "kernels/device/gpu.cuh"

namespace eb {

/* point[k] = the point at place k, for n × d points; leaves · 32 of them, no_point where there is none. */
constexpr uint32_t no_point = ~0u;
eb_code order_in_leaves(const double *points, size_t n, size_t d, device_array<uint32_t> &point, cudaStream_t stream,
                        eb_status *status);

/* Device memory that this takes a point while it works, `point` included. */
constexpr size_t ordering_bytes_a_point = 2 * (sizeof(uint64_t) + sizeof(uint32_t)) + sizeof(uint32_t);

} // namespace eb
