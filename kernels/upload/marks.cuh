/* marks: which slices of an upload are on the device, for a thread that waits for them in their order. */
#pragma once

#include <condition_variable>
#include <mutex>
#include <vector>

#include "kernels/device/gpu.cuh"

namespace eb {

/* The slices of an upload whose copies are enqueued, each with an event. Any thread marks slices; one waits for them.
 */
class slice_marks {
  public:
    slice_marks() = default;
    slice_marks(const slice_marks &) = delete;
    slice_marks &operator=(const slice_marks &) = delete;
    ~slice_marks() { forget(); }

    /* Before an upload of slices of slice_rows rows each, the last one with fewer. */
    eb_code begin(size_t rows, size_t slice_rows, eb_status *status);
    /* A slice's copy has been enqueued on the stream. */
    eb_code mark(size_t slice, cudaStream_t stream, eb_status *status);
    /* No further slice will be marked. */
    void end();

    /* Waits until the first `least` rows are on the device, or the upload has ended. *there: how many of the first rows
     * are. */
    eb_code wait(size_t least, size_t *there, eb_status *status);

  private:
    void forget();

    std::mutex lock_;
    std::condition_variable changed_;
    std::vector<cudaEvent_t> event_;
    std::vector<bool> marked_;
    size_t rows_ = 0, slice_rows_ = 0;
    size_t in_turn_ = 0; /* slices marked, from the first on without a gap */
    size_t arrived_ = 0; /* of these, those whose copies are complete; the waiting thread's */
    bool ended_ = false;
};

} // namespace eb
