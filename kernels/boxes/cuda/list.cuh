/* list: lists the pairs of leaves a ≤ b whose boxes are within a threshold of each other.
 *
 * Each leaf has a warp. Its lanes test 32 boxes of the highest level, and for each near box the 32 boxes below. This is
 * done twice, to count and to write. A list that does not fit memory is made in slices of consecutive leaves a. A list
 * that fits is a single slice, and is made once.
 */
#pragma once

#include <vector>

#include "kernels/boxes/cuda/leaves.cuh"

namespace eb {

struct list_slice {
    uint64_t first, count; /* first pair in the list, number of pairs */
    uint32_t leaf_begin, leaf_end;
};

class leaf_list {
  public:
    /* Finds the list's length, and cuts it into slices of at most `most` pairs. EB_NO_MEMORY if one leaf has more. */
    eb_code plan(const leaf_view &leaves, double threshold, uint64_t most, cudaStream_t stream, eb_status *status);
    uint64_t pairs() const { return pairs_; }
    const std::vector<list_slice> &slices() const { return slices_; }

    /* Makes a slice's pairs on the device, ascending by a, then b, unless they are there already. */
    eb_code bring(const leaf_view &leaves, const list_slice &slice, cudaStream_t stream, eb_status *status);
    const uint2 *pair() const { return pair_.get(); }

  private:
    eb_code cut(uint32_t leaves, uint64_t most, cudaStream_t stream, eb_status *status);

    double threshold_ = 0;
    uint64_t pairs_ = 0;
    std::vector<list_slice> slices_;
    uint64_t brought_ = ~uint64_t{0};        /* first pair of the slice in pair_ */
    device_array<unsigned long long> begin_; /* [leaves + 1] number of pairs before each leaf's */
    device_array<uint2> pair_;
};

} // namespace eb
