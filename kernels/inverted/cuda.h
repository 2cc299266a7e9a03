/* inverted: an inverted file (core/inverted/inverted.h) on a GPU: who finds the nearest lists while one is built, and
 * who searches it. Both give the bits that the CPU's threads give. C-callable; without nvcc they say what is missing.
 */
#ifndef EB_KERNELS_INVERTED_CUDA_H
#define EB_KERNELS_INVERTED_CUDA_H

#include "core/inverted/assigner.h"
#include "core/inverted/question.h"

extern const eb_inverted_search eb_inverted_search_cuda;

/* EB_NO_ENGINE for a GPU that it cannot search on. */
eb_code eb_inverted_cuda_probe(const eb_device *device, eb_status *status);

/* What searching takes of the GPU's memory, with so many places in the lists. */
uint64_t eb_inverted_cuda_bytes(uint64_t places, size_t d, const eb_inverted_shape *shape);

/* *out may be used until it is closed. */
eb_code eb_assigner_cuda_open(const eb_device *device, eb_assigner *out, eb_status *status);
void eb_assigner_cuda_close(eb_assigner *nearest); /* a zeroed one is fine */

#endif
