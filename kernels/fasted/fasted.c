/* fasted: describes the engine. cpu/engine.c implements it on the host, cuda/engine.cu on GPUs. */
#include "core/engine/spec.h"
#include "kernels/fasted/cpu/rung.h"
#include "kernels/fasted/switches.h"
#include "kernels/tensor/cpu/engine.h"

#define OPTION(bit, name_, presets_, needs_, published, help_)                                                         \
    {.name = (name_),                                                                                                  \
     .type = EB_ARG_FLAG,                                                                                              \
     .devices = EB_ON_CUDA,                                                                                            \
     .presets = (presets_),                                                                                            \
     .needs = (needs_),                                                                                                \
     .help = (help_),                                                                                                  \
     .published_tflops = (published)},

static const eb_option options[] = {
    {.name = "preset",
     .type = EB_ARG_PRESET,
     .devices = EB_ON_CUDA,
     .choices = "paper|best",
     .fallback = "best",
     .help = "paper: FASTED as published; best: with epsbench's additions"},
    EB_FASTED_SWITCHES(OPTION){.name = "tensor",
                               .type = EB_ARG_CHOICE,
                               .devices = EB_ON_CPU,
                               .choices = "sm_80|sm_90",
                               .fallback = "sm_90",
                               .help = "tensor core to emulate bit by bit: A100 (sm_80) or H100 (sm_90)"},
    {.name = "norms",
     .type = EB_ARG_CHOICE,
     .devices = EB_ON_ALL,
     .choices = "authors|chain|fp64",
     .fallback = "authors",
     .help = "how squares are summed to norms; authors: in pairs, rounded toward zero, as in FASTED's own code; chain: "
             "one by one, rounded toward zero; fp64: in FP64"},
    {.name = "centre",
     .type = EB_ARG_CHOICE,
     .devices = EB_ON_ALL,
     .decides = true,
     .choices = "none|mean",
     .fallback = "none",
     .help = "mean: subtract the mean of the points before rounding; the paper's future work"},
    {.name = "exponent",
     .type = EB_ARG_CHOICE,
     .devices = EB_ON_ALL,
     .decides = true,
     .choices = "none|max|auto",
     .fallback = "none",
     .help = "multiply all coordinates by a power of two before rounding; max: the greatest that fits; auto: if values "
             "would overflow or lose digits; the paper's future work"},
};

/* What the warning about rounding suggests, in this order. */
static const eb_remedy remedies[] = {{NULL, "centre=mean"},
                                     {NULL, "exponent=max"},
                                     {NULL, "centre=mean,exponent=max"},
                                     {"tensor", "type=f16,parts=2,exponent=max"},
                                     {"exact", ""},
                                     {NULL, NULL}};

extern const eb_implementation eb_fasted_cpu, eb_fasted_cuda;

static eb_code moves(const eb_options *chosen, const eb_problem *problem, double far, unsigned threads, eb_job *job,
                     eb_rounded *out, eb_status *status)
{
    const eb_rung rung = eb_fasted_rung(chosen);
    if (!eb_rung_prepares(&rung))
        return eb_rounding_moves(&eb_rounding_fp16, problem, far, threads, job, out, status);
    return eb_tensor_moves(&rung, problem, far, threads, job, out, status);
}

static eb_code explain(const eb_dataset *points, size_t i, size_t j, double eps, const eb_options *chosen,
                       struct eb_report *report, eb_status *status);

eb_code eb_fasted_plan(const eb_options *, size_t, size_t, const struct eb_machine *, struct eb_kernel_plan *,
                       eb_status *);

const eb_engine eb_engine_fasted = {
    .name = "fasted",
    .title = "FASTED",
    .exactness = EB_APPROXIMATE,
    .rounding = &eb_rounding_fp16,
    .f32_distances = true,
    .moves = moves,
    .remedies = remedies,
    .fits = "exponent=max",
    .explain = explain,
    .plan = eb_fasted_plan,
    .options = EB_OPTIONS(options),
    .published_tflops = 154,
    .published_note =
        "published: Table 5 of FASTED's paper, on an A100 at d = 4096; slowdowns are comparable, rates only on "
        "that GPU at that d",
    .on = {[EB_DEVICE_CPU] = {"FP16 tensor cores with FP32 sums, ‖p‖² + ‖q‖² − 2⟨p,q⟩ (FASTED, ICPP'25), emulated bit "
                              "by bit",
                              &eb_fasted_cpu},
           [EB_DEVICE_CUDA] = {"FP16 tensor cores with FP32 sums, ‖p‖² + ‖q‖² − 2⟨p,q⟩ (FASTED, ICPP'25)",
                               EB_CUDA_PART(eb_fasted_cuda)}},
};

static eb_code explain(const eb_dataset *points, size_t i, size_t j, double eps, const eb_options *chosen,
                       struct eb_report *report, eb_status *status)
{
    const eb_spec spec = {.engine = &eb_engine_fasted, .options = *chosen};
    const eb_rung rung = eb_fasted_rung(chosen);
    char text[EB_SPEC_TEXT];
    const eb_explained what = {.engine = eb_engine_fasted.name,
                               .spec = eb_spec_text(&spec, text, sizeof text),
                               .who = eb_engine_fasted.title,
                               .core = rung.adder.fraction == 24 ? "sm_80" : "sm_90"};
    return eb_tensor_explain(&rung, &what, points, i, j, eps, report, status);
}
