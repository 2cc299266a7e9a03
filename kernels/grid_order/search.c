/* Questions: a walk's pairs of blocks, point by point. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "core/engine/problem.h"
#include "core/order/leaves.h"
#include "kernels/grid_order/host.h"
#include "kernels/walk/tally.h"

enum { BATCH = 2048 };

static const eb_figure candidates = {"candidates_a_point", "candidates a point", EB_PLAIN, EB_FIGURE_FACT, 0};
static const eb_figure saved = {"distances_saved", "distances saved by pruning", EB_PERCENT, EB_FIGURE_FACT, 0};
static const eb_figure pruned = {"ranges_pruned", "pairs of ranges pruned", EB_PERCENT, EB_FIGURE_FACT, 0};
static const eb_figure depth = {"circuit_depth", "dimensions until short-circuit, mean", EB_PLAIN, EB_FIGURE_FACT, 0};

/* What a thread has found and done. */
typedef struct worker {
    _Alignas(64) uint64_t entries;
    uint64_t candidates, dimensions; /* pairs computed; dimensions looked at, 32 pairs together */
    eb_walk_effort effort;
    eb_hit *hits; /* [BATCH], where anything is done with them */
    double *s;    /* [BATCH] */
    size_t count;
} worker;

/* What is looked for. With neither sink nor tally it is counted. */
typedef struct search {
    eb_eps_grid_host *host;
    double limit, filter; /* what decides; what the authors' sums have to be for it (decide=truth) */
    eb_share share;
    bool some_rows; /* not all */
    bool *has_row;  /* [row blocks] of these; a self-join's column blocks, too */
    const eb_sink *sink;
    eb_tally *tally;
    worker *workers; /* [threads] */
} search;

typedef struct visit {
    const search *search;
    unsigned thread;
} visit;

/* ---- pairs ---- */

static eb_code flush(const search *q, unsigned thread, eb_status *status)
{
    worker *w = &q->workers[thread];
    const size_t count = w->count;
    w->count = 0;
    if (count == 0)
        return EB_OK;
    return q->tally ? eb_tally_take(q->tally, thread, w->s, count, status)
                    : q->sink->hits(q->sink->context, thread, w->hits, count, status);
}

static bool is_row(const search *q, uint32_t point)
{
    return point - q->share.row_begin < q->share.row_end - q->share.row_begin;
}

/* A hit as the share wants it: i a row. False: it is no row's. */
static bool belongs(const search *q, eb_hit *hit)
{
    if (!q->some_rows || is_row(q, hit->i))
        return true;
    if (!q->host->grid.self || !is_row(q, hit->j))
        return false;
    *hit = (eb_hit){.i = hit->j, .j = hit->i, .s = hit->s};
    return true;
}

static eb_code take_hit(const search *q, unsigned thread, eb_hit hit, eb_status *status)
{
    worker *w = &q->workers[thread];
    if (!belongs(q, &hit))
        return EB_OK;
    if (!q->sink && !q->tally) {
        w->entries += 1 + (uint64_t)(q->host->grid.self && is_row(q, hit.j));
        return EB_OK;
    }
    if (q->tally)
        w->s[w->count++] = hit.s;
    else
        w->hits[w->count++] = hit;
    return w->count == BATCH ? flush(q, thread, status) : EB_OK;
}

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
            EB_TRY(take_hit(q, v->thread, hit, status));
    }
    return EB_OK;
}

static bool is_counted_at_once(const search *q) { return !q->sink && !q->tally && !q->some_rows && !q->host->truth; }

static eb_code take_blocks(void *context, size_t a, size_t b, eb_status *status)
{
    const visit *v = context;
    const search *q = v->search;
    const eb_eps_grid *grid = &q->host->grid;
    worker *w = &q->workers[v->thread];
    uint32_t lanes[EB_EPS_GRID_BLOCK];
    if (q->some_rows && !q->has_row[a] && !(grid->self && q->has_row[b]))
        return EB_OK;
    EB_TRY(eb_job_check(q->host->context->job, status));
    const size_t queries = eb_eps_grid_block_count(&grid->side[0], a);
    w->dimensions += q->host->kernels->within(grid, a, queries, b, q->filter, lanes);
    w->candidates += queries * EB_EPS_GRID_BLOCK;
    for (unsigned lane = 0; lane < queries; lane++) {
        if (grid->self && a == b)
            lanes[lane] &= ~(uint32_t)(((uint64_t)2 << lane) - 1);
        if (is_counted_at_once(q))
            w->entries += (uint64_t)__builtin_popcount(lanes[lane]) << grid->self;
        else if (lanes[lane])
            EB_TRY(take_lanes(v, a, lane, b, lanes[lane], status));
    }
    return EB_OK;
}

static eb_code run_task(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const search *q = context;
    const eb_eps_grid_host *host = q->host;
    const uint64_t rows = q->share.row_end - q->share.row_begin;
    visit v = {.search = q, .thread = thread};
    if (task % q->share.parts == q->share.part)
        EB_TRY(host->how->run(host->walk, task, take_blocks, &v, &q->workers[thread].effort, status));
    eb_job_advance(host->context->job, rows * (task + 1) / host->tasks - rows * task / host->tasks);
    return EB_OK;
}

/* ---- a question ---- */

static void find_rows(search *q)
{
    const eb_eps_grid_side *left = &q->host->grid.side[0];
    for (size_t k = 0; k < left->n; k++)
        q->has_row[k / EB_EPS_GRID_BLOCK] |= is_row(q, left->point[k]);
}

static eb_code make_room(search *q, eb_status *status)
{
    const unsigned threads = q->host->context->threads;
    const size_t blocks = q->host->grid.side[0].blocks;
    q->has_row = calloc(blocks, sizeof *q->has_row);
    q->workers = aligned_alloc(64, threads * sizeof *q->workers);
    if (!q->has_row || !q->workers)
        return eb_fail_memory(status, "threads' room", blocks + threads * sizeof *q->workers);
    memset(q->workers, 0, threads * sizeof *q->workers);
    for (unsigned t = 0; t < threads; t++) {
        worker *w = &q->workers[t];
        w->hits = q->sink ? malloc(BATCH * sizeof *w->hits) : NULL;
        w->s = q->tally ? malloc(BATCH * sizeof *w->s) : NULL;
        if ((q->sink && !w->hits) || (q->tally && !w->s))
            return eb_fail_memory(status, "hit buffers", BATCH * sizeof *w->hits);
    }
    return EB_OK;
}

/* Of a self-join the share's rows are entries themselves; of parts, each has those of some. */
static uint64_t self_entries(const search *q)
{
    const eb_share *share = &q->share;
    const uint64_t before = share->row_begin + share->parts - 1 - share->part;
    const uint64_t behind = share->row_end + share->parts - 1 - share->part;
    return q->host->grid.self ? behind / share->parts - before / share->parts : 0;
}

/* Pairs that all rows have are 2·C(n, 2) or n·m; of a part, that much of them. */
static void add_figures(const search *q, double seconds)
{
    const eb_context *context = q->host->context;
    const eb_eps_grid *grid = &q->host->grid;
    const double n = (double)grid->side[0].n, m = (double)eb_eps_grid_right(grid)->n;
    const double pairs = (grid->self ? n * (n + 1) / 2 : n * m) / q->share.parts;
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

static void free_room(search *q)
{
    for (unsigned t = 0; q->workers && t < q->host->context->threads; t++) {
        free(q->workers[t].hits);
        free(q->workers[t].s);
    }
    free(q->workers);
    free(q->has_row);
}

static eb_code find_all(search *q, eb_status *status)
{
    const eb_context *context = q->host->context;
    const double start = eb_now_s();
    EB_TRY(make_room(q, status));
    if (q->some_rows)
        find_rows(q);
    EB_TRY(eb_parallel(context->threads, q->host->tasks, run_task, q, context->job, status));
    for (unsigned t = 0; t < context->threads; t++)
        EB_TRY(flush(q, t, status));
    add_figures(q, eb_now_s() - start);
    return EB_OK;
}

static eb_code begin(eb_eps_grid_host *host, const eb_question *question, const eb_share *share, search *q,
                     eb_status *status)
{
    EB_TRY(eb_question_check(question, share, host->problem, status));
    if (question->schedule.kind == EB_SCHEDULE_LIST)
        return eb_fail(status, EB_NO_ENGINE, "epsilon grid order makes its own list of pairs");
    EB_TRY(eb_eps_grid_index(host, fmin(question->eps, DBL_MAX), status));
    *q = (search){.host = host, .limit = eb_squared_threshold(question->eps), .share = *share};
    q->filter = host->truth ? eb_box_limit(q->limit, host->grid.d) : q->limit;
    q->some_rows = share->row_begin > 0 || share->row_end < host->problem->left->n;
    return EB_OK;
}

eb_code eb_eps_grid_count(void *state, const eb_question *question, const eb_share *share, uint64_t *entries,
                          eb_status *status)
{
    search q;
    EB_TRY(begin(state, question, share, &q, status));
    const eb_code failed = find_all(&q, status);
    *entries = self_entries(&q);
    for (unsigned t = 0; q.workers && t < q.host->context->threads; t++)
        *entries += q.workers[t].entries;
    free_room(&q);
    return failed;
}

eb_code eb_eps_grid_join(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                         eb_status *status)
{
    search q;
    if (!sink->hits)
        return eb_fail(status, EB_INTERNAL, "the sink takes no single hits, which is all this engine gives");
    EB_TRY(begin(state, question, share, &q, status));
    q.sink = sink;
    const eb_code failed = find_all(&q, status);
    free_room(&q);
    return failed;
}

static eb_code tally_all(search *q, eb_distance_pass *pass, eb_status *status)
{
    EB_TRY(eb_tally_new(pass, q->host->context->threads, &q->tally, status));
    eb_code failed = find_all(q, status);
    if (!failed)
        failed = eb_tally_finish(q->tally, pass, status);
    free_room(q);
    eb_tally_free(q->tally);
    return failed;
}

eb_code eb_eps_grid_histogram(void *state, eb_distance_pass *pass, eb_status *status)
{
    eb_eps_grid_host *host = state;
    const eb_share whole = eb_share_whole(host->problem);
    search q;
    for (size_t k = 0; k < pass->edges; k++)
        pass->kept[k] = NULL;
    if (pass->edges == 0)
        return EB_OK;
    const eb_question question = {.eps = pass->eps[pass->edges - 1]};
    EB_TRY(begin(host, &question, &whole, &q, status));
    return tally_all(&q, pass, status);
}
