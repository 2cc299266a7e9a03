#include "kernels/grid_order/engine.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "core/order/leaves.h"
#include "kernels/grid_order/grid.h"
#include "kernels/grid_order/kernels.h"
#include "kernels/walk/engine.h"
#include "kernels/walk/isa.h"

static const eb_figure index_s = {"index_s", "epsilon grid order", EB_SECONDS, EB_FIGURE_PART, 0};
static const eb_figure candidates = {"candidates_a_point", "candidates a point", EB_PLAIN, EB_FIGURE_FACT, 0};
static const eb_figure saved = {"distances_saved", "distances saved by pruning", EB_PERCENT, EB_FIGURE_FACT, 0};
static const eb_figure pruned = {"ranges_pruned", "pairs of ranges pruned", EB_PERCENT, EB_FIGURE_FACT, 0};
static const eb_figure depth = {"circuit_depth", "dimensions until short-circuit, mean", EB_PLAIN, EB_FIGURE_FACT, 0};

typedef struct eb_eps_grid_host {
    eb_finder finder; /* must be the first member */
    const eb_eps_grid_walk *how;
    const eb_pair_kernels *kernels;
    eb_eps_grid_type type;
    bool truth; /* the FP64 chain decides, otherwise the authors' sums */
    bool made;  /* grid and walk exist, for grid.eps */
    eb_eps_grid grid;
    void *walk;
    uint64_t tasks;
    char description[128];
} eb_eps_grid_host;

/* s of the left point at place `query` and the given lanes of right block b, by the sums that decide. */
static void eb_eps_grid_sums(const eb_eps_grid_host *host, size_t query, size_t b, uint32_t lanes, double *s)
{
    (host->truth ? host->kernels->truth : host->kernels->sums)(&host->grid, query, b, lanes, s);
}

static eb_eps_grid_type type_of(const eb_options *options)
{
    return eb_options_single(options) ? EB_EPS_GRID_F32 : EB_EPS_GRID_F64;
}

/* ---- the index ---- */

static void drop_index(eb_eps_grid_host *host)
{
    if (!host->made)
        return;
    host->how->free(host->walk);
    eb_eps_grid_free(&host->grid);
    host->walk = NULL;
    host->made = false;
}

static eb_code make_index(eb_eps_grid_host *host, double eps, eb_status *status)
{
    const eb_context *context = host->finder.context;
    const double start = eb_now_s();
    if (host->made && host->grid.eps == eps)
        return EB_OK;
    drop_index(host);
    const eb_option *reorder = eb_option_find(context->options.list, "reorder");
    const bool ordered = !reorder || eb_option_on(&context->options, "reorder");
    const eb_eps_grid_request request = {.left = host->finder.problem->left,
                                         .right = host->finder.problem->right,
                                         .eps = eps,
                                         .type = host->type,
                                         .dimensions = ordered ? host->how->dimensions : EB_DIMENSIONS_STORED,
                                         .expand = host->how->expands && !host->truth,
                                         .threads = context->threads,
                                         .job = context->job};
    EB_TRY(eb_eps_grid_make(&request, &host->grid, status));
    const eb_code failed = host->how->make(&host->grid, &context->options, &host->walk, &host->tasks, status);
    if (failed)
        eb_eps_grid_free(&host->grid);
    host->made = !failed;
    eb_figures_add(context->figures, &index_s, eb_now_s() - start);
    return failed;
}

/* ---- a question: a walk's pairs of blocks, point by point ---- */

/* The work of a thread. */
typedef struct worker {
    _Alignas(64) uint64_t candidates; /* pairs computed */
    uint64_t dimensions;              /* dimensions computed, of 32 pairs at a time */
    eb_walk_effort effort;
} worker;

typedef struct search {
    const eb_eps_grid_host *host;
    const eb_collector *to;
    double limit, filter; /* limit: for the sums that decide; filter: for the authors' sums if decide=truth */
    bool *has_row;        /* [row blocks] the block has a row of the share; set if the share has not all rows */
    worker *workers;      /* [threads] */
} search;

typedef struct visit {
    const search *search;
    unsigned thread;
} visit;

/* ---- pairs ---- */

/* Collects the pairs of query `lane` of block a with those points of block b that the filter passes. */
static eb_code take_lanes(const visit *v, size_t a, unsigned lane, size_t b, uint32_t lanes, eb_status *status)
{
    const search *q = v->search;
    const eb_eps_grid *grid = &q->host->grid;
    const eb_eps_grid_side *left = &grid->side[0], *right = eb_eps_grid_right(grid);
    double s[EB_EPS_GRID_BLOCK];
    eb_eps_grid_sums(q->host, a * EB_EPS_GRID_BLOCK + lane, b, lanes, s);
    for (; lanes; lanes &= lanes - 1) {
        const unsigned other = (unsigned)__builtin_ctz(lanes);
        const eb_hit hit = {.i = left->point[a * EB_EPS_GRID_BLOCK + lane],
                            .j = right->point[b * EB_EPS_GRID_BLOCK + other],
                            .s = s[other]};
        if (s[other] <= q->limit)
            EB_TRY(eb_collect(q->to, v->thread, hit, status));
    }
    return EB_OK;
}

static bool is_counted_at_once(const search *q)
{
    return eb_only_counts(q->to) && !q->to->some_rows && !q->host->truth;
}

static eb_code take_blocks(void *context, size_t a, size_t b, eb_status *status)
{
    const visit *v = context;
    const search *q = v->search;
    const eb_eps_grid *grid = &q->host->grid;
    worker *w = &q->workers[v->thread];
    uint32_t lanes[EB_EPS_GRID_BLOCK];
    if (q->to->some_rows && !q->has_row[a] && !(grid->self && q->has_row[b]))
        return EB_OK;
    EB_TRY(eb_job_check(q->host->finder.context->job, status));
    const size_t queries = eb_eps_grid_block_count(&grid->side[0], a);
    w->dimensions += q->host->kernels->within(grid, a, queries, b, q->filter, lanes);
    w->candidates += queries * EB_EPS_GRID_BLOCK;
    for (unsigned lane = 0; lane < queries; lane++) {
        if (grid->self && a == b)
            lanes[lane] &= ~(uint32_t)(((uint64_t)2 << lane) - 1);
        if (is_counted_at_once(q))
            eb_collect_entries(q->to, v->thread, (uint64_t)__builtin_popcount(lanes[lane]) << grid->self);
        else if (lanes[lane])
            EB_TRY(take_lanes(v, a, lane, b, lanes[lane], status));
    }
    return EB_OK;
}

static eb_code run_task(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const search *q = context;
    const eb_eps_grid_host *host = q->host;
    const eb_share *share = &q->to->share;
    const uint64_t rows = share->row_end - share->row_begin;
    visit v = {.search = q, .thread = thread};
    if (task % share->parts == share->part)
        EB_TRY(host->how->run(host->walk, task, take_blocks, &v, &q->workers[thread].effort, status));
    eb_job_advance(host->finder.context->job, rows * (task + 1) / host->tasks - rows * task / host->tasks);
    return EB_OK;
}

/* ---- a question ---- */

static void find_rows(search *q)
{
    const eb_eps_grid_side *left = &q->host->grid.side[0];
    for (size_t k = 0; k < left->n; k++)
        q->has_row[k / EB_EPS_GRID_BLOCK] |= eb_is_row(q->to, left->point[k]);
}

static eb_code make_room(search *q, eb_status *status)
{
    const unsigned threads = q->host->finder.context->threads;
    const size_t blocks = q->host->grid.side[0].blocks;
    q->has_row = calloc(blocks, sizeof *q->has_row);
    q->workers = aligned_alloc(64, threads * sizeof *q->workers);
    if (!q->has_row || !q->workers)
        return eb_fail_memory(status, "threads' room", blocks + threads * sizeof *q->workers);
    memset(q->workers, 0, threads * sizeof *q->workers);
    return EB_OK;
}

/* The figure `saved` compares with the pairs of all rows, n(n + 1)/2 or n·m, divided by the number of parts. */
static void add_figures(const search *q, double seconds)
{
    const eb_context *context = q->host->finder.context;
    const eb_eps_grid *grid = &q->host->grid;
    const double n = (double)grid->side[0].n, m = (double)eb_eps_grid_right(grid)->n;
    const double pairs = (grid->self ? n * (n + 1) / 2 : n * m) / q->to->share.parts;
    double computed = 0, dimensions = 0, looked = 0, left = 0;
    for (unsigned t = 0; t < context->threads; t++) {
        computed += (double)q->workers[t].candidates;
        dimensions += (double)q->workers[t].dimensions;
        looked += (double)q->workers[t].effort.looked;
        left += (double)q->workers[t].effort.pruned;
    }
    eb_figures_add(context->figures, &eb_figure_kernel, seconds);
    eb_figures_add(context->figures, &eb_figure_executed_flops, 2 * dimensions * EB_EPS_GRID_BLOCK);
    eb_figures_set(context->figures, &candidates, computed / n);
    eb_figures_set(context->figures, &saved, computed < pairs ? 1 - computed / pairs : 0);
    if (looked > 0)
        eb_figures_set(context->figures, &pruned, left / looked);
    if (computed > 0)
        eb_figures_set(context->figures, &depth, dimensions * EB_EPS_GRID_BLOCK / computed);
}

static eb_code find_all(search *q, eb_status *status)
{
    const eb_context *context = q->host->finder.context;
    const double start = eb_now_s();
    EB_TRY(make_room(q, status));
    if (q->to->some_rows)
        find_rows(q);
    EB_TRY(eb_parallel(context->threads, q->host->tasks, run_task, q, context->job, status));
    add_figures(q, eb_now_s() - start);
    return EB_OK;
}

static eb_code find_pairs(void *state, const eb_question *question, const eb_collector *to, eb_status *status)
{
    eb_eps_grid_host *host = state;
    search q = {.host = host, .to = to, .limit = eb_squared_threshold(question->eps)};
    if (question->schedule.kind == EB_SCHEDULE_LIST)
        return eb_fail(status, EB_NO_ENGINE, "epsilon grid order makes its own list of pairs");
    EB_TRY(make_index(host, fmin(question->eps, DBL_MAX), status));
    q.filter = host->truth ? eb_box_limit(q.limit, host->grid.d) : q.limit;
    const eb_code failed = find_all(&q, status);
    free(q.workers);
    free(q.has_row);
    return failed;
}

/* ---- opening ---- */

eb_code eb_eps_grid_probe(const eb_device *device, const eb_options *options, eb_status *status)
{
    EB_TRY(eb_decide_check(options, status));
    return eb_host_probe(device, options, status);
}

uint64_t eb_eps_grid_memory(size_t n, size_t d, eb_dtype dtype)
{
    (void)dtype;
    return eb_eps_grid_bytes(n, d, false);
}

uint64_t eb_eps_grid_memory_expanded(size_t n, size_t d, eb_dtype dtype)
{
    (void)dtype;
    return eb_eps_grid_bytes(n, d, true);
}

static eb_code check(const eb_problem *problem, const eb_context *context, bool expands, eb_status *status)
{
    const size_t d = problem->left->d;
    const uint64_t limit = context->memory_limit;
    uint64_t needed = eb_eps_grid_bytes(problem->left->n, d, expands);
    if (problem->order)
        return eb_fail(status, EB_NO_ENGINE, "epsilon grid order is an order; expected points as they are stored");
    if (!eb_is_self_join(problem))
        needed += eb_eps_grid_bytes(problem->right->n, d, expands);
    if (limit > 0 && needed > limit)
        return eb_fail(status, EB_NO_MEMORY, "points in epsilon grid order need %llu bytes; the limit is %llu",
                       (unsigned long long)needed, (unsigned long long)limit);
    if (type_of(&context->options) == EB_EPS_GRID_F64)
        return EB_OK;
    EB_TRY(eb_single_check(problem->left, status));
    return eb_is_self_join(problem) ? EB_OK : eb_single_check(problem->right, status);
}

eb_code eb_eps_grid_open(const eb_eps_grid_walk *walk, const char *what, const eb_problem *problem,
                         const eb_context *context, void **state, eb_status *status)
{
    const bool truth = eb_truth_decides(&context->options);
    EB_TRY(check(problem, context, walk->expands && !truth, status));
    eb_eps_grid_host *host = calloc(1, sizeof *host);
    if (!host)
        return eb_fail_memory(status, what, sizeof *host);
    *host = (eb_eps_grid_host){.finder = {problem, context, find_pairs},
                               .how = walk,
                               .kernels = eb_pair_kernels_here(),
                               .type = type_of(&context->options),
                               .truth = truth};
    (void)snprintf(host->description, sizeof host->description, "%s in %s, decided by %s (%s)", what,
                   host->type == EB_EPS_GRID_F32 ? "FP32" : "FP64",
                   host->truth ? "the truth's sums" : "the authors' sums", eb_isa_name(eb_cpu_isa()));
    *state = host;
    return EB_OK;
}

void eb_eps_grid_close(void *state)
{
    if (state)
        drop_index(state);
    free(state);
}

const char *eb_eps_grid_describe(const void *state) { return ((const eb_eps_grid_host *)state)->description; }

/* ---- distances ---- */

typedef struct measuring {
    const eb_eps_grid_host *host;
    const uint32_t *at; /* [m] the queries' places */
    double *out;
} measuring;

static eb_code measure_query(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    const measuring *m = context;
    const eb_eps_grid *grid = &m->host->grid;
    const eb_eps_grid_side *left = &grid->side[0], *right = eb_eps_grid_right(grid);
    const size_t at = m->at[task];
    double *out = m->out + task * right->n;
    for (size_t b = 0; b < right->blocks; b++) {
        double s[EB_EPS_GRID_BLOCK];
        if (b % 1024 == 0)
            EB_TRY(eb_job_check(m->host->finder.context->job, status));
        eb_eps_grid_sums(m->host, at, b, ~0u, s);
        for (size_t lane = 0; lane < eb_eps_grid_block_count(right, b); lane++)
            out[right->point[b * EB_EPS_GRID_BLOCK + lane]] = s[lane];
    }
    if (grid->self)
        out[left->point[at]] = 0;
    eb_job_advance(m->host->finder.context->job, 1);
    return EB_OK;
}

eb_code eb_eps_grid_distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status)
{
    eb_eps_grid_host *host = state;
    const eb_context *context = host->finder.context;
    if (!host->made)
        EB_TRY(make_index(host, (double)INFINITY, status));
    const double start = eb_now_s();
    uint32_t *at = malloc((m ? m : 1) * sizeof *at);
    if (!at)
        return eb_fail_memory(status, "the queries", m * sizeof *at);
    measuring w = {.host = host, .at = at, .out = out};
    eb_code failed = eb_find_places(host->grid.side[0].point, host->grid.side[0].n, rows, m, at, status);
    if (!failed)
        failed = eb_parallel(context->threads, m, measure_query, &w, context->job, status);
    free(at);
    eb_figures_add(context->figures, &eb_figure_kernel, eb_now_s() - start);
    return failed;
}
