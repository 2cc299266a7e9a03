#include "kernels/device/gpu.cuh"

namespace eb {

eb_code fail_cuda(cudaError_t error, const char *what, eb_status *status)
{
    (void)cudaGetLastError(); /* an out-of-memory error is not sticky; leave no trace for the next call */
    switch (error) {
    case cudaErrorMemoryAllocation: {
        size_t available = 0, total = 0;
        (void)cudaMemGetInfo(&available, &total);
        return eb_fail(status, EB_NO_MEMORY, "the GPU's memory is full while %s: %zu of %zu bytes are free", what,
                       available, total);
    }
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
