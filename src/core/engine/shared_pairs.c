#include "core/engine/shared_pairs.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/array.h"

#define MOST_BYTES ((uint64_t)512 << 20)
#define ROOM_FOR_ERROR 1.3 /* of the estimated number of pairs */
enum { SAMPLED_ROWS = 32, FIRST_ROOM = 1 << 12 };

/* ---- engines that look at nearly all pairs ---- */

#define LONG_COORDINATES 1e11 /* to compare: many seconds on a CPU */
enum { SAMPLED_PAIRS = 1000 };

static double distance2(const eb_problem *problem, size_t i, size_t j, double *row)
{
    const size_t d = problem->left->d;
    double sum = 0;
    eb_to_f64(problem->left->dtype, eb_row(problem->left, i), d, row);
    eb_to_f64(problem->right->dtype, eb_row(problem->right, j), d, row + d);
    for (size_t k = 0; k < d; k++)
        sum += (row[k] - row[d + k]) * (row[k] - row[d + k]);
    return sum;
}

/* True if most of some scattered pairs lie within the reach. */
static bool most_are_within(const eb_problem *problem, double reach)
{
    double *row = malloc(2 * problem->left->d * sizeof *row);
    size_t within = 0;
    for (uint64_t k = 0; row && k < SAMPLED_PAIRS; k++) {
        const size_t i = (size_t)(k * UINT64_C(0x9e3779b97f4a7c15) >> 20) % problem->left->n,
                     j = (size_t)(k * UINT64_C(0xbf58476d1ce4e5b9) >> 20) % problem->right->n;
        within += distance2(problem, i, j, row) <= reach * reach;
    }
    free(row);
    return within > SAMPLED_PAIRS / 2;
}

static void tell_if_wide(const eb_opened *opened, double eps, double reach, eb_job *job)
{
    const eb_problem *problem = &opened->problem;
    char far[64] = "any two points may be found", text[EB_SPEC_TEXT + 160];
    const double coordinates = (double)problem->left->n * (double)problem->right->n * (double)problem->left->d;
    if (!job || coordinates < LONG_COORDINATES || !most_are_within(problem, reach))
        return;
    if (isfinite(reach))
        (void)snprintf(far, sizeof far, "points up to %.3g ε apart may be found", reach / eps);
    (void)snprintf(text, sizeof text, "%s emulates nearly all pairs, because its proven bound is wide here: %s",
                   opened->setup->spec, far);
    eb_job_remark(job, text);
}

void eb_tell_wide_reach(const eb_opened *opened, double eps, eb_job *job)
{
    eb_status ignored;
    double reach;
    if (opened->run->search_eps && opened->scaling.exponent == 0 &&
        opened->run->search_eps(opened->state, eps, &reach, &ignored) == EB_OK)
        tell_if_wide(opened, eps, reach, job);
}

/* ---- planning ---- */

static void keep_reach(eb_shared_pairs *c, double reach)
{
    size_t k = c->reaches < EB_MOST_REACHES ? c->reaches++ : EB_MOST_REACHES - 1;
    for (; k > 0 && c->reach[k - 1] < reach; k--)
        c->reach[k] = c->reach[k - 1];
    c->reach[k] = reach;
}

static void ask_reach(eb_shared_pairs *c, const eb_setup *setup, const eb_problem *problem, double eps, eb_job *job)
{
    eb_status ignored;
    eb_opened opened;
    double reach = INFINITY;
    if (!setup->run->search_eps || eb_problem_open(setup, problem, job, &opened, &ignored))
        return;
    if (opened.scaling.exponent == 0 && opened.run->search_eps(opened.state, eps, &reach, &ignored) == EB_OK) {
        tell_if_wide(&opened, eps, reach, job);
        if (isfinite(reach))
            keep_reach(c, reach);
    }
    eb_problem_close(&opened);
}

eb_code eb_shared_plan(const eb_setup *const *setups, size_t count, const eb_problem *problem, double eps,
                       uint64_t bytes, eb_job *job, eb_shared_pairs *out, eb_status *status)
{
    size_t asked = 0;
    *out = (eb_shared_pairs){.within = -1};
    for (size_t k = 0; k < count; k++)
        asked += setups[k]->run->search_eps != NULL;
    for (size_t k = 0; k < count && asked > 1; k++) {
        EB_TRY(eb_job_check(job, status));
        ask_reach(out, setups[k], problem, eps, job);
    }
    out->most = (bytes && bytes < MOST_BYTES ? bytes : MOST_BYTES) / sizeof(eb_shared_pair);
    return EB_OK;
}

static void drop_lists(eb_shared_pairs *c)
{
    for (unsigned k = 0; k < c->lists; k++)
        free(c->list[k].pair);
    free(c->list);
    c->list = NULL;
    c->lists = 0;
    c->found = 0;
}

void eb_shared_free(eb_shared_pairs *c)
{
    drop_lists(c);
    c->within = -1;
}

/* ---- the widest reach whose pairs fit ---- */

/* Takes away the reaches that have too many pairs among the sampled rows. */
static void leave_out_wide(eb_shared_pairs *c, const double *s, size_t rows, const eb_problem *problem)
{
    const size_t n = problem->right->n;
    const double all = (double)problem->left->n / (eb_is_self_join(problem) ? 2 : 1);
    size_t wide = 0;
    for (; wide < c->reaches; wide++) {
        const double limit = c->reach[wide] * c->reach[wide];
        size_t within = 0;
        for (size_t k = 0; k < rows * n; k++)
            within += s[k] <= limit;
        if (ROOM_FOR_ERROR * (double)within / (double)rows * all <= (double)c->most)
            break;
    }
    c->reaches -= wide;
    memmove(c->reach, c->reach + wide, c->reaches * sizeof *c->reach);
}

static eb_code choose_reach(eb_shared_pairs *c, const eb_implementation *exact, void *state, const eb_problem *problem,
                            eb_status *status)
{
    const size_t n = problem->right->n, left = problem->left->n, rows = left < SAMPLED_ROWS ? left : SAMPLED_ROWS;
    const double pairs = (double)n * (double)left / (eb_is_self_join(problem) ? 2 : 1);
    uint32_t row[SAMPLED_ROWS];
    if (pairs <= (double)c->most)
        return EB_OK;
    double *s = malloc(rows * n * sizeof *s);
    if (!s)
        return eb_fail_memory(status, "distances of sampled points", rows * n * sizeof *s);
    for (size_t k = 0; k < rows; k++)
        row[k] = (uint32_t)((double)k / (double)rows * (double)left);
    const eb_code failed = exact->distances(state, row, rows, s, status);
    if (!failed)
        leave_out_wide(c, s, rows, problem);
    free(s);
    return failed;
}

/* ---- finding ---- */

/* `exact` is within (d + 2)·2^-52 of the squared distance, and the conversion within 2^-24. */
static float not_above(double s) { return (float)fmin(s * (1 - 0x1p-22), FLT_MAX); }

static eb_code keep(void *context, unsigned thread, const eb_hit *hits, size_t count, eb_status *status)
{
    eb_shared_pairs *c = context;
    eb_shared_list *list = &c->list[thread];
    if (atomic_fetch_add_explicit(&c->found, count, memory_order_relaxed) + count > c->most)
        return eb_fail(status, EB_NO_MEMORY, "more than %llu candidates", (unsigned long long)c->most);
    for (size_t k = 0; k < count; k++) {
        if (!eb_array_grow(&list->pair, list->count, &list->room, sizeof *list->pair, FIRST_ROOM))
            return eb_fail_memory(status, "candidates", 2 * list->room * sizeof *list->pair);
        list->pair[list->count++] = (eb_shared_pair){hits[k].i, hits[k].j, not_above(hits[k].s)};
    }
    return EB_OK;
}

static eb_code find_all(eb_shared_pairs *c, const eb_implementation *exact, void *state, const eb_problem *problem,
                        const eb_context *context, eb_status *status)
{
    const eb_question question = {.eps = c->reach[0]};
    const eb_share whole = eb_share_whole(problem);
    const eb_sink sink = {.context = c, .hits = keep};
    c->list = calloc(context->threads, sizeof *c->list);
    if (!c->list)
        return eb_fail_memory(status, "candidates", context->threads * sizeof *c->list);
    c->lists = context->threads;
    return exact->join(state, &question, &whole, &sink, status);
}

eb_code eb_shared_find(eb_shared_pairs *c, const eb_implementation *exact, void *state, const eb_problem *problem,
                       const eb_context *context, eb_status *status)
{
    eb_status why = {.message = ""};
    if (c->within >= 0 || c->refused)
        return EB_OK;
    eb_code failed = choose_reach(c, exact, state, problem, &why);
    if (!failed && c->reaches > 0)
        failed = find_all(c, exact, state, problem, context, &why);
    c->within = !failed && c->reaches > 0 ? c->reach[0] : -1;
    c->refused = c->within < 0 && failed != EB_CANCELLED;
    if (c->within < 0)
        drop_lists(c);
    return failed == EB_NO_MEMORY || !failed ? EB_OK : eb_fail(status, failed, "%s", why.message);
}
