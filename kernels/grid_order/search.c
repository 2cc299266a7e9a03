/* Questions: a walk's pairs of blocks, point by point. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "core/order/leaves.h"
#include "kernels/grid_order/host.h"

static const eb_figure candidates = {"candidates_a_point", "candidates a point", EB_PLAIN, EB_FIGURE_FACT, 0};
static const eb_figure saved = {"distances_saved", "distances saved by pruning", EB_PERCENT, EB_FIGURE_FACT, 0};
static const eb_figure pruned = {"ranges_pruned", "pairs of ranges pruned", EB_PERCENT, EB_FIGURE_FACT, 0};
static const eb_figure depth = {"circuit_depth", "dimensions until short-circuit, mean", EB_PLAIN, EB_FIGURE_FACT, 0};

/* What a thread has done. */
typedef struct worker {
    _Alignas(64) uint64_t candidates; /* pairs computed */
    uint64_t dimensions;              /* looked at, 32 pairs together */
    eb_walk_effort effort;
} worker;

typedef struct search {
    const eb_eps_grid_host *host;
    const eb_collector *to;
    double limit, filter; /* what decides; what the authors' sums have to be for it (decide=truth) */
    bool *has_row;        /* [row blocks] of some rows; a self-join's column blocks, too */
    worker *workers;      /* [threads] */
} search;

typedef struct visit {
    const search *search;
    unsigned thread;
} visit;

/* ---- pairs ---- */

/* The points of block b that the authors' sums let through, of query `lane` of block a. */
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

/* Pairs that all rows have are 2·C(n, 2) or n·m; of a part, that much of them. */
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

eb_code eb_eps_grid_find(void *state, const eb_question *question, const eb_collector *to, eb_status *status)
{
    eb_eps_grid_host *host = state;
    search q = {.host = host, .to = to, .limit = eb_squared_threshold(question->eps)};
    if (question->schedule.kind == EB_SCHEDULE_LIST)
        return eb_fail(status, EB_NO_ENGINE, "epsilon grid order makes its own list of pairs");
    EB_TRY(eb_eps_grid_index(host, fmin(question->eps, DBL_MAX), status));
    q.filter = host->truth ? eb_box_limit(q.limit, host->grid.d) : q.limit;
    const eb_code failed = find_all(&q, status);
    free(q.workers);
    free(q.has_row);
    return failed;
}
