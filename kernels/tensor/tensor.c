/* tensor: describes the engine: distances by the tensor cores' arithmetic in any of their number types. cpu/engine.c
 * implements it on the host, cuda/engine.cu on GPUs, with the same bits. */
#include "core/engine/spec.h"
#include "kernels/tensor/cpu/engine.h"

static const eb_option options[] = {
    {.name = "type",
     .type = EB_ARG_CHOICE,
     .devices = EB_ON_ALL,
     .choices = "f16|bf16|tf32|e4m3|e5m2|s8|f64",
     .fallback = "f16",
     .help = "number type of coordinates: FP16, BF16, TF32, FP8 in two forms, 8-bit integers or FP64"},
    {.name = "sums",
     .type = EB_ARG_CHOICE,
     .devices = EB_ON_ALL,
     .choices = "f32|f16",
     .fallback = "f32",
     .help = "type in which the tensor core adds products; f16 exists for f16, e4m3 and e5m2"},
    {.name = "core",
     .type = EB_ARG_CHOICE,
     .devices = EB_ON_CPU,
     .choices = "sm_80|sm_89|sm_90|sm_100",
     .fallback = "sm_90",
     .help = "tensor core to emulate bit by bit: A100 (sm_80), L40 (sm_89), H100 and H200 (sm_90), B200 (sm_100)"},
    {.name = "path",
     .type = EB_ARG_CHOICE,
     .devices = EB_ON_ALL,
     .choices = "auto|wgmma|mma",
     .fallback = "auto",
     .help =
         "instruction; auto: wgmma on sm_90, mma elsewhere; only FP8 on sm_90 has other bits by one than by the other"},
    {.name = "promote",
     .type = EB_ARG_INTEGER,
     .devices = EB_ON_ALL,
     .fallback = "-1",
     .min = -1,
     .max = 65536,
     .help =
         "coordinates after which a sum is added to an FP32 sum outside the tensor core; 0: never; -1: 128 for FP8, "
         "never for other types"},
    {.name = "parts",
     .type = EB_ARG_INTEGER,
     .devices = EB_ON_ALL,
     .fallback = "1",
     .min = 1,
     .max = 3,
     .help = "numbers whose sum is a coordinate; two of f16 have about FP32's accuracy, with three products"},
    {.name = "centre",
     .type = EB_ARG_CHOICE,
     .devices = EB_ON_ALL,
     .choices = "none|mean",
     .fallback = "none",
     .help = "mean: subtract the mean of the points before rounding"},
    {.name = "exponent",
     .type = EB_ARG_CHOICE,
     .devices = EB_ON_ALL,
     .choices = "none|max|auto",
     .fallback = "none",
     .help = "multiply all coordinates by a power of two before rounding; max: the greatest that fits; auto: if values "
             "would overflow or lose digits"},
    {.name = "step",
     .type = EB_ARG_CHOICE,
     .devices = EB_ON_ALL,
     .choices = "one|point",
     .fallback = "one",
     .help = "type=s8: one step for all points, which keeps whole numbers up to 127 exactly, or a step for each point"},
    {.name = "rotate",
     .type = EB_ARG_CHOICE,
     .devices = EB_ON_ALL,
     .choices = "none|hadamard",
     .fallback = "none",
     .help = "hadamard: rotate the points first, so that no dimension is much larger than the others"},
    {.name = "debias",
     .type = EB_ARG_CHOICE,
     .devices = EB_ON_ALL,
     .choices = "off|on",
     .fallback = "off",
     .help = "on: correct norms by the mean error that rounding causes in the distances of near points"},
};

static eb_code moves(const eb_options *chosen, const eb_problem *problem, double far, unsigned threads, eb_job *job,
                     eb_rounded *out, eb_status *status)
{
    eb_rung rung;
    EB_TRY(eb_rung_of(chosen, &rung, status));
    return eb_tensor_moves(&rung, problem, far, threads, job, out, status);
}

static eb_code explain(const eb_dataset *points, size_t i, size_t j, double eps, const eb_options *chosen,
                       struct eb_report *report, eb_status *status);

eb_code eb_tensor_plan(const eb_options *, size_t, size_t, const struct eb_machine *, struct eb_kernel_plan *,
                       eb_status *);

extern const eb_implementation eb_tensor_cuda;

const eb_engine eb_engine_tensor = {
    .name = "tensor",
    .title = "tensor cores",
    .exactness = EB_APPROXIMATE,
    .options = EB_OPTIONS(options),
    .moves = moves,
    .explain = explain,
    .plan = eb_tensor_plan,
    .about =
        "tensor[type=bf16] answers whether BF16 is enough for these points: `compare tensor[type=bf16] ref64 S=64`.",
    .on = {[EB_DEVICE_CPU] = {"any number type of tensor cores (TF32, BF16, FP16, FP8, INT8), emulated bit by bit",
                              &eb_tensor_cpu},
           [EB_DEVICE_CUDA] = {"any number type of tensor cores (TF32, BF16, FP16, FP8, INT8, FP64)",
                               EB_CUDA_PART(eb_tensor_cuda)}},
};

static eb_code explain(const eb_dataset *points, size_t i, size_t j, double eps, const eb_options *chosen,
                       struct eb_report *report, eb_status *status)
{
    static const char *const cores[] = {"sm_80", "sm_89", "sm_90", "sm_100"};
    const eb_spec spec = {.engine = &eb_engine_tensor, .options = *chosen};
    char text[EB_SPEC_TEXT];
    eb_rung rung;
    EB_TRY(eb_rung_of(chosen, &rung, status));
    const eb_explained what = {.engine = eb_engine_tensor.name,
                               .spec = eb_spec_text(&spec, text, sizeof text),
                               .who =
                                   rung.number == EB_F64_NUMBER ? "the engine" : eb_number_type_of(rung.number)->title,
                               .core = cores[eb_option_choice(chosen, "core")]};
    return eb_tensor_explain(&rung, &what, points, i, j, eps, report, status);
}
