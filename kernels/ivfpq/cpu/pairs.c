/* Pairs within ε: a task is a query. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "core/engine/problem.h"
#include "kernels/ivfpq/settings.h"

static const size_t query_bytes = (size_t)64 << 20; /* that a GPU is given at a time */

static const eb_figure lists_a_point = {"lists_a_point", "lists scanned a point", EB_PLAIN, EB_FIGURE_FACT, 0};
static const eb_figure choose_s = {"choose_s", "choosing lists", EB_SECONDS, EB_FIGURE_PART, 0};
static const eb_figure take_s = {"take_s", "taking pairs", EB_SECONDS, EB_FIGURE_PART, 0};
static const eb_figure looked_a_point = {"candidates_a_point", "candidates a point", EB_PLAIN, EB_FIGURE_FACT, 0};

/* What a thread works with and has done. */
typedef struct worker {
    _Alignas(64) uint64_t lists;
    uint64_t looked;
    double *wide;      /* [d] */
    float *query;      /* [d] */
    eb_near_row *near; /* [the longest list]; NULL with a GPU, which lists them */
} worker;

typedef struct search {
    eb_ivfpq *engine;
    const eb_collector *to;
    double limit;
    float file_limit;
    uint64_t queries; /* that the whole share asks, from first_query on */
    size_t first_query;
    worker *workers;          /* [threads] */
    double gpu_s;             /* of kernels */
    double query_s, within_s; /* on the host's clock: making queries for a GPU; until it has answered */
} search;

/* ---- a query ---- */

/* The points that a query decides about, of those with an end in the rows. */
static eb_inverted_rows rows_of(const search *q, size_t query)
{
    const eb_problem *problem = q->engine->finder.problem;
    if (!eb_is_self_join(problem))
        return (eb_inverted_rows){0, problem->right->n};
    if (eb_is_row(q->to, query))
        return (eb_inverted_rows){query + 1, problem->right->n};
    return (eb_inverted_rows){q->to->share.row_begin, q->to->share.row_end};
}

static eb_code ask_query(const search *q, size_t query, unsigned thread, eb_status *status)
{
    eb_ivfpq *e = q->engine;
    worker *w = &q->workers[thread];
    const eb_inverted_rows rows = rows_of(q, query);
    const eb_near_row *lists;
    eb_inverted_row(&e->got.index->file, e->finder.problem->left, query, w->wide, w->query);
    const size_t count = eb_inverted_probe(e->searcher, thread, w->query, e->question.nprobe, &lists);
    for (size_t l = 0; l < count; l++) {
        const eb_inverted_seen seen =
            eb_inverted_look(e->searcher, &e->question, thread, w->query, lists[l].row, rows, q->file_limit, w->near);
        w->lists += seen.looked > 0;
        w->looked += seen.looked;
        for (size_t k = 0; k < seen.found; k++) {
            const eb_hit hit = {(uint32_t)query, w->near[k].row, w->near[k].far * e->unit};
            if (hit.s <= q->limit)
                EB_TRY(eb_collect(q->to, thread, hit, status));
        }
    }
    return EB_OK;
}

/* Parts take the queries in turns: those of a self-join look at fewer points the larger they are. */
static uint64_t tasks_of(const search *q)
{
    const eb_share *share = &q->to->share;
    return (q->queries + share->parts - 1 - share->part) / share->parts;
}

/* Rows of the whole share, spread over its parts and their tasks. */
static uint64_t progress_at(const search *q, uint64_t done, uint64_t tasks)
{
    const eb_share *share = &q->to->share;
    const uint64_t rows = share->row_end - share->row_begin, parts = share->parts, part = share->part;
    const uint64_t own = rows * (part + 1) / parts - rows * part / parts;
    return tasks > 0 ? own * done / tasks : own;
}

static size_t query_of(const search *q, uint64_t task)
{
    return q->first_query + (size_t)(task * q->to->share.parts + q->to->share.part);
}

static void advance(const search *q, uint64_t task)
{
    const uint64_t tasks = tasks_of(q);
    eb_job_advance(q->engine->finder.context->job, progress_at(q, task + 1, tasks) - progress_at(q, task, tasks));
}

static eb_code run_task(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const search *q = context;
    EB_TRY(ask_query(q, query_of(q, task), thread, status));
    advance(q, task);
    return EB_OK;
}

/* ---- queries that a GPU answers ---- */

typedef struct batch {
    const search *search;
    uint64_t first; /* task */
    float *queries; /* [× d] */
} batch;

static eb_code make_query(void *context, uint64_t k, unsigned thread, eb_status *status)
{
    const batch *b = context;
    const search *q = b->search;
    const eb_inverted_file *file = &q->engine->got.index->file;
    (void)status;
    eb_inverted_row(file, q->engine->finder.problem->left, query_of(q, b->first + k), q->workers[thread].wide,
                    b->queries + k * file->d);
    return EB_OK;
}

static eb_code take_near(void *context, size_t k, unsigned thread, const eb_near_point *near, size_t count,
                         eb_status *status)
{
    const batch *b = context;
    const search *q = b->search;
    const size_t query = query_of(q, b->first + k);
    const eb_inverted_rows rows = rows_of(q, query);
    for (size_t at = 0; at < count; at++) {
        const eb_hit hit = {(uint32_t)query, near[at].row, (double)near[at].s * q->engine->unit};
        if (hit.j >= rows.begin && hit.j < rows.end && hit.s <= q->limit)
            EB_TRY(eb_collect(q->to, thread, hit, status));
    }
    advance(q, b->first + k);
    return EB_OK;
}

static eb_code run_batches(search *q, float *queries, size_t most, eb_status *status)
{
    eb_ivfpq *e = q->engine;
    const eb_context *context = e->finder.context;
    const uint64_t tasks = tasks_of(q);
    batch b = {q, 0, queries};
    const eb_inverted_callback callback = {&b, take_near};
    for (; b.first < tasks; b.first += most) {
        const size_t count = tasks - b.first < most ? (size_t)(tasks - b.first) : most;
        const double start = eb_now_s();
        EB_TRY(eb_parallel(context->threads, count, make_query, &b, context->job, status));
        const double made = eb_now_s();
        EB_TRY(e->gpu->within(e->on_gpu, &e->question, queries, count, q->file_limit, &callback, context->job, status));
        q->query_s += made - start;
        q->within_s += eb_now_s() - made;
    }
    return EB_OK;
}

/* Look-ups are a kernel's time; besides, until the GPU has answered, lists are chosen for queries. */
static void add_parts(search *q, const eb_inverted_work *before, const eb_inverted_work *after)
{
    eb_figures *figures = q->engine->finder.context->figures;
    const double copied = after->copy_s - before->copy_s, taken = after->take_s - before->take_s;
    q->gpu_s = after->kernel_s - before->kernel_s;
    eb_figures_add(figures, &eb_figure_convert, q->query_s);
    eb_figures_add(figures, &choose_s, fmax(q->within_s - q->gpu_s - copied - taken, 0));
    eb_figures_add(figures, &eb_figure_download, copied);
    eb_figures_add(figures, &take_s, taken);
}

static eb_code run_on_gpu(search *q, eb_status *status)
{
    eb_ivfpq *e = q->engine;
    const eb_inverted_work before = e->gpu->work(e->on_gpu);
    const uint64_t tasks = tasks_of(q);
    const size_t row = e->finder.problem->left->d * sizeof(float), fit = query_bytes / row > 0 ? query_bytes / row : 1,
                 most = tasks < fit ? (size_t)tasks : fit;
    if (tasks == 0)
        return EB_OK;
    float *queries = malloc(most * row);
    if (!queries)
        return eb_fail_memory(status, "queries", most * row);
    const eb_code failed = run_batches(q, queries, most, status);
    free(queries);
    const eb_inverted_work after = e->gpu->work(e->on_gpu);
    q->workers[0].lists = after.lists - before.lists;
    q->workers[0].looked = after.points - before.points;
    add_parts(q, &before, &after);
    eb_ivfpq_describe(e);
    return failed;
}

/* ---- a question ---- */

static eb_code make_room(search *q, eb_status *status)
{
    const unsigned threads = q->engine->finder.context->threads;
    const bool gpu = q->engine->gpu;
    const size_t d = q->engine->finder.problem->right->d, longest = gpu ? 0 : eb_inverted_longest(q->engine->searcher);
    q->workers = aligned_alloc(64, threads * sizeof *q->workers);
    if (!q->workers)
        return eb_fail_memory(status, "threads' room", threads * sizeof *q->workers);
    memset(q->workers, 0, threads * sizeof *q->workers);
    for (unsigned t = 0; t < threads; t++) {
        worker *w = &q->workers[t];
        w->wide = malloc(d * sizeof *w->wide);
        w->query = malloc(d * sizeof *w->query);
        w->near = gpu ? NULL : malloc(longest * sizeof *w->near);
        if (!w->wide || !w->query || (!gpu && !w->near))
            return eb_fail_memory(status, "a query", d * 12 + longest * sizeof *w->near);
    }
    return EB_OK;
}

static void free_room(search *q)
{
    for (unsigned t = 0; q->workers && t < q->engine->finder.context->threads; t++) {
        worker *w = &q->workers[t];
        free(w->wide);
        free(w->query);
        free(w->near);
    }
    free(q->workers);
}

/* A query's distances to the centroids, a table for each list it scans, a sum for each point there. */
static void add_figures(const search *q, double seconds)
{
    const eb_context *context = q->engine->finder.context;
    const eb_inverted_file *file = &q->engine->got.index->file;
    const double asked = (double)tasks_of(q), d = (double)file->d;
    double lists = 0, looked = 0;
    for (unsigned t = 0; t < context->threads; t++) {
        lists += (double)q->workers[t].lists;
        looked += (double)q->workers[t].looked;
    }
    eb_figures_add(context->figures, &eb_figure_kernel, seconds);
    eb_figures_add(context->figures, &eb_figure_executed_flops,
                   2 * d * ((double)file->shape.nlist * asked + EB_BOOK_ENTRIES * lists) +
                       (double)file->shape.m * looked);
    if (asked == 0)
        return;
    eb_figures_set(context->figures, &lists_a_point, lists / asked);
    eb_figures_set(context->figures, &looked_a_point, looked / asked);
}

static eb_code find_all(search *q, eb_status *status)
{
    const eb_context *context = q->engine->finder.context;
    const double start = eb_now_s();
    EB_TRY(make_room(q, status));
    EB_TRY(q->engine->gpu ? run_on_gpu(q, status)
                          : eb_parallel(context->threads, tasks_of(q), run_task, q, context->job, status));
    if (tasks_of(q) == 0)
        eb_job_advance(context->job, progress_at(q, 0, 0));
    add_figures(q, q->engine->gpu ? q->gpu_s : eb_now_s() - start);
    return EB_OK;
}

eb_code eb_ivfpq_find(void *state, const eb_question *question, const eb_collector *to, eb_status *status)
{
    eb_ivfpq *e = state;
    const eb_share *share = &to->share;
    search q = {.engine = e, .to = to, .limit = eb_squared_threshold(question->eps)};
    if (question->schedule.kind == EB_SCHEDULE_LIST)
        return eb_fail(status, EB_NO_ENGINE, "an inverted file has lists of its own: no list of leaves can be taken");
    q.file_limit = eb_ivfpq_limit(e, q.limit);
    q.first_query = to->self ? 0 : share->row_begin; /* earlier points are queries to the rows */
    q.queries = share->row_begin < share->row_end ? share->row_end - q.first_query : 0;
    const eb_code failed = find_all(&q, status);
    free_room(&q);
    return failed;
}
