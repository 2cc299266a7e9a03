/* intervals: an exact distance pass on the device (engine.h, eb_distance_pass): counts hits by interval of ε and copies
 * the squared distances of the intervals marked `keep` to the host. */
#pragma once

#include <vector>

#include "kernels/rows/pairs.cuh"

extern "C" {
#include "core/data/dataset.h"
}

namespace eb {

/* Returns the largest computed squared distance that is within ε. */
using threshold_of = double (*)(double eps);

template <class squared_type> class interval_counter {
  public:
    /* pass must outlive this object; finish() fills its pairs and kept. Squared distances are `scale` times the numbers
     * held. */
    eb_code prepare(const eb_distance_pass *pass, threshold_of verdict, double scale, cudaStream_t stream,
                    eb_status *status);

    /* Counts and keeps the hits held. The store may be cleared afterwards. */
    eb_code take(const pair_store<squared_type> &hits, cudaStream_t stream, eb_status *status);
    eb_code finish(eb_distance_pass *pass, cudaStream_t stream, eb_status *status);

  private:
    size_t edges_ = 0;
    double scale_ = 1;
    device_array<double> threshold_, kept_value_;
    device_array<unsigned char> keep_;
    device_array<uint32_t> kept_interval_;
    device_array<unsigned long long> count_, kept_count_;
    std::vector<std::vector<double>> kept_; /* by interval */
};

} // namespace eb
