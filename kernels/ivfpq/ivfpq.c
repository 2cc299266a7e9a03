#include "kernels/ivfpq/settings.h"

extern const eb_implementation eb_ivfpq_cpu, eb_ivfpq_cuda;

static const eb_option options[] = {
    {
        .name = "nlist",
        .type = EB_ARG_INTEGER,
        .devices = EB_ON_ALL,
        .fallback = "0",
        .max = EB_MAX_LISTS,
        .help = "number of lists; 0: the power of two nearest to √n",
    },
    {
        .name = "m",
        .type = EB_ARG_INTEGER,
        .devices = EB_ON_ALL,
        .fallback = "0",
        .max = EB_MAX_DIMENSIONS,
        .help = "pieces that code a point, a byte each; divides d; 0: d up to 16, else at most 64, of two coordinates "
                "or more",
    },
    {
        .name = "nprobe",
        .type = EB_ARG_INTEGER,
        .devices = EB_ON_ALL,
        .fallback = "0",
        .max = EB_MAX_LISTS,
        .help = "lists that a query scans; 0: 32, or all if there are fewer",
    },
    {
        .name = "lut",
        .type = EB_ARG_CHOICE,
        .devices = EB_ON_ALL,
        .choices = "f32|f16|e5m3|e4m4|e4m3|e5m2|u8",
        .fallback = "f32",
        .help = "format of the entries of look-up tables",
    },
    {
        .name = "accumulate",
        .type = EB_ARG_CHOICE,
        .devices = EB_ON_ALL,
        .choices = "f32|f16",
        .fallback = "f32",
        .help = "format of the sums of entries; sums of u8 are whole numbers",
    },
    {
        .name = "scale",
        .type = EB_ARG_INTEGER,
        .devices = EB_ON_ALL,
        .fallback = "200",
        .max = 1000000000,
        .help = "bound of a table's largest entry, which a power of two brings near it; 0: no scaling",
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
        .help = "seed of the training points and of k-means",
    },
    {
        .name = "layout",
        .type = EB_ARG_CHOICE,
        .devices = EB_ON_CUDA,
        .choices = "usual|plain|packed",
        .fallback = "usual",
        .help = "tables in shared memory: plain: one for each query and list; packed: those of several queries side by "
                "side in 32-bit words; usual: packed if entries have fewer bits and lists enough queries",
    },
    {
        .name = "pad",
        .type = EB_ARG_FLAG,
        .devices = EB_ON_CUDA,
        .fallback = "off",
        .help = "give a block the shared memory of FP32 tables, so that as few blocks fit on an SM",
    },
};

eb_code eb_ivfpq_plan(const eb_options *, size_t, size_t, const struct eb_machine *, struct eb_kernel_plan *,
                      eb_status *);

const eb_engine eb_engine_ivfpq = {
    .name = "ivfpq",
    .title = "IVFPQ",
    .exactness = EB_APPROXIMATE,
    .plan = eb_ivfpq_plan,
    .options = EB_OPTIONS(options),
    .on = {[EB_DEVICE_CPU] = {"an inverted file of product-quantised points; tables of 32, 16 or 8 bits",
                              &eb_ivfpq_cpu},
           [EB_DEVICE_CUDA] = {"an inverted file of product-quantised points; tables in shared memory, the CPU's bits",
                               EB_CUDA_PART(eb_ivfpq_cuda)}},
    .about = "After Jégou, Douze and Schmid 2011 (IVFADC), with the 8-bit look-up tables of the FP8 paper. A point is "
             "kept as m bytes. A distance is an estimate, by a table for each query and list.\n\n"
             "The index is made of all points (of two sets: the right ones). Engines with the same nlist, m, rounds "
             "and seed share one index, so tables in several formats are compared on the same codes.\n\n"
             "In a pair of a self-join, the point with the smaller number is the query, and its estimate is the pair's "
             "distance. So each pair is looked up once, as in a range search. If the other point is in none of the "
             "query's nprobe nearest lists, the pair is not found at any ε. For the distances of a point to all "
             "others, that point is the query; in lists that are not scanned, distances are infinite.\n\n"
             "A GPU scans whole lists, with points whose pairs another query decides: more candidates, the same pairs "
             "and s. `recall` measures the k nearest; `index` shows, saves and loads the index.",
    .explain = eb_ivfpq_explain,
};
