/* groups: divides the points of each cell, or leaf, into groups of queries; a warp takes a group. */
#pragma once

#include "kernels/indexed/neighbours.cuh"
#include "kernels/sort/sort.cuh"

namespace eb {

class group_list {
  public:
    /* Cell c has size[c] points at the places from first[c] on; a group has at most a_group points. order: the order of
     * cells; nullptr: cells are ordered by number. All arrays are on the device. */
    eb_code make(const uint32_t *size, const uint32_t *first, const uint32_t *order, uint32_t cells, uint32_t a_group,
                 cudaStream_t stream, eb_status *status);
    const query_group *get() const { return group_.get(); }
    uint32_t count() const { return count_; }

    static constexpr size_t bytes_a_point = 2 * sizeof(uint32_t) + sizeof(query_group);

  private:
    uint32_t count_ = 0;
    device_array<uint32_t> groups_, begin_;
    device_array<query_group> group_;
    sort_room scratch_;
};

} // namespace eb
