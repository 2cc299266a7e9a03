/* ref64: describes the FP64 reference, the engine that defines the exact result. Its implementations are cpu/engine.c
 * and cuda/ref64.cu. */
#include "core/engine/engine.h"

extern const eb_implementation eb_ref64_cpu, eb_ref64_cuda;

static const eb_option options[] = {
    {.name = "integers",
     .type = EB_ARG_FLAG,
     .devices = EB_ON_CPU,
     .fallback = "on",
     .help = "small whole numbers as 16-bit integers, where no FP64 sum would round"},
    {.name = "filter",
     .type = EB_ARG_FLAG,
     .devices = EB_ON_CPU,
     .fallback = "on",
     .help = "FP32 with a proven bound drops what is far, FP64 decides the rest"},
};

const eb_engine eb_engine_ref64 = {
    .name = "ref64",
    .title = "FP64 reference",
    .exactness = EB_TRUTH,
    .options = EB_OPTIONS(options),
    .on = {[EB_DEVICE_CPU] = {"the truth: FP64 differences, one FMA per coordinate; integers and an FP32 filter where "
                              "they give its bits",
                              &eb_ref64_cpu},
           [EB_DEVICE_CUDA] = {"the truth: FP64 differences on CUDA cores", EB_CUDA_PART(eb_ref64_cuda)}},
};
