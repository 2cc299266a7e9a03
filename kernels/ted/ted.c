/* ted: describes the engines of TED-Join (Gallet & Gowanlock, HiPC'22): ted, brute force, and ted-index, over a grid.
 * cuda/ted.cu implements both. */
#include "core/engine/decide.h"

#define SHORT_CIRCUIT(presets_, fallback_)                                                                             \
    {.name = "short-circuit",                                                                                          \
     .type = EB_ARG_FLAG,                                                                                              \
     .devices = EB_ON_CUDA,                                                                                            \
     .presets = (presets_),                                                                                            \
     .fallback = (fallback_),                                                                                          \
     .help = "stop summing once all of 8 × 8 pairs are beyond ε (published kernel)"}
#define QUERIES                                                                                                        \
    {.name = "queries",                                                                                                \
     .type = EB_ARG_INTEGER,                                                                                           \
     .devices = EB_ON_CUDA,                                                                                            \
     .fallback = "16",                                                                                                 \
     .min = 1,                                                                                                         \
     .max = 16,                                                                                                        \
     .help = "queries of a warp at a time (published kernel), at most the rows of the shape"}
#define SHAPE                                                                                                          \
    {.name = "shape",                                                                                                  \
     .type = EB_ARG_CHOICE,                                                                                            \
     .devices = EB_ON_CUDA,                                                                                            \
     .choices = "8x8x4|16x8x16|differences",                                                                           \
     .fallback = "8x8x4",                                                                                              \
     .help = "tensor instruction of the published kernel: queries, candidates and dimensions of a partial norm; "      \
             "differences: 8x8x4 with p - q, of whose 64 results 8 are used"}

static const eb_option brute[] = {
    {.name = "kernel",
     .type = EB_ARG_CHOICE,
     .devices = EB_ON_CUDA,
     .choices = "paper|tiles",
     .fallback = "tiles",
     .help = "paper: TED-Join-Brute as published; tiles: its arithmetic in FASTED's tiles"},
    SHORT_CIRCUIT(NULL, "on"),
    QUERIES,
    SHAPE,
    EB_OPTION_DECIDE(EB_ON_CUDA),
};

static const eb_option indexed[] = {
    {.name = "preset",
     .type = EB_ARG_PRESET,
     .devices = EB_ON_CUDA,
     .choices = "paper|bare",
     .fallback = "paper",
     .help = "paper: TED-Join-Index as published; bare: without its switches"},
    {.name = "reorder",
     .type = EB_ARG_FLAG,
     .devices = EB_ON_CUDA,
     .presets = "paper",
     .help = "sort the dimensions by variance, greatest first, for the index and the sums"},
    SHORT_CIRCUIT("paper", NULL),
    {.name = "k",
     .type = EB_ARG_INTEGER,
     .devices = EB_ON_CUDA,
     .fallback = "6",
     .min = 1,
     .max = 6,
     .help = "number of dimensions that the grid indexes"},
    QUERIES,
    SHAPE,
    EB_OPTION_DECIDE(EB_ON_CUDA),
};

extern const eb_implementation eb_ted_cuda, eb_ted_index_cuda;

eb_code eb_ted_plan(const eb_options *, size_t, size_t, const struct eb_machine *, struct eb_kernel_plan *,
                    eb_status *);

eb_code eb_ted_index_plan(const eb_options *, size_t, size_t, const struct eb_machine *, struct eb_kernel_plan *,
                          eb_status *);

const eb_engine eb_engine_ted = {
    .name = "ted",
    .title = "TED-Join",
    .exactness = EB_APPROXIMATE,
    .exactness_of = eb_decided_exactness,
    .plan = eb_ted_plan,
    .options = EB_OPTIONS(brute),
    .about = "With kernel=paper, a warp takes eight queries, and eight candidates at a time, by m8n8k4 on FP64 tensor "
             "cores with norms of four dimensions each. The verdict is √s ≤ ε.\n\n"
             "The authors' code has the number of dimensions compiled in. It takes the absolute value of sums below 0; "
             "here they are 0.",
    .on = {[EB_DEVICE_CUDA] = {"FP64 tensor cores, ‖p‖² + ‖q‖² − 2⟨p,q⟩ (TED-Join's arithmetic, FASTED's tiling)",
                               EB_CUDA_PART(eb_ted_cuda)}},
};

const eb_engine eb_engine_ted_index = {
    .name = "ted-index",
    .title = "TED-Join-Index",
    .exactness = EB_APPROXIMATE,
    .exactness_of = eb_decided_exactness,
    .plan = eb_ted_index_plan,
    .options = EB_OPTIONS(indexed),
    .about = "Uses GDS-Join's grid and the kernel of ted[paper]: up to eight queries of a cell against the points of "
             "that cell and of its neighbours. The authors' code crashes on a million points in 3 dimensions; here "
             "there is no such limit.",
    .on = {[EB_DEVICE_CUDA] = {"a grid of cells of side ε, expansion on FP64 tensor cores (TED-Join-Index)",
                               EB_CUDA_PART(eb_ted_index_cuda)}},
};
