/* binned: counts dense distances of queries by bins (core/data/bins.h) on the device, so that only the counts are
 * copied to the host. */
#pragma once

#include "kernels/device/gpu.cuh"

namespace eb {

template <class squared_type> class binned_queries {
  public:
    /* self: [queries] for each query the row not to count; nullptr: all rows count. scale: a squared distance is this
     * times the dense number. */
    eb_code prepare(const uint32_t *self, size_t queries, double scale, cudaStream_t stream, eb_status *status);

    /* Counts dense: [queries][columns] on the device, for queries from `first` and columns from `column` on. point: the
     * row of each column, on the device; nullptr: the column number is the row. */
    eb_code take(const squared_type *dense, size_t first, size_t queries, size_t column, size_t columns,
                 const uint32_t *point, cudaStream_t stream, eb_status *status);
    eb_code finish(eb_bins *out, cudaStream_t stream, eb_status *status);

  private:
    size_t queries_ = 0;
    double scale_ = 1;
    bool self_ = false;
    device_array<uint32_t> row_, count_, zeros_, range_;
};

} // namespace eb
