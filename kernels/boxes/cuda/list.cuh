/* list: the pairs of leaves a ≤ b whose boxes are within a threshold of each other.
 *
 * A warp a leaf: its lanes look at 32 boxes of the highest level, go down where one is near, and look at the 32 below
 * it. Done twice, to count and to write. A list that memory has no room for is made in slices of consecutive leaves a;
 * one that fits is a single slice, and made once.
 */
#pragma once

#include <vector>

#include "kernels/boxes/cuda/leaves.cuh"

namespace eb {

struct list_slice {
    uint64_t first, count; /* of the list's pairs */
    uint32_t leaf_begin, leaf_end;
};

class leaf_list {
  public:
    /* How long the list is, and its slices of at most `most` pairs. EB_NO_MEMORY where one leaf has more. */
    eb_code plan(const leaf_view &leaves, double threshold, uint64_t most, cudaStream_t stream, eb_status *status);
    uint64_t pairs() const { return pairs_; }
    const std::vector<list_slice> &slices() const { return slices_; }

    /* A slice's pairs are to lie on the device, unless they do so already; ascending by a, then b. */
    eb_code bring(const leaf_view &leaves, const list_slice &slice, cudaStream_t stream, eb_status *status);
    const uint2 *pair() const { return pair_.get(); }

  private:
    eb_code cut(uint32_t leaves, uint64_t most, cudaStream_t stream, eb_status *status);

    double threshold_ = 0;
    uint64_t pairs_ = 0;
    std::vector<list_slice> slices_;
    uint64_t brought_ = ~uint64_t{0};        /* the slice there, by its first pair */
    device_array<unsigned long long> begin_; /* [leaves + 1] where a leaf's pairs begin */
    device_array<uint2> pair_;
};

} // namespace eb
