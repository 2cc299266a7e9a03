/* row_sort: sorts the entries of each row of a table by column, and writes their distances.
 *
 *   up to 512 entries    a warp for each row: column and position packed into a key, a bitonic network over registers
 *   up to 4096           a block for each row: the same over shared memory
 *   more                 CUB's radix sort of segments
 *
 * A key has 32 bits if columns leave nine of them for the position, otherwise 64. Each entry is checked: its column is
 * below the number of columns and above the column of the previous entry.
 */
#pragma once

#include "kernels/sort/sort.cuh"

namespace eb {

constexpr uint32_t longest_in_block = 4096;

/* Rows first … first + rows − 1 of a range: row r's entries begin at offset[r] − offset[0]. */
struct unsorted_rows {
    const unsigned long long *offset; /* [rows + 1] from the range's first row on */
    const uint32_t *filled;           /* [rows] entries written; must equal the row's length */
    uint32_t rows, columns;           /* columns: exclusive upper bound of every column */
    const uint32_t *column;
    const double *squared; /* nullptr: distances are not wanted */
    double unit;           /* as in eb_row_places */
    size_t distance_bytes;
    uint32_t *column_out;
    void *distance_out;
    unsigned long long *bad; /* set to the least row that is wrong, if there is one */
    uint64_t bad_base;       /* added to the row's number in the range */
};

class row_sorter {
  public:
    /* Allocates for ranges of `most` entries with rows of at most `longest` entries. */
    eb_code prepare(uint64_t most, uint64_t longest, size_t distance_bytes, eb_status *status);
    static size_t bytes_an_entry(uint64_t longest) { return longest > longest_in_block ? 20 : 0; }

    /* Enqueues the sort. begins: [rows + 1] on the host, where each row's entries begin. */
    eb_code sort(const unsorted_rows &rows, const uint64_t *begins, cudaStream_t stream, eb_status *status);

  private:
    eb_code sort_long(const unsorted_rows &rows, const uint64_t *begins, cudaStream_t stream, eb_status *status);

    uint64_t longest_ = 0;
    device_array<uint32_t> medium_; /* number of rows of 513 … 4096 entries, then these rows */
    device_array<double> squared_;
    sort_room scratch_;
    device_array<uint64_t> begin_;
};

} // namespace eb
