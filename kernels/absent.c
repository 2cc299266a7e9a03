/* Stands in for the CUDA units where nvcc is missing: the program builds, and says what it lacks and why. */
#include "kernels/cuda.h"

eb_code eb_cuda_devices(eb_device *devices, size_t capacity, size_t *count, eb_status *status)
{
    (void)devices;
    (void)capacity;
    *count = 0;
    return eb_fail(status, EB_NO_DEVICE,
                   "this epsbench was built without nvcc; install the CUDA Toolkit and run make again for the GPU engines");
}
