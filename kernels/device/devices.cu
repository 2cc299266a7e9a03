/* devices: lists the CUDA devices, or gives the reason why there are none. */
#include <cstdio>

#include <cuda_runtime.h>

extern "C" {
#include "kernels/device/cuda.h"
}

/* The runtime loads the driver on its first call, so a machine without a driver gets these errors, too. */
static eb_code no_device(cudaError_t error, eb_status *status)
{
    switch (error) {
    case cudaErrorInsufficientDriver: {
        int driver = 0, runtime = 0;
        (void)cudaDriverGetVersion(&driver);
        (void)cudaRuntimeGetVersion(&runtime);
        if (driver == 0)
            return eb_fail(status, EB_NO_DEVICE, "no NVIDIA driver is installed here");
        return eb_fail(status, EB_NO_DEVICE,
                       "the NVIDIA driver supports CUDA %d.%d, this build needs %d.%d; update the driver",
                       driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
    }
    case cudaErrorNoDevice: return eb_fail(status, EB_NO_DEVICE, "the NVIDIA driver sees no CUDA device here");
    default: return eb_fail(status, EB_NO_DEVICE, "CUDA does not start: %s", cudaGetErrorString(error));
    }
}

static eb_code describe(int index, eb_device *out, eb_status *status)
{
    cudaDeviceProp properties;
    cudaError_t error = cudaGetDeviceProperties(&properties, index);
    if (error != cudaSuccess)
        return eb_fail(status, EB_NO_DEVICE, "cuda:%d does not answer: %s", index, cudaGetErrorString(error));
    *out = eb_device{};
    out->kind = EB_DEVICE_CUDA;
    out->index = index;
    out->units = static_cast<unsigned>(properties.multiProcessorCount);
    out->memory_bytes = properties.totalGlobalMem;
    int khz = 0;
    if (cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, index) == cudaSuccess)
        out->clock_hz = 1e3 * khz;
    int driver = 0;
    (void)cudaDriverGetVersion(&driver);
    (void)std::snprintf(out->name, sizeof out->name, "cuda:%d", index);
    (void)std::snprintf(out->model, sizeof out->model, "%s", properties.name);
    (void)std::snprintf(out->architecture, sizeof out->architecture, "sm_%d%d", properties.major, properties.minor);
    (void)std::snprintf(out->driver, sizeof out->driver, "CUDA %d.%d", driver / 1000, driver % 1000 / 10);
    return EB_OK;
}

extern "C" eb_code eb_cuda_devices(eb_device *devices, size_t capacity, size_t *count, eb_status *status)
{
    *count = 0;
    int found = 0;
    cudaError_t error = cudaGetDeviceCount(&found);
    if (error != cudaSuccess)
        return no_device(error, status);
    for (int index = 0; index < found && static_cast<size_t>(index) < capacity; index++)
        if (describe(index, &devices[index], status) != EB_OK)
            return EB_NO_DEVICE;
    *count = static_cast<size_t>(found);
    return EB_OK;
}

extern "C" int eb_cuda_toolkit(void) { return CUDART_VERSION / 1000; }
