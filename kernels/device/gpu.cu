#include "kernels/device/gpu.cuh"

#include <cmath>

extern "C" {
#include "kernels/device/cuda.h"
}

namespace eb {

namespace {

/* Without memory for a context the runtime reports no numbers; NVML does. */
eb_code fail_full(const char *what, eb_status *status)
{
    size_t available = 0, total = 0;
    int device = 0;
    if (cudaMemGetInfo(&available, &total) == cudaSuccess && total > 0)
        return eb_fail(status, EB_NO_MEMORY, "the GPU's memory is full while %s: %zu of %zu bytes are free", what,
                       available, total);
    (void)cudaGetLastError();
    (void)cudaGetDevice(&device);
    const eb_gpu_memory now = eb_cuda_memory_now(device);
    if (std::isnan(now.used_bytes))
        return eb_fail(status, EB_NO_MEMORY,
                       "the GPU has no memory free for a CUDA context, some 500 MiB, while %s; other programs hold it",
                       what);
    return eb_fail(status, EB_NO_MEMORY,
                   "the GPU has no memory free for a CUDA context, some 500 MiB, while %s: other programs hold %.0f of "
                   "%.0f bytes",
                   what, now.used_bytes, now.all_bytes);
}

} // namespace

eb_code fail_cuda(cudaError_t error, const char *what, eb_status *status)
{
    (void)cudaGetLastError(); /* clears the error, so that the next call does not report it again */
    switch (error) {
    case cudaErrorMemoryAllocation: return fail_full(what, status);
    case cudaErrorNoKernelImageForDevice:
        return eb_fail(status, EB_NO_DEVICE,
                       "this GPU's architecture is not among those this build has code for (sm_80, sm_90a)");
    case cudaErrorECCUncorrectable:
        return eb_fail(status, EB_NO_DEVICE,
                       "the GPU reported an uncorrectable memory (ECC) error while %s; results since the last "
                       "finished run are lost",
                       what);
    case cudaErrorDevicesUnavailable:
        return eb_fail(status, EB_NO_DEVICE, "the GPU is busy or in exclusive use by another process");
    default:
        return eb_fail(status, EB_NO_DEVICE, "the GPU failed while %s: %s (%s)", what, cudaGetErrorString(error),
                       cudaGetErrorName(error));
    }
}

cudaError_t take_device_memory(void **data, size_t bytes)
{
    cudaMemPool_t pool = nullptr;
    int device = 0;
    const cudaError_t first = cudaMallocAsync(data, bytes, cudaStreamLegacy);
    if (first != cudaErrorMemoryAllocation || cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetDefaultMemPool(&pool, device) != cudaSuccess)
        return first;
    (void)cudaGetLastError();
    (void)cudaStreamSynchronize(cudaStreamLegacy);
    (void)cudaMemPoolTrimTo(pool, 0);
    return cudaMallocAsync(data, bytes, cudaStreamLegacy);
}

eb_code keep_device_memory(int device, eb_status *status)
{
    const char *what = "setting up the GPU's memory pool";
    cudaMemPool_t pool = nullptr;
    uint64_t all = UINT64_MAX;
    EB_CUDA(cudaDeviceGetDefaultMemPool(&pool, device), what);
    EB_CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all), what);
    return EB_OK;
}

} // namespace eb
