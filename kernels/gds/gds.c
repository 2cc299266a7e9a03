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
     .help = "GDS-Join as published, or without any of its switches"},
    FLAG("reorder", "paper", "dimensions by their variance, the greatest first: these are indexed, and summed first"),
    FLAG("short-circuit", "paper", "no more dimensions of a pair whose sum is beyond ε already"),
    FLAG("unidirectional", "", "each pair of cells is looked at from one of them"),
    EB_OPTION_TYPE(EB_ON_CUDA, "f32"),
    {.name = "k",
     .type = EB_ARG_INTEGER,
     .devices = EB_ON_CUDA,
     .fallback = "6",
     .min = 1,
     .max = 6,
     .help = "dimensions that the grid indexes"},
    {.name = "ilp",
     .type = EB_ARG_CHOICE,
     .devices = EB_ON_CUDA,
     .choices = "1|2|4|8|16|32",
     .fallback = "8",
     .help = "dimensions of a group: their squares are added up one by one, then the sum is tested (fours at least)"},
    {.name = "queries",
     .type = EB_ARG_CHOICE,
     .devices = EB_ON_CUDA,
     .choices = "size|cell",
     .fallback = "size",
     .help = "whose come first: those of crowded cells, or of cells as they lie"},
    EB_OPTION_DECIDE(EB_ON_CUDA),
};

extern const eb_implementation eb_gds_cuda;

const eb_engine eb_engine_gds = {
    .name = "gds",
    .title = "GDS-Join",
    .exactness = EB_APPROXIMATE,
    .exactness_of = eb_decided_exactness,
    .options = EB_OPTIONS(options),
    .about =
        "Non-empty cells of side ε in the dimensions of greatest variance; of each point, those of its own and of "
        "neighbouring cells are candidates. A pair's sum and verdict are the authors' (f32, groups of 8, √s ≤ ε). "
        "What their code has compiled in (d), takes from a sample (variance, size of batches) or loses (a pair whose "
        "cells' numbers round apart) is not so here.",
    .on = {[EB_DEVICE_CUDA] = {"a grid of cells of side ε, differences on CUDA cores (GDS-Join)",
                               EB_CUDA_PART(eb_gds_cuda)}},
};
