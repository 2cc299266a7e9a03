#include "kernels/ivfpq/settings.h"

extern const eb_implementation eb_ivfpq_cpu, eb_ivfpq_cuda;

static const eb_option options[] = {
    {
        .name = "nlist",
        .type = EB_ARG_INTEGER,
        .devices = EB_ON_ALL,
        .fallback = "0",
        .max = EB_MAX_LISTS,
        .help = "lists that points are put into; 0: the power of two nearest to √n",
    },
    {
        .name = "m",
        .type = EB_ARG_INTEGER,
        .devices = EB_ON_ALL,
        .fallback = "0",
        .max = EB_MAX_DIMENSIONS,
        .help = "pieces that a point is coded by, a byte each; divides d; 0: d up to 16, else at most 64, of two "
                "coordinates or more",
    },
    {
        .name = "nprobe",
        .type = EB_ARG_INTEGER,
        .devices = EB_ON_ALL,
        .fallback = "0",
        .max = EB_MAX_LISTS,
        .help = "lists that a query looks at; 0: 32, or all where there are fewer",
    },
    {
        .name = "lut",
        .type = EB_ARG_CHOICE,
        .devices = EB_ON_ALL,
        .choices = "f32|f16|e5m3|e4m4|e4m3|e5m2|u8",
        .fallback = "f32",
        .help = "what the entries of look-up tables are rounded to",
    },
    {
        .name = "accumulate",
        .type = EB_ARG_CHOICE,
        .devices = EB_ON_ALL,
        .choices = "f32|f16",
        .fallback = "f32",
        .help = "what sums of entries are rounded to; those of u8 are whole numbers",
    },
    {
        .name = "scale",
        .type = EB_ARG_INTEGER,
        .devices = EB_ON_ALL,
        .fallback = "200",
        .max = 1000000000,
        .help = "bound of a table's largest entry, which a power of two brings near it; 0: entries as they are",
    },
    {
        .name = "rounds",
        .type = EB_ARG_INTEGER,
        .devices = EB_ON_ALL,
        .fallback = "25",
        .min = 1,
        .max = 1000,
        .help = "rounds of k-means",
    },
    {
        .name = "seed",
        .type = EB_ARG_INTEGER,
        .devices = EB_ON_ALL,
        .fallback = "42",
        .max = INT32_MAX,
        .help = "of the points to train on, and of k-means",
    },
    {
        .name = "layout",
        .type = EB_ARG_CHOICE,
        .devices = EB_ON_CUDA,
        .choices = "usual|plain|packed",
        .fallback = "usual",
        .help = "tables in shared memory: one for each query and list, or those of several queries side by side in "
                "words of 32 bits; usual: the second, where entries are of fewer bits and lists have enough queries",
    },
    {
        .name = "pad",
        .type = EB_ARG_FLAG,
        .devices = EB_ON_CUDA,
        .fallback = "off",
        .help = "a block takes as much shared memory as with FP32 tables: as many blocks an SM then",
    },
};

const eb_engine eb_engine_ivfpq = {
    .name = "ivfpq",
    .title = "IVFPQ",
    .exactness = EB_APPROXIMATE,
    .options = EB_OPTIONS(options),
    .on = {[EB_DEVICE_CPU] = {"an inverted file of product-quantised points; tables of 32, 16 or 8 bits",
                              &eb_ivfpq_cpu},
           [EB_DEVICE_CUDA] = {"an inverted file of product-quantised points; tables in shared memory, the CPU's bits",
                               EB_CUDA_PART(eb_ivfpq_cuda)}},
    .about =
        "After Jégou, Douze and Schmid 2011 (IVFADC), with the look-up tables of 8 bits that the FP8 paper has. Points "
        "are kept as m bytes each; a distance is an estimate, by a table for each query and list. The index is made of "
        "all points (of two sets: of the right ones), once for all engines with the same nlist, m, rounds and seed: "
        "so tables in several formats are compared on the same codes. Of a self-join's pair the point with the smaller "
        "index is the query, and what it finds is the pair's distance: each pair is looked up once, as a range search "
        "looks it up, and a pair whose other point is in none of the query's nprobe nearest lists is not found at any "
        "ε. What is told of a point's distances to all others is by its own query, and infinite where a list was not "
        "looked at. On a GPU whole lists are looked at, points that are not the query's to decide about included: more "
        "candidates, the same pairs and s. `recall` measures the k nearest, `index` shows, saves and "
        "loads what was built.",
    .explain = eb_ivfpq_explain,
};
