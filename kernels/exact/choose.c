#include "kernels/exact/choose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "kernels/exact/estimate.h"
#include "kernels/ref64/cpu/quantised.h"
#include "kernels/walk/isa.h"

/* ---- the ways ---- */

extern const eb_engine eb_engine_ref64;
extern const eb_implementation eb_ref64_cpu;

static double dimensions(const eb_estimate *estimate) { return (double)estimate->problem->left->d; }

/* Rates of tests/bench/cpu.md: a pair takes a thread 0.1 ns and 0.03 ns a coordinate, by the filter and by integers;
 * bytes take a fifth. */
static double cost_on_cpu(const eb_estimate *estimate, const eb_context *context)
{
    const eb_dataset *points = estimate->problem->left;
    const bool bytes = eb_ref64_quantises(points->d) ||
                       ((points->dtype == EB_U8 || points->dtype == EB_I8) && eb_cpu_multiplies_bytes());
    return estimate->pairs * (1e-10 + (bytes ? 6e-12 : 3e-11) * dimensions(estimate)) / eb_deciding_threads(context);
}

static const eb_way ref64_on_cpu = {.name = "ref64",
                                    .run = &eb_ref64_cpu,
                                    .options = &eb_engine_ref64.options,
                                    .cost = cost_on_cpu};

extern const eb_way eb_way_boxes_cpu;

static const eb_way *const on_cpu[] = {&eb_way_boxes_cpu, &ref64_on_cpu};

#ifdef EB_HAVE_CUDA
extern const eb_implementation eb_ref64_cuda;
extern const eb_way eb_way_boxes_cuda, eb_way_fp16_cuda, eb_way_int8_cuda, eb_way_integers_cuda;

/* Rate of tests/bench/gpu.md: 0.145 ps a coordinate of a pair on a GPU whose FMAs reach 33 TFLOPS. */
static double cost_on_cuda(const eb_estimate *estimate, const eb_context *context)
{
    const double limit = context->device->limit[EB_LIMIT_F64];
    return estimate->pairs * 1.45e-13 * dimensions(estimate) * (limit > 0 ? 33e12 / limit : 1);
}

static const eb_way ref64_on_cuda = {.name = "ref64",
                                     .run = &eb_ref64_cuda,
                                     .options = &eb_engine_ref64.options,
                                     .cost = cost_on_cuda};

static const eb_way *const on_cuda[] = {&eb_way_boxes_cuda, &eb_way_integers_cuda, &eb_way_fp16_cuda, &eb_way_int8_cuda,
                                        &ref64_on_cuda};
#endif

const eb_way *eb_way_at(eb_device_kind kind, size_t index)
{
#ifdef EB_HAVE_CUDA
    if (kind == EB_DEVICE_CUDA)
        return index < sizeof on_cuda / sizeof on_cuda[0] ? on_cuda[index] : NULL;
#endif
    return kind == EB_DEVICE_CPU && index < sizeof on_cpu / sizeof on_cpu[0] ? on_cpu[index] : NULL;
}

static const eb_figure choice = {"choice_s", "choosing the way", EB_SECONDS, EB_FIGURE_PART, 0};

/* ---- opening ---- */

static void close_way(eb_taken *taken)
{
    if (taken->state)
        taken->way->run->close(taken->state);
    taken->state = NULL;
}

void eb_exact_close_ways(eb_exact *exact)
{
    for (size_t k = 0; k < exact->count; k++)
        close_way(&exact->ways[k]);
}

static void close_others(eb_exact *exact, const eb_taken *wanted)
{
    for (size_t k = 0; k < exact->count; k++)
        if (&exact->ways[k] != wanted)
            close_way(&exact->ways[k]);
}

/* Opens a way. The time that its own figures do not account for is added to the figure of the set-up. */
static eb_code open_way(eb_exact *exact, eb_taken *taken, eb_status *status)
{
    const eb_context *context = exact->context;
    taken->lent.job = context->job;
    taken->lent.figures = context->figures;
    if (taken->state)
        return EB_OK;
    if (context->memory_limit) /* only one way is open at a time, and gets the whole limit */
        close_others(exact, taken);
    const double start = eb_now_s(), parts = context->figures ? eb_figures_parts(context->figures) : 0;
    EB_TRY(taken->way->run->open(exact->problem, &taken->lent, &taken->state, status));
    const double more = context->figures ? eb_figures_parts(context->figures) - parts : 0;
    eb_figures_add(context->figures, &eb_figure_setup, fmax(0, eb_now_s() - start - more));
    return EB_OK;
}

static eb_code suits(const eb_exact *exact, const eb_way *way, eb_status *status)
{
    return way->suits ? way->suits(exact->problem, exact->context, status) : EB_OK;
}

eb_code eb_exact_take(eb_exact *exact, const char *name, eb_taken **out, eb_status *status)
{
    for (size_t k = 0; k < exact->count; k++)
        if (strcmp(exact->ways[k].way->name, name) == 0) {
            *out = &exact->ways[k];
            EB_TRY(suits(exact, (*out)->way, status));
            return open_way(exact, *out, status);
        }
    return eb_fail(status, EB_NO_ENGINE, "exact has no way `%s` on %s", name, exact->context->device->name);
}

/* ---- the cheapest way ---- */

static bool may_take(const eb_exact *exact, const eb_taken *taken)
{
    eb_status why_not;
    return !taken->refused && suits(exact, taken->way, &why_not) == EB_OK;
}

/* The cheapest of the ways whose cost is known without opening them, and its seconds; INFINITY if there is none. Ways
 * with `look` are left out, because their `cost` is only a lower bound. */
static double cheapest_by_sample(eb_exact *exact, const eb_estimate *estimate, eb_taken **out)
{
    double least = INFINITY;
    for (size_t k = 0; k < exact->count; k++) {
        eb_taken *taken = &exact->ways[k];
        const double seconds = taken->way->cost && !taken->way->look && may_take(exact, taken)
                                   ? taken->way->cost(estimate, exact->context)
                                   : INFINITY;
        if (seconds < least) {
            least = seconds;
            *out = taken;
        }
    }
    return least;
}

/* Opens each way whose cost only `look` knows, unless its lower bound is not below *least. */
static eb_code look_closer(eb_exact *exact, const eb_estimate *estimate, double *least, eb_taken **out,
                           eb_status *status)
{
    for (size_t k = 0; k < exact->count; k++) {
        eb_taken *taken = &exact->ways[k];
        double seconds = INFINITY;
        if (!taken->way->look || !may_take(exact, taken) ||
            (taken->way->cost && taken->way->cost(estimate, exact->context) >= *least))
            continue;
        eb_code failed = open_way(exact, taken, status);
        failed = failed ? failed : taken->way->look(taken->state, estimate->question, &seconds, status);
        if (failed == EB_NO_ENGINE || failed == EB_NO_MEMORY) {
            taken->refused = true;
            close_way(taken);
            continue;
        }
        EB_TRY(failed);
        if (seconds < *least) {
            *least = seconds;
            *out = taken;
        }
    }
    return EB_OK;
}

static bool refuses(eb_code failed) { return failed == EB_NO_ENGINE || failed == EB_NO_MEMORY; }

static eb_code find_cheapest(eb_exact *exact, const eb_estimate *estimate, eb_taken **out, eb_status *status)
{
    double least = cheapest_by_sample(exact, estimate, out);
    return look_closer(exact, estimate, &least, out, status);
}

/* Opens the cheapest way. If a way refuses the points when it is opened, the next best is taken. */
static eb_code open_cheapest(eb_exact *exact, const eb_estimate *estimate, eb_taken **out, eb_status *status)
{
    for (;;) {
        EB_TRY(find_cheapest(exact, estimate, out, status));
        const eb_code failed = open_way(exact, *out, status);
        if (!refuses(failed) || *out == &exact->ways[exact->count - 1])
            return failed;
        (*out)->refused = true;
    }
}

typedef eb_code (*choosing)(eb_exact *exact, const eb_estimate *estimate, eb_taken **out, eb_status *status);

/* The cheapest way by an estimate of this question, to be found or opened. */
static eb_code choose(eb_exact *exact, const eb_question *question, choosing how, eb_taken **out, eb_status *status)
{
    const double start = eb_now_s();
    eb_figures *figures = exact->context->figures;
    const double parts = figures ? eb_figures_parts(figures) : 0;
    const unsigned threads = exact->context->threads;
    const size_t pairs =
        eb_estimate_pairs_worth(exact->problem, exact->context->device->kind, eb_deciding_threads(exact->context));
    eb_estimate estimate;
    EB_TRY(eb_estimate_make(exact->problem, question, pairs, threads, &estimate, status));
    const eb_code failed = how(exact, &estimate, out, status);
    eb_estimate_free(&estimate);
    const double more = figures ? eb_figures_parts(figures) - parts : 0;
    eb_figures_add(figures, &choice, fmax(0, eb_now_s() - start - more));
    return failed;
}

/* The way that the option names; NULL: auto. */
static const char *named_way(const eb_exact *exact, char *buffer, size_t size)
{
    (void)eb_choice_at(EB_WAYS, eb_option_choice(&exact->context->options, "way"), buffer, size);
    return strcmp(buffer, "auto") != 0 ? buffer : NULL;
}

/* A member of a team takes the way that the first one has picked. */
static eb_code take_picked(eb_exact *exact, unsigned picked, eb_taken **out, eb_status *status)
{
    *out = &exact->ways[picked - 1];
    EB_TRY(suits(exact, (*out)->way, status));
    const eb_code failed = open_way(exact, *out, status);
    (*out)->refused |= refuses(failed);
    return failed;
}

eb_code eb_exact_pick(eb_exact *exact, const eb_question *question, unsigned *out, eb_status *status)
{
    char buffer[16];
    const char *name = named_way(exact, buffer, sizeof buffer);
    eb_taken *taken = exact->chosen && exact->eps == question->eps && !exact->chosen->refused ? exact->chosen : NULL;
    for (size_t k = 0; name && k < exact->count; k++)
        if (strcmp(exact->ways[k].way->name, name) == 0)
            taken = &exact->ways[k];
    if (!taken)
        EB_TRY(choose(exact, question, find_cheapest, &taken, status));
    *out = (unsigned)(taken - exact->ways) + 1;
    return EB_OK;
}

eb_code eb_exact_choose(eb_exact *exact, const eb_question *question, eb_taken **out, eb_status *status)
{
    char buffer[16];
    const char *name = named_way(exact, buffer, sizeof buffer);
    const bool picked = question->choice > 0 && question->choice <= exact->count;
    if (exact->chosen && exact->eps == question->eps &&
        (!picked || exact->chosen == &exact->ways[question->choice - 1])) {
        *out = exact->chosen;
        return open_way(exact, *out, status);
    }
    exact->named = name != NULL;
    EB_TRY(picked ? take_picked(exact, question->choice, out, status)
           : name ? eb_exact_take(exact, name, out, status)
                  : choose(exact, question, open_cheapest, out, status));
    if (!exact->chosen) /* later questions, at other ε, keep open what earlier ones used */
        close_others(exact, *out);
    exact->chosen = *out;
    exact->eps = question->eps;
    return EB_OK;
}

void eb_exact_describe(eb_exact *exact)
{
    const eb_taken *taken = exact->chosen;
    const char *how = taken->way->run->describe ? taken->way->run->describe(taken->state) : "";
    (void)snprintf(exact->description, sizeof exact->description, "%s%s%s%s",
                   exact->named ? "way " : "way chosen: ", taken->way->name, how[0] ? ", " : "", how);
}
