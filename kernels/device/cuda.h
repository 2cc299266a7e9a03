/* cuda: what the rest of the program may know of CUDA. C-callable; compiled by nvcc when it is there, else the
 * functions come from absent.c, which says so. Nothing of the CUDA headers leaks out of this folder.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/job.h"
#include "core/engine/device.h"

/* The CUDA Toolkit's major version that this was built with: 13; 0: it was built without. */
int eb_cuda_toolkit(void);

/* Lists up to `capacity` CUDA devices; *count is how many there are. EB_NO_DEVICE and the reason (built without nvcc,
 * no driver, driver older than the runtime, no device) when there is none. */
eb_code eb_cuda_devices(eb_device *devices, size_t capacity, size_t *count, eb_status *status);

/* Whether the system shows so many GPUs, as far as that can be told without waking CUDA up. */
bool eb_cuda_seen(int device);

/* Makes a context on a device, in a thread of its own; only the first call does. A caller that needs CUDA earlier waits
 * as usual. eb_cuda_stop, before the program ends, waits for that thread. */
void eb_cuda_start(int device);
bool eb_cuda_started(void);
void eb_cuda_stop(void);

/* Returns when the device has its context, so that no trial's time holds its making. A failure is left to the next
 * call that needs the device. */
void eb_cuda_ready(int device);

/* Measures the GPU's limits in about half a second: register-only loops of one instruction, and plain copies. */
eb_code eb_cuda_limits(int device, eb_job *job, double limit[EB_LIMITS], eb_status *status);

/* What the GPU does just now, from NVML; takes well under a millisecond, from any thread, whatever runs. All NAN
 * without NVML. */
eb_gpu_now eb_cuda_now(int device);

typedef struct eb_gpu_memory {
    double used_bytes, all_bytes; /* NAN: unknown */
} eb_gpu_memory;

/* From NVML, from any thread, whatever runs. NAN without it. */
eb_gpu_memory eb_cuda_memory_now(int device);
