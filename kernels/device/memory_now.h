/* memory_now: what is taken of a GPU's memory just now, by all programs. C-callable, as cuda.h.
 */
#ifndef EB_KERNELS_DEVICE_MEMORY_NOW_H
#define EB_KERNELS_DEVICE_MEMORY_NOW_H

typedef struct eb_gpu_memory {
    double used_bytes, all_bytes; /* NAN: unknown */
} eb_gpu_memory;

/* From NVML, from any thread, whatever runs. NAN without it. */
eb_gpu_memory eb_cuda_memory_now(int device);

#endif
