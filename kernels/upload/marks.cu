#include "kernels/upload/marks.cuh"

#include <algorithm>

namespace eb {

namespace {

constexpr const char *arriving = "uploading points";

} // namespace

void slice_marks::forget()
{
    for (cudaEvent_t event : event_)
        (void)cudaEventDestroy(event);
    event_.clear();
}

eb_code slice_marks::begin(size_t rows, size_t slice_rows, eb_status *status)
{
    const size_t slices = (rows + slice_rows - 1) / slice_rows;
    const std::lock_guard<std::mutex> alone(lock_);
    forget();
    while (event_.size() < slices) {
        cudaEvent_t event = nullptr;
        EB_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), arriving);
        event_.push_back(event);
    }
    marked_.assign(slices, false);
    rows_ = rows;
    slice_rows_ = slice_rows;
    in_turn_ = arrived_ = 0;
    ended_ = false;
    return EB_OK;
}

eb_code slice_marks::mark(size_t slice, cudaStream_t stream, eb_status *status)
{
    EB_CUDA(cudaEventRecord(event_[slice], stream), arriving);
    const std::lock_guard<std::mutex> alone(lock_);
    marked_[slice] = true;
    while (in_turn_ < marked_.size() && marked_[in_turn_])
        in_turn_++;
    changed_.notify_one();
    return EB_OK;
}

void slice_marks::end()
{
    const std::lock_guard<std::mutex> alone(lock_);
    ended_ = true;
    changed_.notify_one();
}

eb_code slice_marks::wait(size_t least, size_t *there, eb_status *status)
{
    std::unique_lock<std::mutex> own(lock_);
    changed_.wait(own, [&] { return ended_ || (slice_rows_ > 0 && in_turn_ * slice_rows_ >= least); });
    const size_t in_turn = in_turn_;
    own.unlock();
    while (arrived_ < in_turn) {
        const cudaEvent_t event = event_[arrived_];
        const cudaError_t error = arrived_ * slice_rows_ < least ? cudaEventSynchronize(event) : cudaEventQuery(event);
        if (error == cudaErrorNotReady)
            break;
        EB_CUDA(error, arriving);
        arrived_++;
    }
    *there = std::min(rows_, arrived_ * slice_rows_);
    return EB_OK;
}

} // namespace eb
