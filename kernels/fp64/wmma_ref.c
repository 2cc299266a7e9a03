/* wmma_ref: the description of the engine to be read. Its implementation: wmma_ref.cu. */
#include "core/engine/engine.h"

extern const eb_implementation eb_wmma_ref_cuda;

const eb_engine eb_engine_wmma_ref = {
    .name = "wmma-ref",
    .title = "WMMA reference",
    .exactness = EB_APPROXIMATE,
    .on = {[EB_DEVICE_CUDA] = {"FP64 tensor cores through plain WMMA: TED-Join to be read, not to be fast",
                               EB_CUDA_PART(eb_wmma_ref_cuda)}},
};
