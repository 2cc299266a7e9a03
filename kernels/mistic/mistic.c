/* mistic: the description of MiSTIC, the multi-space tree with incremental construction (Donnelly & Gowanlock). The
 * implementation is in cuda/engine.cu, the tree in cuda/tree.cuh. */
#include "core/engine/decide.h"

#define NUMBER(name_, fallback_, min_, max_, help_)                                                                    \
    {.name = (name_),                                                                                                  \
     .type = EB_ARG_INTEGER,                                                                                           \
     .devices = EB_ON_CUDA,                                                                                            \
     .fallback = (fallback_),                                                                                          \
     .min = (min_),                                                                                                    \
     .max = (max_),                                                                                                    \
     .help = (help_)}
#define CHOICE(name_, choices_, fallback_, help_)                                                                      \
    {.name = (name_),                                                                                                  \
     .type = EB_ARG_CHOICE,                                                                                            \
     .devices = EB_ON_CUDA,                                                                                            \
     .choices = (choices_),                                                                                            \
     .fallback = (fallback_),                                                                                          \
     .help = (help_)}
#define FLAG(name_, fallback_, help_)                                                                                  \
    {.name = (name_), .type = EB_ARG_FLAG, .devices = EB_ON_CUDA, .fallback = (fallback_), .help = (help_)}

static const eb_option options[] = {
    NUMBER("levels", "6", 1, 6, "levels of the tree, fewer if no node is left to cut"),
    NUMBER("references", "32", 0, 256,
           "reference points that each level chooses from: half of them random ones that spread the points well, half "
           "corners of the points' box"),
    NUMBER("coordinates", "6", 0, 64, "coordinates that each level chooses from: those of greatest variance"),
    NUMBER("split", "100000", 1, 2147483647, "fewest candidate pairs for which a level cuts a node"),
    CHOICE("choice", "work|spread", "work",
           "layer to choose: work: the one that leaves the fewest candidate pairs, as in the paper; spread: the one "
           "with the most even nodes, as in the authors' code"),
    FLAG("short-circuit", "on", "stop summing a pair once it is beyond ε"),
    FLAG("unidirectional", "off", "visit each pair of leaves from one of them only"),
    CHOICE("ilp", "1|2|4|8|16|32", "4",
           "dimensions of a group: squares are added one by one, and the sum is tested after each group, of four at "
           "least"),
    CHOICE("threads", "shared|1|2|4|8|16|32", "shared",
           "threads for the candidates of a point, 8 as published; shared: a warp serves eight points, which share "
           "what it reads"),
    EB_OPTION_TYPE(EB_ON_CUDA, "f64"),
    EB_OPTION_DECIDE(EB_ON_CUDA),
};

extern const eb_implementation eb_mistic_cuda;

eb_code eb_mistic_plan(const eb_options *, size_t, size_t, const struct eb_machine *, struct eb_kernel_plan *,
                       eb_status *);

const eb_engine eb_engine_mistic = {
    .name = "mistic",
    .title = "MiSTIC",
    .exactness = EB_APPROXIMATE,
    .exactness_of = eb_decided_exactness,
    .plan = eb_mistic_plan,
    .options = EB_OPTIONS(options),
    .about = "A tree sorts the points. At each level, nodes with many candidate pairs are cut into bins of width ε, by "
             "a layer: the distance to a reference point, or a coordinate. The level chooses one of 38 layers (option "
             "choice). Leaves are neighbours if no level has them more than a bin apart.\n\n"
             "Sums are the authors', over the dimensions by variance; the verdict is s ≤ ε². The authors' code makes "
             "the tree on the host, for data in [0, 1]. Here the GPU makes it, in the points' own box, and bins are a "
             "little wider than ε, so that no pair is lost.",
    .on = {[EB_DEVICE_CUDA] = {"a tree of bins in many spaces, differences on CUDA cores (MiSTIC)",
                               EB_CUDA_PART(eb_mistic_cuda)}},
};
