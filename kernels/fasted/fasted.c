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

/* Why the model has other figures than the paper, by its tables, its authors' code (blockMma.cuh) and runs of both on
 * an H200 (tests/bench/gpu.md). */
static const eb_published_why published_why[] = {
    {"", "the paper has about 31, 55 and 154 TFLOPS at d = 128, 256 and 4096: its own code, run on an H200, takes 2.3, "
         "2.2 and 1.65 times as long as this version of the preset, since it computes each shared address anew and its "
         "longer code waits to be fetched; at d = 4096 its clock was 1.12 GHz (Table 6), which the power here is "
         "fitted to"},
    {"tile-order", "without it half of all bytes come from DRAM; the model has DRAM's rate and power, but no waits for "
                   "it; an H200 takes 1.16 times as long"},
    {"block-tile",
     "what theirs does without it is not told; ours gives each warp a tile of its own and reads twice the "
     "bytes from L2, with which an H200 takes 1.36 times as long"},
    {"async-copy",
     "their loop, as written, stores a piece of 16 bytes before it loads the next; ours has several loads on their "
     "way, and an H200 takes 1.38 times as long"},
    {"residency",
     "theirs has more waits to hide: on an H200 at d = 64 an instruction waits 5.9 clocks to be fetched, in "
     "ours 3.8; there ours takes 1.47 times as long"},
    {"warp-tile", "the same in both, block tiles of 32 × 16 that hardly multiply; theirs loses less because its full "
                  "kernel is slower; an H200 takes 7.3 times as long with ours"},
    {"swizzle", "without it all our loads conflict 8-fold, and an H200 takes 3.5 times as long; theirs cannot do so: "
                "with shared memory 36 % busy (Table 6), 8 times as much is 2.9 times as long"},
    {NULL, NULL}};

eb_code eb_fasted_plan(const eb_options *, size_t, size_t, const struct eb_machine *, struct eb_kernel_plan *,
                       eb_status *);
void eb_fasted_source(const struct eb_kernel_plan *, eb_kernel_source *);

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
    .source = eb_fasted_source,
    .options = EB_OPTIONS(options),
    .published_tflops = 154,
    .published_note =
        "published: Table 5 of FASTED's paper, on an A100 at d = 4096; slowdowns are comparable, rates only on "
        "that GPU at that d",
    .published_why = published_why,
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
