/* inverted: an inverted file (core/inverted/inverted.h) on a GPU: who finds the nearest lists while one is built, and
 * who searches it. Both give the bits that the CPU's threads give. C-callable; without nvcc they say what is missing.
 */
#ifndef EB_KERNELS_INVERTED_INVERTED_H
#define EB_KERNELS_INVERTED_INVERTED_H

#include "core/inverted/assigner.h"
#include "core/inverted/question.h"

extern const eb_inverted_search eb_inverted_search_cuda;

/* *out may be used until it is closed. */
eb_code eb_assigner_cuda_open(const eb_device *device, eb_assigner *out, eb_status *status);
void eb_assigner_cuda_close(eb_assigner *nearest); /* a zeroed one is fine */

#endif
