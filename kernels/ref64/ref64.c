/* ref64: describes the FP64 reference, the engine that defines the exact result. Its implementations are cpu/engine.c
 * and cuda/ref64.cu. */
#include "core/engine/engine.h"

extern const eb_implementation eb_ref64_cpu, eb_ref64_cuda;

static const eb_option options[] = {
    {.name = "integers",
     .type = EB_ARG_FLAG,
     .devices = EB_ON_CPU,
     .fallback = "on",
     .help = "compute with integers for small whole numbers, if no FP64 sum would round"},
    {.name = "filter",
     .type = EB_ARG_FLAG,
     .devices = EB_ON_CPU,
     .fallback = "on",
     .help = "an FP32 filter with a proven bound drops far pairs, FP64 decides the rest"},
    {.name = "bytes",
     .type = EB_ARG_FLAG,
     .devices = EB_ON_CPU,
     .fallback = "on",
     .help = "8-bit products for such integers and before that filter, if the CPU has VNNI"},
};

eb_code eb_ref64_plan(const eb_options *, size_t, size_t, const struct eb_machine *, struct eb_kernel_plan *,
                      eb_status *);

const eb_engine eb_engine_ref64 = {
    .name = "ref64",
    .title = "FP64 reference",
    .exactness = EB_TRUTH,
    .plan = eb_ref64_plan,
    .options = EB_OPTIONS(options),
    .on = {[EB_DEVICE_CPU] = {"the truth: FP64 differences, one FMA per coordinate; integers and an FP32 filter if "
                              "they give the same bits",
                              &eb_ref64_cpu},
           [EB_DEVICE_CUDA] = {"the truth: FP64 differences on CUDA cores", EB_CUDA_PART(eb_ref64_cuda)}},
};
