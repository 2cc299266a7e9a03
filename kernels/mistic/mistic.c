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
    NUMBER("levels", "6", 1, 6, "levels of the tree; fewer where no node is left to cut"),
    NUMBER("references", "32", 0, 256,
           "layers that each level chooses from: distances to so many reference points, half of them random ones that "
           "spread "
           "the points well, half corners of the points' box"),
    NUMBER("coordinates", "6", 0, 64, "and so many coordinates, those of greatest variance"),
    NUMBER("split", "100000", 1, 2147483647,
           "pairs to look at from which on a node is cut at a level; less: it stays whole"),
    CHOICE(
        "choice", "work|spread", "work",
        "which layer: that leaves fewest pairs to look at, as the paper has it, or whose nodes' sizes differ least, as "
        "the authors' code has it"),
    FLAG("short-circuit", "on", "no more dimensions of a pair whose sum is beyond ε already"),
    FLAG("unidirectional", "off", "each pair of leaves is looked at from one of them"),
    CHOICE("ilp", "1|2|4|8|16|32", "4",
           "dimensions of a group: their squares are added up one by one, then the sum is tested (fours at least)"),
    CHOICE(
        "threads", "shared|1|2|4|8|16|32", "shared",
        "threads a point, as published (8 there): lanes that take its candidates in turn; shared: a warp's lanes take "
        "those of eight points, which share what is read"),
    EB_OPTION_TYPE(EB_ON_CUDA, "f64"),
    EB_OPTION_DECIDE(EB_ON_CUDA),
};

extern const eb_implementation eb_mistic_cuda;

const eb_engine eb_engine_mistic = {
    .name = "mistic",
    .title = "MiSTIC",
    .exactness = EB_APPROXIMATE,
    .exactness_of = eb_decided_exactness,
    .options = EB_OPTIONS(options),
    .about =
        "At each level of a tree the nodes with much left to look at are cut into bins of width ε, by their points' "
        "distance to a reference point or by a coordinate: of 38 such layers by the one that leaves the most even "
        "nodes. "
        "Leaves are neighbours where no level has them more than a bin apart. Sums are the authors', over the "
        "dimensions "
        "by their variance, with s ≤ ε² as verdict. Their code makes the tree on the host, for data in [0, 1]; here "
        "the GPU "
        "does, in the points' own box, and bins are a little wider than ε, so that none of its pairs is lost.",
    .on = {[EB_DEVICE_CUDA] = {"a tree of bins in many spaces, differences on CUDA cores (MiSTIC)",
                               EB_CUDA_PART(eb_mistic_cuda)}},
};
