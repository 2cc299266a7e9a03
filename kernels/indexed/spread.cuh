/* spread: range and variance of the points along each dimension, and the order of dimensions by variance. */
#pragma once

#include <vector>

#include "kernels/device/gpu.cuh"

namespace eb {

struct spread_of_points {
    std::vector<double> low, high, variance; /* [d], in the stored order; computed in two passes, in a fixed order */
};

/* points: n × d, FP64, on the device. */
eb_code find_spread(const double *points, size_t n, size_t d, spread_of_points *out, cudaStream_t stream,
                    eb_status *status);

/* Dimensions by descending variance; equal ones in the stored order. */
std::vector<uint32_t> by_variance(const spread_of_points &spread);
std::vector<uint32_t> as_stored(size_t d);

} // namespace eb
