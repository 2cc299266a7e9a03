/* masks: the pairs of leaves of one ε with the verdicts on their points, kept for the next question at that ε: in one
 * piece where the memory lent has room for it, else slice by slice, made again whenever a slice is visited.
 */
#pragma once

#include <functional>

#include "kernels/boxes/cuda/list.cuh"
#include "kernels/boxes/cuda/verdicts.cuh"

namespace eb {

constexpr size_t bytes_a_leaf_pair = sizeof(uint2) + EB_LEAF * sizeof(uint32_t);

/* Neighbouring pairs of the list, on the device now. */
struct list_part {
    const uint2 *pair;
    const uint32_t *mask;
    uint64_t first, count;
};

class box_masks {
  public:
    box_masks(const leaves &of, const eb_context *context) : leaves_(of), context_(context) {}

    /* The list for a threshold, unless it is there; most: pairs of leaves that there is room for at a time. Adds to
     * list_s. */
    eb_code look(double threshold, uint64_t most, cudaStream_t stream, eb_status *status);
    uint64_t pairs() const { return list_.pairs(); }

    /* Of the pairs of points in listed pairs of leaves, the part whose s is computed: by some of the list, or 1 where
     * it does not lie on the device whole. */
    eb_code sample_candidates(double *part, cudaStream_t stream, eb_status *status);

    /* Counts what a share of the work adds to the number of entries. advanced(x): of the work, x is done. */
    eb_code count(const eb_share &share, bool whole, uint64_t *entries, const std::function<void(double)> &advanced,
                  cudaStream_t stream, eb_status *status);

    /* Entries of each place, [leaves · 32]: the verdicts on all pairs, unless they are known. */
    eb_code find_degrees(const std::function<void(double)> &advanced, cudaStream_t stream, eb_status *status);
    const uint32_t *degrees() const { return degree_.get(); }

    /* Calls take with what lies between the list's pairs `begin` and `end`, at most `most` of them at a time, masks
     * made where they have to be. Enqueues, and waits only where there are several slices. */
    eb_code visit(uint64_t begin, uint64_t end, uint64_t most, cudaStream_t stream, eb_status *status,
                  const std::function<eb_code(const list_part &part)> &take);

  private:
    verdict_work work_on(const list_slice &slice) const;
    eb_code run(verdict_work work, cudaStream_t stream, eb_status *status, const std::function<void(uint64_t)> &done);
    eb_code bring(const list_slice &slice, cudaStream_t stream, eb_status *status);
    eb_code bring_masks(const list_slice &slice, cudaStream_t stream, eb_status *status);
    eb_code begin_pass(cudaStream_t stream, eb_status *status);
    eb_code end_pass(uint64_t *entries, cudaStream_t stream, eb_status *status);

    const leaves &leaves_;
    const eb_context *context_;
    leaf_list list_;
    double threshold_ = -1; /* of the list there is; −1: there is none */
    uint64_t most_ = 0;
    bool degrees_known_ = false;
    uint64_t masked_ = ~uint64_t{0}; /* the slice whose masks there are, by its first pair */
    device_array<uint32_t> mask_, degree_;
    device_array<found_counts> found_;
};

} // namespace eb
