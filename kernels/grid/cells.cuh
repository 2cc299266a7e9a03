/* cells: the non-empty cells of a grid (plan.h) on the device: points sorted by their cells' numbers, the places of
 * each cell, and groups of a few queries of one cell; one warp works on each group.
 */
#pragma once

#include "kernels/grid/plan.h"
#include "kernels/indexed/groups.cuh"
#include "kernels/sort/sort.cuh"

namespace eb {

/* The index as kernels read it. */
struct cell_view {
    static constexpr int blocks_single = 4, blocks_double = 3; /* blocks of a join on an SM, without register spills */
    eb_grid grid;
    uint32_t cells;
    const uint64_t *number; /* [cells] ascending */
    const uint32_t *first;  /* [cells + 1] first place */
    const uint32_t *point;  /* [n] point at each place */
    const query_group *group;
};

/* Index of the first cell whose number is not below `number`; `cells` if there is none. */
__device__ __forceinline__ uint32_t cell_from(const cell_view &view, uint64_t number)
{
    uint32_t low = 0, high = view.cells;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (view.number[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The places x … y − 1 of three neighbouring cells in a row. */
__device__ __forceinline__ uint2 places_of_row(const cell_view &view, uint64_t number, uint32_t row)
{
    const uint64_t middle = number + eb_grid_row_offset(&view.grid, row);
    const uint32_t low = cell_from(view, middle - 1), high = cell_from(view, middle + 2);
    return make_uint2(view.first[low], view.first[high]);
}

/* The neighbours of a cell, with its own points, are one batch. */
__device__ __forceinline__ uint32_t batches_of(const cell_view &, uint32_t) { return 1; }

__device__ __forceinline__ uint32_t find_neighbours(const cell_view &view, uint32_t cell, uint32_t, uint32_t from,
                                                    neighbour_places &out, int lane)
{
    const uint64_t number = view.number[cell];
    return gather_ranges(eb_grid_rows(&view.grid), from, out, lane,
                         [&](uint32_t row) { return places_of_row(view, number, row); });
}

/* The points' dimension of each axis of the grid. */
struct grid_axes {
    uint32_t dimension[EB_GRID_MOST];
};

class grid_cells {
  public:
    /* Makes the cells of points, n × d. a_group: most queries in a group; crowded_first: groups of cells with more
     * points come first. */
    eb_code make(const eb_grid &grid, const double *points, size_t n, size_t d, const grid_axes &axes, uint32_t a_group,
                 bool crowded_first, cudaStream_t stream, eb_status *status);
    cell_view view() const { return {grid_, cells_, number_.get(), first_.get(), point_.get(), groups_.get()}; }
    uint32_t cells() const { return cells_; }
    uint32_t groups() const { return groups_.count(); }
    const uint32_t *point() const { return point_.get(); }

    static constexpr size_t bytes_a_point = 3 * sizeof(uint64_t) + 8 * sizeof(uint32_t) + group_list::bytes_a_point;

  private:
    eb_code find_cells(size_t n, cudaStream_t stream, eb_status *status);
    eb_code make_groups(uint32_t a_group, bool crowded_first, cudaStream_t stream, eb_status *status);

    eb_grid grid_{};
    uint32_t cells_ = 0;
    device_array<uint64_t> key_, sorted_, number_;
    device_array<uint32_t> number_of_point_, point_, first_, size_, cell_, order_;
    group_list groups_;
    sort_room scratch_;
};

} // namespace eb
