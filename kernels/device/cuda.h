/* cuda: the C interface to CUDA devices. nvcc compiles the functions where it is installed; otherwise absent.c has
 * them, and they report that CUDA is missing. No CUDA header is visible outside this folder. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/job.h"
#include "core/engine/device.h"

/* Major version of the CUDA Toolkit used for the build, such as 13; 0: built without it. */
int eb_cuda_toolkit(void);

/* Lists up to `capacity` CUDA devices; *count is the number present. EB_NO_DEVICE with the reason if there is none:
 * built without nvcc, no driver, driver older than the runtime, no device. */
eb_code eb_cuda_devices(eb_device *devices, size_t capacity, size_t *count, eb_status *status);

/* True if /proc shows a GPU of this number. Does not initialise CUDA; false where CUDA_VISIBLE_DEVICES renumbers the
 * GPUs. */
bool eb_cuda_seen(int device);

/* Creates the device's context in a background thread; only the first call has an effect. A caller that needs CUDA
 * earlier waits as usual. Call eb_cuda_stop before the program ends: it waits for that thread. */
void eb_cuda_start(int device);
bool eb_cuda_started(void);
void eb_cuda_stop(void);

/* Returns when the device has its context, so that no trial's time includes creating it. The next call that needs the
 * device reports a failure. */
void eb_cuda_ready(int device);

/* Measures the GPU's limits in about a second: loops of one instruction on registers, and plain copies. */
eb_code eb_cuda_limits(int device, eb_job *job, double limit[EB_LIMITS], eb_status *status);

/* The GPU's clock, power, temperature and load now, from NVML. Takes well under a millisecond; callable from any thread
 * at any time. All NAN without NVML. */
eb_gpu_now eb_cuda_now(int device);

typedef struct eb_gpu_memory {
    double used_bytes, all_bytes; /* NAN: unknown */
} eb_gpu_memory;

/* From NVML; callable from any thread at any time. NAN without NVML. */
eb_gpu_memory eb_cuda_memory_now(int device);
