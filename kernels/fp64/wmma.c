/* wmma: the description of the engine to be read. Its implementation: wmma.cu. */
#include "core/engine/engine.h"

extern const eb_implementation eb_wmma_cuda;

const eb_engine eb_engine_wmma = {
    .name = "wmma",
    .formerly = "wmma-ref",
    .title = "Plain WMMA",
    .exactness = EB_APPROXIMATE,
    .about = "The teaching baseline: read it before the other kernels. It is neither TED-Join nor the WMMA-Ref of "
             "FASTED's Fig. 3, NVIDIA's double-precision tensor-core GEMM that writes the whole n × n matrix.",
    .on = {[EB_DEVICE_CUDA] = {"FP64 tensor cores through plain WMMA tiles: the teaching baseline, not to be fast",
                               EB_CUDA_PART(eb_wmma_cuda)}},
};
