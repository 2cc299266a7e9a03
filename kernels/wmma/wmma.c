/* wmma: describes the engines wmma, the teaching baseline, and wmma-ref. cuda/wmma.cu and cuda/wmma_ref.cu implement
 * them. */
#include "core/engine/engine.h"

extern const eb_implementation eb_wmma_cuda;

eb_code eb_wmma_plan(const eb_options *, size_t, size_t, const struct eb_machine *, struct eb_kernel_plan *,
                     eb_status *);

const eb_engine eb_engine_wmma = {
    .name = "wmma",
    .title = "Plain WMMA",
    .exactness = EB_APPROXIMATE,
    .plan = eb_wmma_plan,
    .about = "The teaching baseline: read it before the other kernels. It is not TED-Join, and not the WMMA-Ref of the "
             "TED-Join paper's Fig. 3, which is NVIDIA's FP64 tensor-core GEMM that writes the whole n × n matrix.",
    .on = {[EB_DEVICE_CUDA] = {"FP64 tensor cores through plain WMMA tiles: the teaching baseline, not made for speed",
                               EB_CUDA_PART(eb_wmma_cuda)}},
};

extern const eb_implementation eb_wmma_ref_cuda;

eb_code eb_wmma_ref_plan(const eb_options *, size_t, size_t, const struct eb_machine *, struct eb_kernel_plan *,
                         eb_status *);

const eb_engine eb_engine_wmma_ref = {
    .name = "wmma-ref",
    .title = "WMMA-Ref",
    .exactness = EB_APPROXIMATE,
    .plan = eb_wmma_ref_plan,
    .about = "The WMMA-Ref of the FASTED and TED-Join papers. A matrix product on FP64 tensor cores writes all n × n "
             "squared distances, and a scan finds those with √s ≤ ε. Problems that do not fit the GPU's memory, at 8 "
             "bytes a pair, are refused.",
    .on = {[EB_DEVICE_CUDA] = {"FP64 tensor cores, all n × n distances in memory, then a scan (WMMA-Ref)",
                               EB_CUDA_PART(eb_wmma_ref_cuda)}},
};
