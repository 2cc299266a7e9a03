/* ted: the description of the engine with TED-Join's arithmetic. Its implementation: ted.cu, ted_kernel.cuh. */
#include "core/engine/engine.h"

extern const eb_implementation eb_ted_cuda;

const eb_engine eb_engine_ted = {
    .name = "ted",
    .title = "TED-Join",
    .exactness = EB_APPROXIMATE,
    .on = {[EB_DEVICE_CUDA] = {"FP64 tensor cores, ‖p‖² + ‖q‖² − 2⟨p,q⟩ (TED-Join's arithmetic, FASTED's tiling)",
                               EB_CUDA_PART(eb_ted_cuda)}},
};
