/* row_sort: rows of a table whose entries lie in no order, brought into that of their columns, with the distances that
 * go with them.
 *
 *   up to 512 entries    a warp a row: column and place packed into a key, a bitonic network over registers
 *   up to 4096           a block a row: the same over shared memory
 *   more                 CUB's radix sort of segments
 *
 * A key has 32 bits while columns leave nine of them for the place, else 64. Every entry is checked against the columns
 * there are and the entry before it.
 */
#pragma once

#include "kernels/sort/sort.cuh"

namespace eb {

constexpr uint32_t longest_in_block = 4096;

/* Rows first … first + rows − 1 of a range: row r's entries begin at offset[r] − offset[0]. */
struct unsorted_rows {
    const unsigned long long *offset; /* of the range's first row */
    const uint32_t *filled;           /* [rows] entries that came: as many as there are places */
    uint32_t rows, columns;           /* columns: all are below it */
    const uint32_t *column;
    const double *squared; /* nullptr: no distances are wanted */
    double unit;           /* as in eb_row_places */
    size_t distance_bytes;
    uint32_t *column_out;
    void *distance_out;
    unsigned long long *bad; /* the least row that is wrong, counted from the range's first; else as it was */
    uint64_t bad_base;       /* added to it */
};

class row_sorter {
  public:
    /* Room for ranges of `most` entries that have rows of up to `longest`. */
    eb_code prepare(uint64_t most, uint64_t longest, size_t distance_bytes, eb_status *status);
    static size_t bytes_an_entry(uint64_t longest) { return longest > longest_in_block ? 20 : 0; }

    /* Enqueues it. begins, on the host: where each row's entries begin, [rows + 1]. */
    eb_code sort(const unsorted_rows &rows, const uint64_t *begins, cudaStream_t stream, eb_status *status);

  private:
    eb_code sort_long(const unsorted_rows &rows, const uint64_t *begins, cudaStream_t stream, eb_status *status);

    uint64_t longest_ = 0;
    device_array<uint32_t> medium_; /* how many there are, then which */
    device_array<double> squared_;
    sort_room scratch_;
    device_array<uint64_t> begin_;
};

} // namespace eb
