/* binned: dense distances of queries counted by bins (core/engine/bins.h) where they lie, so that only the counts come
 * back to the host.
 */
#pragma once

#include "kernels/device/gpu.cuh"

namespace eb {

template <class squared_type> class binned_queries {
  public:
    /* self: [queries] rows that are not counted of each; nullptr: all are. */
    eb_code prepare(const uint32_t *self, size_t queries, cudaStream_t stream, eb_status *status);

    /* dense: [queries][columns] on the device, from query `first` to columns `column` …; point: which row a column is,
     * on the device; nullptr: its own number. */
    eb_code take(const squared_type *dense, size_t first, size_t queries, size_t column, size_t columns,
                 const uint32_t *point, cudaStream_t stream, eb_status *status);
    eb_code finish(eb_bins *out, cudaStream_t stream, eb_status *status);

  private:
    size_t queries_ = 0;
    bool self_ = false;
    device_array<uint32_t> row_, count_, zeros_, range_;
};

} // namespace eb
