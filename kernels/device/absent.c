/* absent: replaces the CUDA units in a build without nvcc. Every function reports that the GPU engines are missing and
 * how to get them. */
#include <math.h>

#include "kernels/device/counters.h"
#include "kernels/device/cuda.h"
#include "kernels/inverted/cuda.h"

static eb_code absent(eb_status *status)
{
    return eb_fail(
        status, EB_NO_DEVICE,
        "this epsbench was built without nvcc; install the CUDA Toolkit and run make again for the GPU engines");
}

int eb_cuda_toolkit(void) { return 0; }

eb_code eb_cuda_devices(eb_device *devices, size_t capacity, size_t *count, eb_status *status)
{
    (void)devices;
    (void)capacity;
    *count = 0;
    return absent(status);
}

bool eb_cuda_seen(int device)
{
    (void)device;
    return false;
}

void eb_cuda_start(int device) { (void)device; }

bool eb_cuda_started(void) { return false; }

void eb_cuda_stop(void) {}

void eb_cuda_ready(int device) { (void)device; }

eb_code eb_cuda_limits(int device, eb_job *job, double limit[EB_LIMITS], eb_status *status)
{
    (void)device;
    (void)job;
    (void)limit;
    return absent(status);
}

eb_gpu_now eb_cuda_now(int device)
{
    (void)device;
    return (eb_gpu_now){NAN, NAN, NAN, NAN};
}

eb_gpu_memory eb_cuda_memory_now(int device)
{
    (void)device;
    return (eb_gpu_memory){NAN, NAN};
}

eb_code eb_counters_passes(const char *chip, size_t *passes, size_t *known, eb_status *status)
{
    (void)chip;
    *passes = *known = 0;
    return absent(status);
}

eb_code eb_counters_collect(int device, eb_code (*work)(void *context, eb_status *status), void *context,
                            double *values, size_t *passes, eb_status *status)
{
    (void)device;
    (void)work;
    (void)context;
    (void)values;
    *passes = 0;
    return absent(status);
}

/* ---- inverted files ---- */

eb_code eb_assigner_cuda_open(const eb_device *device, unsigned threads, eb_assigner *out, eb_status *status)
{
    (void)device, (void)threads;
    *out = (eb_assigner){0};
    return absent(status);
}

void eb_assigner_cuda_close(eb_assigner *nearest) { (void)nearest; }

eb_code eb_inverted_cuda_probe(const eb_device *device, eb_status *status)
{
    (void)device;
    return absent(status);
}

eb_code eb_inverted_cuda_open(const eb_inverted_file *file, const eb_inverted_context *with, void **out,
                              eb_status *status)
{
    (void)file;
    (void)with;
    *out = NULL;
    return absent(status);
}

const eb_inverted_search eb_inverted_search_cuda = {.find = NULL}; /* never called: eb_inverted_cuda_open fails */
