/* questions: answers both questions to ivfpq on the CPU, pairs within ε and the k nearest. A task is a query. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "core/engine/problem.h"
#include "kernels/ivfpq/settings.h"

static const size_t batch_bytes = (size_t)64 << 20; /* bytes of queries that are made at a time */

static const eb_figure lists_a_point = {"lists_a_point", "lists scanned a point", EB_PLAIN, EB_FIGURE_FACT, 0};
static const eb_figure choose_s = {"choose_s", "choosing lists", EB_SECONDS, EB_FIGURE_PART, 0};
static const eb_figure take_s = {"take_s", "taking pairs", EB_SECONDS, EB_FIGURE_PART, 0};
static const eb_figure looked_a_point = {"candidates_a_point", "candidates a point", EB_PLAIN, EB_FIGURE_FACT, 0};

/* ---- queries ---- */

enum { QUERIES_A_TASK = 64 };

typedef struct making {
    const eb_ivfpq *engine;
    size_t first, step, count; /* left points first, first + step, … */
    float *out;                /* [count × d] */
} making;

static eb_code make_some(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const making *m = context;
    const eb_inverted_file *file = &m->engine->got.index->file;
    const size_t begin = (size_t)task * QUERIES_A_TASK, end = begin + QUERIES_A_TASK;
    double *wide = malloc(file->d * sizeof *wide);
    (void)thread;
    if (!wide)
        return eb_fail_memory(status, "a query", file->d * sizeof *wide);
    for (size_t q = begin; q < end && q < m->count; q++)
        eb_inverted_row(file, m->engine->finder.problem->left, m->first + q * m->step, wide, m->out + q * file->d);
    free(wide);
    return EB_OK;
}

static eb_code make_queries(making m, eb_status *status)
{
    const eb_context *context = m.engine->finder.context;
    return eb_parallel(context->threads, (m.count + QUERIES_A_TASK - 1) / QUERIES_A_TASK, make_some, &m, context->job,
                       status);
}

/* ---- pairs ---- */

typedef struct search {
    eb_ivfpq *engine;
    const eb_collector *to;
    double limit;
    size_t first_query; /* first query of the whole share */
    uint64_t queries;   /* number of its queries */
    uint64_t first;     /* first task of the present batch */
    double make_s, within_s;
} search;

/* The rows that a query decides, among pairs with an end in the share's rows. */
static eb_inverted_rows rows_of(const search *q, size_t query)
{
    const eb_problem *problem = q->engine->finder.problem;
    if (!eb_is_self_join(problem))
        return (eb_inverted_rows){0, problem->right->n};
    if (eb_is_row(q->to, query))
        return (eb_inverted_rows){query + 1, problem->right->n};
    return (eb_inverted_rows){q->to->share.row_begin, q->to->share.row_end};
}

/* Parts take queries in turns, because in a self-join a query with a greater row decides fewer pairs. */
static uint64_t tasks_of(const search *q)
{
    const eb_share *share = &q->to->share;
    return (q->queries + share->parts - 1 - share->part) / share->parts;
}

/* Progress in rows of the whole share, spread over its parts and their tasks. */
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

static eb_inverted_rows task_rows(void *context, size_t k)
{
    const search *q = context;
    return rows_of(q, query_of(q, q->first + k));
}

static eb_code take_near(void *context, size_t k, unsigned thread, const eb_near_point *near, size_t count,
                         eb_status *status)
{
    const search *q = context;
    const uint64_t task = q->first + k, tasks = tasks_of(q);
    const size_t query = query_of(q, task);
    const eb_inverted_rows rows = rows_of(q, query);
    for (size_t at = 0; at < count; at++) {
        const eb_hit hit = {(uint32_t)query, near[at].row, (double)near[at].s * q->engine->unit};
        if (hit.j >= rows.begin && hit.j < rows.end && hit.s <= q->limit)
            EB_TRY(eb_collect(q->to, thread, hit, status));
    }
    eb_job_advance(q->engine->finder.context->job, progress_at(q, task + 1, tasks) - progress_at(q, task, tasks));
    return EB_OK;
}

static eb_code run_batches(search *q, float *queries, size_t most, eb_status *status)
{
    eb_ivfpq *e = q->engine;
    const uint64_t tasks = tasks_of(q);
    const float limit = eb_ivfpq_limit(e, q->limit);
    const eb_inverted_callback callback = {q, task_rows, take_near};
    for (; q->first < tasks; q->first += most) {
        const size_t count = tasks - q->first < most ? (size_t)(tasks - q->first) : most;
        const double start = eb_now_s();
        EB_TRY(make_queries((making){e, query_of(q, q->first), q->to->share.parts, count, queries}, status));
        const double made = eb_now_s();
        EB_TRY(e->by->within(e->searching, &e->question, queries, count, limit, &callback, e->finder.context->job,
                             status));
        q->make_s += made - start;
        q->within_s += eb_now_s() - made;
    }
    return EB_OK;
}

/* Adds a GPU's kernel seconds, spent on look-ups; the rest of the time until its answer went to choosing lists. Returns
 * the kernel seconds. */
static double add_parts(const search *q, const eb_inverted_work *before, const eb_inverted_work *after)
{
    eb_figures *figures = q->engine->finder.context->figures;
    const double copied = after->copy_s - before->copy_s, taken = after->take_s - before->take_s,
                 kernel_s = after->kernel_s - before->kernel_s;
    eb_figures_add(figures, &eb_figure_convert, q->make_s);
    eb_figures_add(figures, &choose_s, fmax(q->within_s - kernel_s - copied - taken, 0));
    eb_figures_add(figures, &eb_figure_download, copied);
    eb_figures_add(figures, &take_s, taken);
    return kernel_s;
}

/* Adds the work done: distances to the centroids for each query, a table for each list scanned, a sum for each point.
 */
static void add_figures(const search *q, const eb_inverted_work *before, const eb_inverted_work *after, double seconds)
{
    eb_figures *figures = q->engine->finder.context->figures;
    const eb_inverted_file *file = &q->engine->got.index->file;
    const double asked = (double)tasks_of(q), lists = (double)(after->lists - before->lists),
                 looked = (double)(after->points - before->points);
    eb_figures_add(figures, &eb_figure_kernel, eb_ivfpq_on_gpu(q->engine) ? add_parts(q, before, after) : seconds);
    eb_figures_add(figures, &eb_figure_executed_flops,
                   2 * (double)file->d * ((double)file->shape.nlist * asked + EB_BOOK_ENTRIES * lists) +
                       (double)file->shape.m * looked);
    eb_figures_set(figures, &lists_a_point, lists / (double)q->queries); /* those of all parts add up */
    eb_figures_set(figures, &looked_a_point, looked / (double)q->queries);
}

static eb_code find_all(search *q, eb_status *status)
{
    eb_ivfpq *e = q->engine;
    const double start = eb_now_s();
    const uint64_t tasks = tasks_of(q);
    const size_t row = e->finder.problem->left->d * sizeof(float), fit = batch_bytes / row > 0 ? batch_bytes / row : 1,
                 most = tasks < fit ? (size_t)tasks : fit;
    const eb_inverted_work before = e->by->work(e->searching);
    float *queries = malloc(most * row);
    if (!queries)
        return eb_fail_memory(status, "queries", most * row);
    const eb_code failed = run_batches(q, queries, most, status);
    free(queries);
    const eb_inverted_work after = e->by->work(e->searching);
    add_figures(q, &before, &after, eb_now_s() - start);
    if (eb_ivfpq_on_gpu(e))
        eb_ivfpq_describe(e);
    return failed;
}

eb_code eb_ivfpq_find(void *state, const eb_question *question, const eb_collector *to, eb_status *status)
{
    eb_ivfpq *e = state;
    const eb_share *share = &to->share;
    search q = {.engine = e, .to = to, .limit = eb_squared_threshold(question->eps)};
    if (question->schedule.kind == EB_SCHEDULE_LIST)
        return eb_fail(status, EB_NO_ENGINE, "an inverted file has lists of its own: no list of leaves can be taken");
    q.first_query = to->self ? 0 : share->row_begin; /* earlier points are queries to the rows */
    q.queries = share->row_begin < share->row_end ? share->row_end - q.first_query : 0;
    if (tasks_of(&q) > 0)
        return find_all(&q, status);
    eb_job_advance(e->finder.context->job, progress_at(&q, 0, 0));
    eb_figures_add(e->finder.context->figures, &eb_figure_kernel, 0);
    return EB_OK;
}

/* ---- the k nearest ---- */

/* Makes the queries' vectors, unless the last call had the same queries, as in a timed search that is repeated. */
static eb_code keep_queries(eb_ivfpq *e, size_t first, size_t count, eb_status *status)
{
    const size_t d = e->got.index->file.d;
    if (e->asked_begin == first && e->asked_end == first + count)
        return EB_OK;
    free(e->queries);
    e->asked_begin = e->asked_end = 0;
    e->queries = malloc(count * d * sizeof *e->queries);
    if (!e->queries)
        return eb_fail_memory(status, "queries", count * d * sizeof *e->queries);
    EB_TRY(make_queries((making){e, first, 1, count, e->queries}, status));
    e->asked_begin = first, e->asked_end = first + count;
    return EB_OK;
}

eb_code eb_ivfpq_nearest(void *state, const eb_nearest_question *asked, size_t first, size_t count, uint32_t *rows,
                         double *distances, eb_status *status)
{
    eb_ivfpq *e = state;
    const eb_context *context = e->finder.context;
    const bool gpu = eb_ivfpq_on_gpu(e);
    eb_inverted_question question = asked->lists ? *asked->lists : e->question;
    question.k = asked->k;
    if (eb_is_self_join(e->finder.problem))
        return eb_fail(status, EB_NO_ENGINE, "the nearest of an index's own points are asked for by joins");
    if (count > 0)
        EB_TRY(keep_queries(e, first, count, status));
    const eb_inverted_work before = e->by->work(e->searching);
    const double start = eb_now_s();
    EB_TRY(e->by->find(e->searching, &question, e->queries, count, rows, distances, context->job, status));
    const double took = eb_now_s() - start;
    eb_inverted_work work = e->by->work(e->searching);
    work.lookups -= before.lookups;
    work.kernel_s -= before.kernel_s;
    if (asked->work)
        *asked->work = work;
    eb_figures_add(context->figures, &eb_figure_kernel, gpu ? work.kernel_s : took);
    (void)snprintf(e->description, sizeof e->description, "IVFPQ, %s%s", gpu ? "CUDA" : "host threads, ",
                   gpu ? "" : eb_inverted_instructions());
    return EB_OK;
}
