/* wmma: describes the engines wmma, the teaching baseline, and wmma-ref. cuda/wmma.cu and cuda/wmma_ref.cu implement
 * them. */
#include "core/engine/engine.h"

extern const eb_implementation eb_wmma_cuda;

const eb_engine eb_engine_wmma = {
    .name = "wmma",
    .title = "Plain WMMA",
    .exactness = EB_APPROXIMATE,
    .about =
        "The teaching baseline: read it before the other kernels. It is neither TED-Join nor the WMMA-Ref of "
        "the TED-Join paper's Fig. 3, NVIDIA's double-precision tensor-core GEMM that writes the whole n × n matrix.",
    .on = {[EB_DEVICE_CUDA] = {"FP64 tensor cores through plain WMMA tiles: the teaching baseline, not to be fast",
                               EB_CUDA_PART(eb_wmma_cuda)}},
};

extern const eb_implementation eb_wmma_ref_cuda;

const eb_engine eb_engine_wmma_ref = {
    .name = "wmma-ref",
    .title = "WMMA-Ref",
    .exactness = EB_APPROXIMATE,
    .about = "What the FASTED and TED-Join papers call WMMA-Ref: a matrix product on FP64 tensor cores that writes all "
             "n × n squared distances, and a scan of them, √s ≤ ε being near. It refuses what does not fit the GPU's "
             "memory: 8 bytes a pair.",
    .on = {[EB_DEVICE_CUDA] = {"FP64 tensor cores, all n × n distances in memory, then a scan (WMMA-Ref)",
                               EB_CUDA_PART(eb_wmma_ref_cuda)}},
};
