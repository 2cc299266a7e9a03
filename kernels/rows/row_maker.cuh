/* row_maker: makes rows of the neighbour table on the device from the pairs held there, a range of rows at a time.
 *
 *   count    each pair adds to the degree of its ends; prefix sums are the rows' offsets
 *   gather   reads all pairs; ends in the range become keys: row, then column
 *   sort     one radix sort of the range's keys, s moving along
 *   write    columns and distances; every entry is checked against its row's place and the previous entry
 *
 * Reading all pairs for each range costs 8 bytes per pair of the device's memory bandwidth: with ranges of 32 M entries
 * less than a tenth of their download's time.
 */
#pragma once

#include <memory>

#include "kernels/rows/pairs.cuh"
#include "kernels/sort/sort.cuh"

namespace eb {

template <class squared_type> class row_maker {
  public:
    /* The arguments must outlive the maker. */
    row_maker(const pair_store<squared_type> &hits, const pairs_meaning &meaning, cudaStream_t stream)
        : hits_(hits), meaning_(meaning), stream_(stream)
    {
    }

    size_t rows() const { return meaning_.row_end - meaning_.row_begin; }
    uint64_t width() const { return meaning_.columns; }

    /* Counts the entries of the rows wanted: fills offsets(), [rows + 1], and longest(). */
    eb_code count(eb_status *status);
    const uint64_t *offsets() const { return offsets_.get(); }
    const unsigned long long *offsets_on_device() const { return offset_.get(); }
    uint64_t longest() const { return longest_; }

    /* Device memory per entry of a range, with distances of distance_bytes bytes. */
    static size_t bytes_an_entry(size_t distance_bytes)
    {
        return 2 * (sizeof(uint64_t) + sizeof(squared_type) + sizeof(uint32_t) + distance_bytes);
    }

    /* Makes room for ranges of up to `most` entries in each of two buffers. distance_bytes and unit: as in
     * eb_row_places. */
    eb_code prepare(uint64_t most, size_t distance_bytes, double unit, eb_status *status);

    /* Enqueues the kernels that make rows [first, end), counted from the first wanted, in a buffer. */
    eb_code make(size_t first, size_t end, size_t buffer, eb_status *status);
    const uint32_t *columns(size_t buffer) const { return column_[buffer].get(); }
    const unsigned char *distances(size_t buffer) const { return distance_[buffer].get(); }

    /* Call after all ranges. EB_INTERNAL if a row breaks what readers of a table rely on. */
    eb_code check(eb_status *status);

  private:
    between_arrays sorted_arrays() const;

    const pair_store<squared_type> &hits_;
    const pairs_meaning &meaning_;
    cudaStream_t stream_;
    std::unique_ptr<uint64_t[]> offsets_;
    uint64_t longest_ = 0;
    device_array<unsigned long long> offset_, state_; /* state_: number of ends gathered, the first bad row */
    device_array<uint64_t> key_[2];                   /* current_: which pair of arrays is sorted */
    device_array<squared_type> squared_[2];
    sort_room scratch_;
    int current_ = 0;
    device_array<uint32_t> column_[2];
    device_array<unsigned char> distance_[2];
    size_t distance_bytes_ = 0;
    double unit_ = 1;
};

} // namespace eb
