/* masks: the list of pairs of leaves for one ε with the verdicts on their points, kept for the next question at this ε.
 * A list that fits the memory limit is kept whole. Otherwise only one slice is kept, and a slice is made again when it
 * is visited.
 */
#pragma once

#include <functional>
#include <vector>

#include "kernels/boxes/cuda/verdicts.cuh"

namespace eb {

/* ---- the list: pairs of leaves a ≤ b whose boxes are within a threshold of each other (list.cu) ---- */

/* A run of consecutive leaves a whose pairs fit memory together. */
struct list_slice {
    uint64_t first, count; /* first pair in the list, number of pairs */
    uint32_t leaf_begin, leaf_end;
};

/* One warp searches for each leaf. Its lanes test 32 boxes of the highest level, and for each near box the 32 boxes
 * below. The search runs twice, to count the pairs and to write them. */
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

    double limit_ = 0;
    uint64_t pairs_ = 0;
    std::vector<list_slice> slices_;
    uint64_t brought_ = ~uint64_t{0};        /* first pair of the slice in pair_ */
    device_array<unsigned long long> begin_; /* [leaves + 1] number of pairs before each leaf's */
    device_array<uint2> pair_;
};

/* ---- the masks of the list's pairs ---- */

constexpr size_t bytes_a_leaf_pair = sizeof(uint2) + EB_LEAF * sizeof(uint32_t);

/* Consecutive pairs of the list, on the device. */
struct list_part {
    const uint2 *pair;
    const uint32_t *mask;
    uint64_t first, count;
};

class box_masks {
  public:
    box_masks(const leaves &of, const eb_context *context) : leaves_(of), context_(context) {}

    /* Makes the list for a threshold, unless it is there. most: pairs of leaves that fit memory at a time. Adds to the
     * figure list_s. */
    eb_code look(double threshold, uint64_t most, cudaStream_t stream, eb_status *status);
    uint64_t pairs() const { return list_.pairs(); }

    /* Estimates the fraction of the pairs of points in listed pairs of leaves whose s is computed, from some of the
     * list's pairs. Sets *part to 1 if the list has several slices. */
    eb_code sample_candidates(double *part, cudaStream_t stream, eb_status *status);

    /* Counts a share's entries. Calls advanced(x) when the fraction x of the work is done. */
    eb_code count(const eb_share &share, bool whole, uint64_t *entries, const std::function<void(double)> &advanced,
                  cudaStream_t stream, eb_status *status);

    /* Finds degrees(): [leaves · 32] the number of entries of each place. Does nothing if they are known. */
    eb_code find_degrees(const std::function<void(double)> &advanced, cudaStream_t stream, eb_status *status);
    const uint32_t *degrees() const { return degree_.get(); }

    /* Calls take for the list's pairs from `begin` to `end`, at most `most` of them at a time, and makes missing masks.
     * Enqueues only, unless there are several slices. */
    eb_code visit(uint64_t begin, uint64_t end, uint64_t most, cudaStream_t stream, eb_status *status,
                  const std::function<eb_code(const list_part &part)> &take);

  private:
    verdict_work work_on(const list_slice &slice) const;
    eb_code run(verdict_work work, cudaStream_t stream, eb_status *status, const std::function<void(uint64_t)> &done);
    eb_code bring_masks(const list_slice &slice, cudaStream_t stream, eb_status *status);
    eb_code begin_pass(cudaStream_t stream, eb_status *status);
    eb_code end_pass(uint64_t looked_at, uint64_t *entries, cudaStream_t stream, eb_status *status);

    const leaves &leaves_;
    const eb_context *context_;
    leaf_list list_;
    double threshold_ = -1; /* of the current list; −1: none */
    uint64_t most_ = 0;
    bool degrees_known_ = false;
    uint64_t masked_ = ~uint64_t{0}; /* first pair of the slice in mask_ */
    device_array<uint32_t> mask_, degree_;
    device_array<found_counts> found_;
};

} // namespace eb
