/* gpu: helpers for host code that uses CUDA: errors as values, device and pinned memory with automatic release, event
 * timing. */
#pragma once

#include <cstdint>
#include <new>

#include <cuda_runtime.h>

extern "C" {
#include "core/base/status.h"
#include "core/engine/engine.h"
}

namespace eb {

/* Turns a CUDA error into one sentence. Out of memory is EB_NO_MEMORY (the caller makes its batch smaller); any other
 * error means that this process has lost the device: EB_NO_DEVICE. `what` says what was being done. */
eb_code fail_cuda(cudaError_t error, const char *what, eb_status *status);

#define EB_CUDA(call, what)                                                                                            \
    do {                                                                                                               \
        const cudaError_t eb_cuda_error = (call);                                                                      \
        if (eb_cuda_error != cudaSuccess)                                                                              \
            return eb::fail_cuda(eb_cuda_error, what, status);                                                         \
    } while (0)

/* Runs f and turns std::bad_alloc into EB_NO_MEMORY: no exception leaves the CUDA units. */
template <class function> eb_code guarded(eb_status *status, function f)
{
    try {
        return f();
    } catch (const std::bad_alloc &) {
        return eb_fail(status, EB_NO_MEMORY, "out of memory on the host beside the GPU's work");
    }
}

/* Makes the device's memory pool keep freed memory for later allocations: allocating anew for every trial would take
 * longer than many joins. Call once before the first array on a device. */
eb_code keep_device_memory(int device, eb_status *status);

/* cudaMallocAsync on the legacy stream. If the device is full, the pool's unused memory is released first and the
 * allocation is tried again. */
cudaError_t take_device_memory(void **data, size_t bytes);

/* Device memory of `count` elements; it only grows, and growing loses the contents. Allocated and freed in the order of
 * the legacy stream, which waits for all blocking streams and which they wait for. */
template <class T> class device_array {
  public:
    device_array() = default;
    device_array(const device_array &) = delete;
    device_array &operator=(const device_array &) = delete;
    device_array(device_array &&other) noexcept { swap(other); }
    device_array &operator=(device_array &&other) noexcept
    {
        swap(other);
        other.release();
        return *this;
    }
    ~device_array() { release(); }

    eb_code reserve(size_t count, const char *what, eb_status *status)
    {
        if (count <= count_)
            return EB_OK;
        release();
        EB_CUDA(take_device_memory(reinterpret_cast<void **>(&data_), count * sizeof(T)), what);
        count_ = count;
        return EB_OK;
    }
    void release()
    {
        if (data_)
            (void)cudaFreeAsync(data_, cudaStreamLegacy);
        data_ = nullptr;
        count_ = 0;
    }
    void swap(device_array &other)
    {
        T *data = data_;
        size_t count = count_;
        data_ = other.data_, count_ = other.count_;
        other.data_ = data, other.count_ = count;
    }
    T *get() const { return data_; }
    size_t count() const { return count_; }

  private:
    T *data_ = nullptr;
    size_t count_ = 0;
};

/* Pinned host memory, for copies that overlap with work on the host. */
template <class T> class pinned_array {
  public:
    pinned_array() = default;
    pinned_array(const pinned_array &) = delete;
    pinned_array &operator=(const pinned_array &) = delete;
    ~pinned_array() { (void)cudaFreeHost(data_); }

    eb_code reserve(size_t count, const char *what, eb_status *status)
    {
        if (count <= count_)
            return EB_OK;
        (void)cudaFreeHost(data_);
        data_ = nullptr;
        count_ = 0;
        EB_CUDA(cudaMallocHost(&data_, count * sizeof(T)), what);
        count_ = count;
        return EB_OK;
    }
    T *get() const { return data_; }

  private:
    T *data_ = nullptr;
    size_t count_ = 0;
};

/* A kernel that takes one struct: built into the program, or loaded at run time (kernels/jit). Only the runtime's
 * functions can launch a loaded kernel. */
template <class arguments> class kernel_handle {
  public:
    constexpr kernel_handle() = default; /* no kernel */
    constexpr kernel_handle(void (*built_in)(arguments)) : built_in_(built_in) {}
    explicit constexpr kernel_handle(cudaKernel_t loaded) : loaded_(loaded) {}
    const void *get() const
    {
        return loaded_ ? static_cast<const void *>(loaded_) : reinterpret_cast<const void *>(built_in_);
    }

  private:
    void (*built_in_)(arguments) = nullptr;
    cudaKernel_t loaded_ = nullptr;
};

/* Measures seconds between two points of a stream, with events. */
class stopwatch {
  public:
    stopwatch() = default;
    stopwatch(const stopwatch &) = delete;
    stopwatch &operator=(const stopwatch &) = delete;
    ~stopwatch()
    {
        if (begin_)
            (void)cudaEventDestroy(begin_);
        if (end_)
            (void)cudaEventDestroy(end_);
    }
    eb_code start(cudaStream_t stream, eb_status *status)
    {
        if (!begin_)
            EB_CUDA(cudaEventCreate(&begin_), "making an event");
        if (!end_)
            EB_CUDA(cudaEventCreate(&end_), "making an event");
        EB_CUDA(cudaEventRecord(begin_, stream), "recording an event");
        return EB_OK;
    }
    /* Waits for all earlier work of the stream. */
    eb_code stop(cudaStream_t stream, double *seconds, eb_status *status)
    {
        EB_TRY(mark(stream, status));
        return read(seconds, status);
    }
    /* stop() in two steps: host work between mark() and read() is not measured. */
    eb_code mark(cudaStream_t stream, eb_status *status)
    {
        EB_CUDA(cudaEventRecord(end_, stream), "recording an event");
        return EB_OK;
    }
    eb_code read(double *seconds, eb_status *status)
    {
        float ms = 0;
        EB_CUDA(cudaEventSynchronize(end_), "waiting for the device");
        EB_CUDA(cudaEventElapsedTime(&ms, begin_, end_), "reading an event");
        *seconds = 1e-3 * ms;
        return EB_OK;
    }

  private:
    cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

constexpr size_t round_up(size_t value, size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

} // namespace eb
