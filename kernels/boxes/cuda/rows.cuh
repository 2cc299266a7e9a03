/* rows: makes CSR rows of the neighbour table from the masks of an ε, a range of rows at a time (rows/made_rows.cuh
 * copies them to their places).
 *
 *   count    maps the places' numbers of entries to rows, and sums them to the rows' offsets
 *   fill     reads the masks of all pairs of leaves, and writes the entries of the range's rows
 *   sort     sorts each row by column, and checks every entry
 *
 * Reading all pairs of leaves for each range takes 136 bytes a pair of the device's memory bandwidth.
 */
#pragma once

#include <memory>

#include "kernels/boxes/cuda/masks.cuh"
#include "kernels/boxes/cuda/row_sort.cuh"

extern "C" {
#include "core/base/pool.h"
}

namespace eb {

class box_rows {
  public:
    /* Calls advanced(x) when the fraction x of the rows is made. The references must outlive the object. */
    box_rows(box_masks &masks, const leaves &of, size_t points, const eb_share &share, cudaStream_t stream,
             const eb_context *context, std::function<void(double)> advanced)
        : masks_(masks), leaves_(of), points_(points), share_(share), stream_(stream), context_(context),
          advanced_(std::move(advanced))
    {
    }

    size_t rows() const { return share_.row_end - share_.row_begin; }
    uint64_t width() const { return points_; }

    /* The other functions of a row_source (rows/made_rows.cuh). */
    eb_code count(eb_status *status);
    const uint64_t *offsets() const { return offsets_.get(); }
    uint64_t longest() const { return longest_; }
    size_t bytes_an_entry(size_t distance_bytes) const;
    eb_code prepare(uint64_t most, size_t distance_bytes, double unit, eb_status *status);
    eb_code make(size_t first, size_t end, size_t buffer, eb_status *status);
    const uint32_t *columns(size_t buffer) const { return column_out_[buffer].get(); }
    const unsigned char *distances(size_t buffer) const { return distance_out_[buffer].get(); }
    eb_code check(eb_status *status);

  private:
    eb_code download_offsets(eb_status *status);

    box_masks &masks_;
    const leaves &leaves_;
    size_t points_;
    const eb_share share_;
    cudaStream_t stream_;
    const eb_context *context_;
    std::function<void(double)> advanced_;
    std::unique_ptr<uint64_t, void (*)(void *)> offsets_{nullptr, eb_pool_give};
    uint64_t longest_ = 0;
    device_array<unsigned long long> offset_, state_; /* state: the longest row's length, the first bad row */
    device_array<uint32_t> filled_, column_;          /* of one range, entries in no order */
    device_array<double> squared_;
    device_array<uint32_t> column_out_[2];
    device_array<unsigned char> distance_out_[2];
    row_sorter sorter_;
    size_t distance_bytes_ = 0;
    double unit_ = 1;
};

} // namespace eb
