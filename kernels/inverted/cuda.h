/* inverted: inverted files (core/inverted/inverted.h) on a GPU: the assigner that finds nearest lists while a file is
 * built, and the search. Both give the same bits as the CPU's threads. Callable from C; without nvcc all functions fail
 * and say what is missing.
 */
#pragma once

#include "core/engine/device.h"
#include "kernels/inverted/cpu/build.h"
#include "kernels/inverted/cpu/search.h"

/* The resources of a search. The device must outlive the search. */
typedef struct eb_inverted_context {
    const eb_device *device;
    const eb_dataset *points; /* the dataset of the file's rows, for refining */
    unsigned threads;
    uint64_t memory_limit; /* bytes on the device; 0: all that is free */
} eb_inverted_context;

/* Opens a search; its close function frees *out. */
eb_code eb_inverted_cuda_open(const eb_inverted_file *file, const eb_inverted_context *with, void **out,
                              eb_status *status);
extern const eb_inverted_search eb_inverted_search_cuda;

/* EB_NO_ENGINE for a GPU that cannot run the search. */
eb_code eb_inverted_cuda_probe(const eb_device *device, eb_status *status);

/* Opens an assigner, valid until eb_assigner_cuda_close. The device must outlive it. threads: of the host, for uploads.
 */
eb_code eb_assigner_cuda_open(const eb_device *device, unsigned threads, eb_assigner *out, eb_status *status);
void eb_assigner_cuda_close(eb_assigner *nearest); /* may be zeroed */
