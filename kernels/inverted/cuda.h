/* inverted: an inverted file (core/inverted/inverted.h) on a GPU: who finds the nearest lists while one is built, and
 * who searches it. Both give the bits that the CPU's threads give. C-callable; without nvcc they say what is missing.
 */
#pragma once

#include "core/engine/device.h"
#include "kernels/inverted/cpu/build.h"
#include "kernels/inverted/cpu/search.h"

/* What searching may use. The device outlives it. */
typedef struct eb_inverted_context {
    const eb_device *device;
    const eb_dataset *points; /* whose rows the file has, for refining */
    unsigned threads;
    uint64_t memory_limit; /* bytes of the device; 0: what is free */
} eb_inverted_context;

/* *out is freed by the search's close. */
eb_code eb_inverted_cuda_open(const eb_inverted_file *file, const eb_inverted_context *with, void **out,
                              eb_status *status);
extern const eb_inverted_search eb_inverted_search_cuda;

/* EB_NO_ENGINE for a GPU that it cannot search on. */
eb_code eb_inverted_cuda_probe(const eb_device *device, eb_status *status);

/* *out may be used until it is closed. */
eb_code eb_assigner_cuda_open(const eb_device *device, eb_assigner *out, eb_status *status);
void eb_assigner_cuda_close(eb_assigner *nearest); /* a zeroed one is fine */
