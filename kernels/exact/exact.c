/* exact: an engine that finds ref64's pairs and distances, bit for bit, by the cheapest of several ways. Each way is an
 * implementation of its own (core/engine/way.h). This file describes the engine and passes a question on to the way
 * that choose.h chooses.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/exact/choose.h"
#include "kernels/ref64/cpu/nearest.h"

static const eb_option options[] = {
    {.name = "way",
     .type = EB_ARG_CHOICE,
     .devices = EB_ON_ALL,
     .choices = EB_WAYS,
     .fallback = "auto",
     .help = "how pairs are found: boxes: leaves of near points; integers: integer products; fp16, int8: products that "
             "rule out, then FP64; ref64: FP64 alone; auto: the cheapest for these points and this ε"},
    {.name = "centre",
     .type = EB_ARG_FLAG,
     .devices = EB_ON_CUDA,
     .fallback = "on",
     .help = "move the points to their mean before a filter rounds them"},
    {.name = "scale",
     .type = EB_ARG_FLAG,
     .devices = EB_ON_CUDA,
     .fallback = "on",
     .help = "multiply the points by the power of two that fits the filter's type best"},
    {.name = "axes",
     .type = EB_ARG_CHOICE,
     .devices = EB_ON_CUDA,
     .choices = "auto|none|127|255",
     .fallback = "auto",
     .help = "8-bit products: none: of all coordinates; 127, 255: of so many principal axes and the rest of the point; "
             "auto: the faster one, by a sample"},
};

/* ---- as an implementation ---- */

static void wanted_way(const eb_options *taken, char *name, size_t size)
{
    (void)eb_choice_at(EB_WAYS, eb_option_choice(taken, "way"), name, size);
}

static eb_code probe(const eb_device *device, const eb_options *taken, eb_status *status)
{
    char wanted[16], there[80] = "";
    const eb_way *way;
    size_t used = 0;
    wanted_way(taken, wanted, sizeof wanted);
    for (size_t k = 0; (way = eb_way_at(device->kind, k)) != NULL; k++) {
        if (strcmp(wanted, "auto") == 0 || strcmp(wanted, way->name) == 0)
            return way->run->probe(device, taken, status);
        const int written = snprintf(there + used, sizeof there - used, ", %s", way->name);
        used += written > 0 && (size_t)written < sizeof there - used ? (size_t)written : 0;
    }
    return eb_fail(status, EB_NO_ENGINE, "exact has no way `%s` on %s; there: auto%s", wanted, device->name, there);
}

static uint64_t memory_needed(eb_device_kind kind, size_t n, size_t d, eb_dtype dtype)
{
    const eb_way *way = NULL;
    uint64_t most = 0;
    for (size_t k = 0; (way = eb_way_at(kind, k)) != NULL; k++) {
        const uint64_t bytes = way->run->memory_needed(n, d, dtype);
        most = bytes > most ? bytes : most;
    }
    return most;
}

static uint64_t memory_on_cpu(size_t n, size_t d, eb_dtype dtype) { return memory_needed(EB_DEVICE_CPU, n, d, dtype); }

static eb_code open_state(const eb_problem *problem, const eb_context *context, void **out, eb_status *status)
{
    eb_exact *exact = calloc(1, sizeof *exact);
    const eb_way *way;
    if (!exact)
        return eb_fail_memory(status, "exact", sizeof *exact);
    exact->problem = problem;
    exact->context = context;
    while ((way = eb_way_at(context->device->kind, exact->count)) != NULL) {
        eb_taken *taken = &exact->ways[exact->count++];
        *taken = (eb_taken){.way = way, .lent = *context};
        if (way->options)
            eb_options_default(way->options, &taken->lent.options);
    }
    *out = exact;
    return EB_OK;
}

static void close_state(void *state)
{
    if (state)
        eb_exact_close_ways(state);
    free(state);
}

static eb_code count(void *state, const eb_question *question, const eb_share *share, uint64_t *entries,
                     eb_status *status)
{
    eb_taken *taken;
    EB_TRY(eb_exact_choose(state, question, &taken, status));
    EB_TRY(taken->way->run->count(taken->state, question, share, entries, status));
    eb_exact_describe(state);
    return EB_OK;
}

static eb_code join(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                    eb_status *status)
{
    eb_taken *taken;
    EB_TRY(eb_exact_choose(state, question, &taken, status));
    EB_TRY(taken->way->run->join(taken->state, question, share, sink, status));
    eb_exact_describe(state);
    return EB_OK;
}

static eb_code histogram(void *state, eb_distance_pass *pass, eb_status *status)
{
    const eb_question question = {.eps = pass->eps[pass->edges - 1], .choice = pass->choice};
    eb_taken *taken;
    EB_TRY(eb_exact_choose(state, &question, &taken, status));
    EB_TRY(taken->way->run->histogram(taken->state, pass, status));
    eb_exact_describe(state);
    return EB_OK;
}

/* ref64 computes distances from queries to all points, because no pair can be ruled out. */
static eb_code distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status)
{
    eb_taken *taken;
    EB_TRY(eb_exact_take(state, "ref64", &taken, status));
    return taken->way->run->distances(taken->state, rows, m, out, status);
}

static eb_code bins(void *state, const uint32_t *rows, size_t m, eb_bins *out, eb_status *status)
{
    eb_taken *taken;
    EB_TRY(eb_exact_take(state, "ref64", &taken, status));
    return taken->way->run->bins(taken->state, rows, m, out, status);
}

/* Beyond so many dimensions most boxes overlap, and products are faster. */
#define MOST_NEAREST_D 8u

static eb_code refuse_nearest(eb_status *status) { return eb_fail(status, EB_NO_ENGINE, "joins are faster"); }

static eb_code nearest_rows(void *state, const eb_nearest_rows *question, eb_status *status)
{
    eb_exact *exact = state;
    char wanted[16];
    eb_taken *taken;
    wanted_way(&exact->context->options, wanted, sizeof wanted);
    const bool boxes =
        strcmp(wanted, "boxes") == 0 || (strcmp(wanted, "auto") == 0 && exact->problem->left->d <= MOST_NEAREST_D);
    if (!boxes && !eb_ref64_nearest_pays(exact->problem->left, question))
        return refuse_nearest(status);
    const eb_code failed = eb_exact_take(exact, boxes ? "boxes" : "ref64", &taken, status);
    if (failed)
        return failed == EB_NO_MEMORY ? EB_NO_ENGINE : failed;
    return taken->way->run->nearest_rows(taken->state, question, status);
}

static const char *describe(const void *state) { return ((const eb_exact *)state)->description; }

static eb_code choose(void *state, const eb_question *question, unsigned *choice, eb_status *status)
{
    return eb_exact_pick(state, question, choice, status);
}

#define FUNCTIONS                                                                                                      \
    .probe = probe, .open = open_state, .count = count, .join = join, .histogram = histogram, .distances = distances,  \
    .bins = bins, .close = close_state, .describe = describe, .choose = choose

static const eb_implementation on_cpu = {FUNCTIONS, .memory_needed = memory_on_cpu, .nearest_rows = nearest_rows};

#ifdef EB_HAVE_CUDA
static uint64_t memory_on_cuda(size_t n, size_t d, eb_dtype dtype)
{
    return memory_needed(EB_DEVICE_CUDA, n, d, dtype);
}

/* By integers where points are bytes, else by fp16. */
static eb_code nearest_on_cuda(void *state, const eb_nearest_rows *question, eb_status *status)
{
    eb_exact *exact = state;
    static const char *const able[] = {"integers", "fp16"};
    char wanted[16];
    wanted_way(&exact->context->options, wanted, sizeof wanted);
    const bool any = strcmp(wanted, "auto") == 0;
    for (size_t k = 0; k < sizeof able / sizeof able[0]; k++) {
        eb_taken *taken;
        if (any ? exact->problem->left->d <= MOST_NEAREST_D : strcmp(wanted, able[k]) != 0)
            continue;
        const eb_code failed = eb_exact_take(exact, able[k], &taken, status);
        if (failed == EB_NO_ENGINE && any)
            continue;
        if (failed)
            return failed == EB_NO_MEMORY ? refuse_nearest(status) : failed;
        return taken->way->run->nearest_rows(taken->state, question, status);
    }
    return refuse_nearest(status);
}

static const eb_implementation on_cuda = {FUNCTIONS, .memory_needed = memory_on_cuda, .nearest_rows = nearest_on_cuda};
#endif

eb_code eb_exact_plan(const eb_options *, size_t, size_t, const struct eb_machine *, struct eb_kernel_plan *,
                      eb_status *);
const char *eb_exact_assume(eb_options *, eb_dtype);

const eb_engine eb_engine_exact = {
    .name = "exact",
    .title = "Exact join",
    .exactness = EB_TRUTH,
    .plan = eb_exact_plan,
    .assume = eb_exact_assume,
    .options = EB_OPTIONS(options),
    .on = {[EB_DEVICE_CPU] = {"exact result, by an index of boxes or by brute force, whichever is cheaper", &on_cpu},
           [EB_DEVICE_CUDA] = {"exact result, by an index of boxes, integers, filters with a proven bound or brute "
                               "force, whichever is cheapest",
                               EB_CUDA_PART(on_cuda)}},
    .about = "Pairs and distances are those of ref64, bit for bit, whichever way finds them. A note of the run names "
             "the way; choice_s is the time that choosing it took.",
};
