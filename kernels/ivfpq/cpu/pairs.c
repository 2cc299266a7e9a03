/* Pairs within ε: a task is a query. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "core/engine/problem.h"
#include "kernels/ivfpq/settings.h"
#include "kernels/walk/tally.h"

enum { BATCH = 2048 };
static const size_t query_bytes = (size_t)64 << 20; /* that a GPU is given at a time */

static const eb_figure lists_a_point = {"lists_a_point", "lists scanned a point", EB_PLAIN, EB_FIGURE_FACT, 0};
static const eb_figure choose_s = {"choose_s", "choosing lists", EB_SECONDS, EB_FIGURE_PART, 0};
static const eb_figure take_s = {"take_s", "taking pairs", EB_SECONDS, EB_FIGURE_PART, 0};
static const eb_figure looked_a_point = {"candidates_a_point", "candidates a point", EB_PLAIN, EB_FIGURE_FACT, 0};

/* What a thread works with, has found and done. */
typedef struct worker {
    _Alignas(64) uint64_t entries;
    uint64_t lists, looked;
    double *wide;      /* [d] */
    float *query;      /* [d] */
    eb_near_row *near; /* [the longest list]; NULL with a GPU, which lists them */
    eb_hit *hits;      /* [BATCH], for a sink */
    double *s;         /* [BATCH], for a tally */
    size_t count;
} worker;

/* What is looked for. With neither sink nor tally it is counted. */
typedef struct search {
    eb_ivfpq *engine;
    double limit;
    float file_limit;
    eb_share share;
    uint64_t queries; /* that the whole share asks, from first_query on */
    size_t first_query;
    const eb_sink *sink;
    eb_tally *tally;
    worker *workers;          /* [threads] */
    double gpu_s;             /* of kernels */
    double query_s, within_s; /* on the host's clock: making queries for a GPU; until it has answered */
} search;

/* ---- hits ---- */

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

static bool is_row(const search *q, size_t point) { return point >= q->share.row_begin && point < q->share.row_end; }

/* A query that is no row itself finds only rows (rows_of): those are i then. */
static eb_code take_hit(const search *q, unsigned thread, uint32_t i, uint32_t j, double s, eb_status *status)
{
    worker *w = &q->workers[thread];
    const bool self = eb_is_self_join(q->engine->problem), own = is_row(q, i);
    if (!q->sink && !q->tally) {
        w->entries += self && own && is_row(q, j) ? 2 : 1;
        return EB_OK;
    }
    if (q->tally)
        w->s[w->count++] = s;
    else
        w->hits[w->count++] = (eb_hit){.i = own ? i : j, .j = own ? j : i, .s = s};
    return w->count == BATCH ? flush(q, thread, status) : EB_OK;
}

/* ---- a query ---- */

/* The points that a query decides about, of those with an end in the rows. */
static eb_inverted_rows rows_of(const search *q, size_t query)
{
    const eb_problem *problem = q->engine->problem;
    if (!eb_is_self_join(problem))
        return (eb_inverted_rows){0, problem->right->n};
    if (is_row(q, query))
        return (eb_inverted_rows){query + 1, problem->right->n};
    return (eb_inverted_rows){q->share.row_begin, q->share.row_end};
}

static eb_code ask_query(const search *q, size_t query, unsigned thread, eb_status *status)
{
    eb_ivfpq *e = q->engine;
    worker *w = &q->workers[thread];
    const eb_inverted_rows rows = rows_of(q, query);
    const eb_near_row *lists;
    eb_inverted_row(&e->got.index->file, e->problem->left, query, w->wide, w->query);
    const size_t count = eb_inverted_probe(e->searcher, thread, w->query, e->question.nprobe, &lists);
    for (size_t l = 0; l < count; l++) {
        const eb_inverted_seen seen =
            eb_inverted_look(e->searcher, &e->question, thread, w->query, lists[l].row, rows, q->file_limit, w->near);
        w->lists += seen.looked > 0;
        w->looked += seen.looked;
        for (size_t k = 0; k < seen.found; k++) {
            const double s = w->near[k].far * e->unit;
            if (s <= q->limit)
                EB_TRY(take_hit(q, thread, (uint32_t)query, w->near[k].row, s, status));
        }
    }
    return EB_OK;
}

/* Parts take the queries in turns: those of a self-join look at fewer points the larger they are. */
static uint64_t tasks_of(const search *q)
{
    const eb_share *share = &q->share;
    return (q->queries + share->parts - 1 - share->part) / share->parts;
}

/* Rows of the whole share, spread over its parts and their tasks. */
static uint64_t progress_at(const search *q, uint64_t done, uint64_t tasks)
{
    const uint64_t rows = q->share.row_end - q->share.row_begin, parts = q->share.parts, part = q->share.part;
    const uint64_t own = rows * (part + 1) / parts - rows * part / parts;
    return tasks > 0 ? own * done / tasks : own;
}

static size_t query_of(const search *q, uint64_t task)
{
    return q->first_query + (size_t)(task * q->share.parts + q->share.part);
}

static void advance(const search *q, uint64_t task)
{
    const uint64_t tasks = tasks_of(q);
    eb_job_advance(q->engine->context->job, progress_at(q, task + 1, tasks) - progress_at(q, task, tasks));
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
    eb_inverted_row(file, q->engine->problem->left, query_of(q, b->first + k), q->workers[thread].wide,
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
        const double s = (double)near[at].s * q->engine->unit;
        if (near[at].row >= rows.begin && near[at].row < rows.end && s <= q->limit)
            EB_TRY(take_hit(q, thread, (uint32_t)query, near[at].row, s, status));
    }
    advance(q, b->first + k);
    return EB_OK;
}

static eb_code run_batches(search *q, float *queries, size_t most, eb_status *status)
{
    eb_ivfpq *e = q->engine;
    const eb_context *context = e->context;
    const uint64_t tasks = tasks_of(q);
    batch b = {q, 0, queries};
    const eb_inverted_taker taker = {&b, take_near};
    for (; b.first < tasks; b.first += most) {
        const size_t count = tasks - b.first < most ? (size_t)(tasks - b.first) : most;
        const double start = eb_now_s();
        EB_TRY(eb_parallel(context->threads, count, make_query, &b, context->job, status));
        const double made = eb_now_s();
        EB_TRY(e->gpu->within(e->on_gpu, &e->question, queries, count, q->file_limit, &taker, context->job, status));
        q->query_s += made - start;
        q->within_s += eb_now_s() - made;
    }
    return EB_OK;
}

/* Look-ups are a kernel's time; besides, until the GPU has answered, lists are chosen for queries. */
static void add_parts(search *q, const eb_inverted_work *before, const eb_inverted_work *after)
{
    eb_figures *figures = q->engine->context->figures;
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
    const size_t row = e->problem->left->d * sizeof(float), fit = query_bytes / row > 0 ? query_bytes / row : 1,
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
    const unsigned threads = q->engine->context->threads;
    const bool gpu = q->engine->gpu;
    const size_t d = q->engine->problem->right->d, longest = gpu ? 0 : eb_inverted_longest(q->engine->searcher);
    q->workers = aligned_alloc(64, threads * sizeof *q->workers);
    if (!q->workers)
        return eb_fail_memory(status, "threads' room", threads * sizeof *q->workers);
    memset(q->workers, 0, threads * sizeof *q->workers);
    for (unsigned t = 0; t < threads; t++) {
        worker *w = &q->workers[t];
        w->wide = malloc(d * sizeof *w->wide);
        w->query = malloc(d * sizeof *w->query);
        w->near = gpu ? NULL : malloc(longest * sizeof *w->near);
        w->hits = q->sink ? malloc(BATCH * sizeof *w->hits) : NULL;
        w->s = q->tally ? malloc(BATCH * sizeof *w->s) : NULL;
        if (!w->wide || !w->query || (!gpu && !w->near) || (q->sink && !w->hits) || (q->tally && !w->s))
            return eb_fail_memory(status, "hit buffers", longest * sizeof *w->near + BATCH * sizeof *w->hits);
    }
    return EB_OK;
}

static void free_room(search *q)
{
    for (unsigned t = 0; q->workers && t < q->engine->context->threads; t++) {
        worker *w = &q->workers[t];
        free(w->wide);
        free(w->query);
        free(w->near);
        free(w->hits);
        free(w->s);
    }
    free(q->workers);
}

/* A query's distances to the centroids, a table for each list it scans, a sum for each point there. */
static void add_figures(const search *q, double seconds)
{
    const eb_context *context = q->engine->context;
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
    const eb_context *context = q->engine->context;
    const double start = eb_now_s();
    EB_TRY(make_room(q, status));
    EB_TRY(q->engine->gpu ? run_on_gpu(q, status)
                          : eb_parallel(context->threads, tasks_of(q), run_task, q, context->job, status));
    if (tasks_of(q) == 0)
        eb_job_advance(context->job, progress_at(q, 0, 0));
    for (unsigned t = 0; t < context->threads; t++)
        EB_TRY(flush(q, t, status));
    add_figures(q, q->engine->gpu ? q->gpu_s : eb_now_s() - start);
    return EB_OK;
}

static eb_code begin(eb_ivfpq *e, const eb_question *question, const eb_share *share, search *q, eb_status *status)
{
    EB_TRY(eb_question_check(question, share, e->problem, status));
    if (question->schedule.kind == EB_SCHEDULE_LIST)
        return eb_fail(status, EB_NO_ENGINE, "an inverted file has lists of its own: no list of leaves can be taken");
    *q = (search){.engine = e, .limit = eb_squared_threshold(question->eps), .share = *share};
    q->file_limit = eb_ivfpq_limit(e, q->limit);
    q->first_query = eb_is_self_join(e->problem) ? 0 : share->row_begin; /* earlier points are queries to the rows */
    q->queries = share->row_begin < share->row_end ? share->row_end - q->first_query : 0;
    return EB_OK;
}

/* Of a self-join the share's rows are entries themselves; of parts, each has those of some. */
static uint64_t self_entries(const search *q)
{
    const eb_share *share = &q->share;
    const uint64_t before = share->row_begin + share->parts - 1 - share->part;
    const uint64_t behind = share->row_end + share->parts - 1 - share->part;
    return eb_is_self_join(q->engine->problem) ? behind / share->parts - before / share->parts : 0;
}

eb_code eb_ivfpq_count(void *state, const eb_question *question, const eb_share *share, uint64_t *entries,
                       eb_status *status)
{
    search q;
    EB_TRY(begin(state, question, share, &q, status));
    const eb_code failed = find_all(&q, status);
    *entries = self_entries(&q);
    for (unsigned t = 0; q.workers && t < q.engine->context->threads; t++)
        *entries += q.workers[t].entries;
    free_room(&q);
    return failed;
}

eb_code eb_ivfpq_join(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
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
    EB_TRY(eb_tally_new(pass, q->engine->context->threads, &q->tally, status));
    eb_code failed = find_all(q, status);
    if (!failed)
        failed = eb_tally_finish(q->tally, pass, status);
    free_room(q);
    eb_tally_free(q->tally);
    return failed;
}

eb_code eb_ivfpq_histogram(void *state, eb_distance_pass *pass, eb_status *status)
{
    eb_ivfpq *e = state;
    const eb_share whole = eb_share_whole(e->problem);
    search q;
    for (size_t k = 0; k < pass->edges; k++)
        pass->kept[k] = NULL;
    if (pass->edges == 0)
        return EB_OK;
    const eb_question question = {.eps = pass->eps[pass->edges - 1]};
    EB_TRY(begin(e, &question, &whole, &q, status));
    return tally_all(&q, pass, status);
}
