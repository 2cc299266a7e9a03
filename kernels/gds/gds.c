/* gds: the description of GDS-Join (Gowanlock & Karsin; Gowanlock, Gallet & Donnelly). The implementation is in
 * cuda/engine.cu, the grid in kernels/grid. */
#include "core/engine/decide.h"

#define FLAG(name_, presets_, help_)                                                                                   \
    {.name = (name_), .type = EB_ARG_FLAG, .devices = EB_ON_CUDA, .presets = (presets_), .help = (help_)}

static const eb_option options[] = {
    {.name = "preset",
     .type = EB_ARG_PRESET,
     .devices = EB_ON_CUDA,
     .choices = "paper|bare",
     .fallback = "paper",
     .help = "paper: GDS-Join as published; bare: without its switches"},
    FLAG("reorder", "paper", "sort the dimensions by variance, greatest first, for the index and the sums"),
    FLAG("short-circuit", "paper", "stop summing a pair once it is beyond ε"),
    FLAG("unidirectional", "", "visit each pair of cells from one of them only"),
    EB_OPTION_TYPE(EB_ON_CUDA, "f32"),
    {.name = "k",
     .type = EB_ARG_INTEGER,
     .devices = EB_ON_CUDA,
     .fallback = "6",
     .min = 1,
     .max = 6,
     .help = "number of dimensions that the grid indexes"},
    {.name = "ilp",
     .type = EB_ARG_CHOICE,
     .devices = EB_ON_CUDA,
     .choices = "1|2|4|8|16|32",
     .fallback = "8",
     .help = "dimensions of a group: squares are added one by one, and the sum is tested after each group, of four at "
             "least"},
    {.name = "queries",
     .type = EB_ARG_CHOICE,
     .devices = EB_ON_CUDA,
     .choices = "size|cell",
     .fallback = "size",
     .help = "order of the queries: size: those of crowded cells first; cell: as cells lie"},
    EB_OPTION_DECIDE(EB_ON_CUDA),
};

extern const eb_implementation eb_gds_cuda;

eb_code eb_gds_plan(const eb_options *, size_t, size_t, const struct eb_machine *, struct eb_kernel_plan *,
                    eb_status *);

const eb_engine eb_engine_gds = {
    .name = "gds",
    .title = "GDS-Join",
    .exactness = EB_APPROXIMATE,
    .exactness_of = eb_decided_exactness,
    .plan = eb_gds_plan,
    .options = EB_OPTIONS(options),
    .about = "The grid has the non-empty cells of side ε in the dimensions of greatest variance. The candidates of a "
             "point are the points of its own and of neighbouring cells. A pair's sum and verdict are the authors' "
             "(f32, groups of 8, √s ≤ ε).\n\n"
             "The authors' code has d compiled in, takes variance and the size of batches from a sample, and loses "
             "pairs whose cells' numbers round apart. This engine does none of that.",
    .on = {[EB_DEVICE_CUDA] = {"a grid of cells of side ε, differences on CUDA cores (GDS-Join)",
                               EB_CUDA_PART(eb_gds_cuda)}},
};
