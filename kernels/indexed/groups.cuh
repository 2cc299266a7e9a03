/* groups: points of a cell, or of a leaf, that are queries together: a warp's work. */
#pragma once

#include "kernels/indexed/neighbours.cuh"
#include "kernels/sort/sort.cuh"

namespace eb {

class group_list {
  public:
    /* Of `cells` with size[c] points at places from first[c] on, at most a_group to a group; order: whose come first,
     * nullptr: as they are numbered. All on the device. */
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
