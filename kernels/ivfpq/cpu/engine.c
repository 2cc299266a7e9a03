#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "kernels/ivfpq/settings.h"
#include "kernels/walk/engine.h"

static const eb_figure index_s = {"index_build_s", "index", EB_SECONDS, EB_FIGURE_PART, 0};
static const eb_figure codes_bytes = {"codes_bytes", "codes take", EB_BYTES, EB_FIGURE_FACT, 0};

/* ---- opening ---- */

static eb_code probe(const eb_device *device, const eb_options *options, eb_status *status)
{
    EB_TRY(eb_ivfpq_check_options(options, device->kind, status));
    return device->kind == EB_DEVICE_CUDA ? eb_inverted_cuda_probe(device, status)
                                          : eb_host_probe(device, options, status);
}

static uint64_t memory_needed(size_t n, size_t d, eb_dtype dtype)
{
    const eb_dataset points = {.n = n, .d = d, .dtype = dtype};
    const eb_inverted_request request = {.points = &points, .n = n, .shape = eb_usual_shape(n, d)};
    return eb_inverted_build_bytes(&request, false);
}

/* Assumes that each list's last block is half full, the average. */
static uint64_t memory_needed_cuda(size_t n, size_t d, eb_dtype dtype)
{
    const eb_inverted_shape shape = eb_usual_shape(n, d);
    (void)dtype;
    return eb_inverted_gpu_bytes(n + shape.nlist * EB_LIST_BLOCK / 2, d, &shape);
}

/* Finds or builds the index on the host, to which a GPU's memory limit does not apply. */
static eb_code get_index(eb_ivfpq *e, const eb_ivfpq_settings *settings, eb_status *status)
{
    const eb_context *c = e->finder.context;
    const eb_inverted_request *request = &settings->request;
    eb_assigner assigner = {0};
    if (c->device->kind == EB_DEVICE_CPU)
        return eb_index_get(request, NULL, c->memory_limit, c->threads, c->job, &e->got, status);
    EB_TRY(eb_inverted_check(&request->shape, request->n, request->points->d, status));
    EB_TRY(eb_assigner_cuda_open(c->device, c->threads, &assigner, status));
    const eb_code failed = eb_index_get(request, &assigner, 0, c->threads, c->job, &e->got, status);
    eb_assigner_cuda_close(&assigner);
    return failed;
}

static eb_code open_searcher(eb_ivfpq *e, eb_status *status)
{
    const eb_context *c = e->finder.context;
    const eb_dataset *points = e->finder.problem->right;
    const eb_inverted_context with = {c->device, points, c->threads, c->memory_limit};
    const eb_inverted_file *file = &e->got.index->file;
    if (c->device->kind == EB_DEVICE_CUDA) {
        EB_TRY(eb_inverted_cuda_open(file, &with, &e->searching, status));
        e->by = &eb_inverted_search_cuda;
        return EB_OK;
    }
    EB_TRY(eb_inverted_open(file, points, c->threads, &e->searcher, status));
    e->by = &eb_inverted_search_cpu;
    e->searching = e->searcher;
    return EB_OK;
}

static eb_code open_index(eb_ivfpq *e, eb_status *status)
{
    const eb_context *context = e->finder.context;
    const eb_dataset *right = e->finder.problem->right;
    const eb_ivfpq_settings settings =
        eb_ivfpq_settings_of(&context->options, context->device->kind, right, context->index);
    const double start = eb_now_s();
    e->question = settings.question;
    EB_TRY(eb_inverted_check_question(&e->question, settings.request.shape.nlist, context->device->kind, status));
    EB_TRY(get_index(e, &settings, status));
    eb_figures_add(context->figures, &index_s, eb_now_s() - start);
    const eb_inverted_file *file = &e->got.index->file;
    e->unit = ldexp(1, -2 * file->exponent);
    if (!eb_is_self_join(e->finder.problem))
        EB_TRY(eb_inverted_check_queries(file, e->finder.problem->left, status));
    return open_searcher(e, status);
}

static void close_state(void *state)
{
    eb_ivfpq *e = state;
    if (!e)
        return;
    if (e->searching != e->searcher)
        e->by->close(e->searching);
    eb_inverted_close(e->searcher);
    eb_index_release(e->got.index);
    free(e->queries);
    free(e);
}

static eb_code open_state(const eb_problem *problem, const eb_context *context, void **state, eb_status *status)
{
    if (problem->order)
        return eb_fail(status, EB_NO_ENGINE, "lists are an order of their own; expected points as they are stored");
    eb_ivfpq *e = calloc(1, sizeof *e);
    if (!e)
        return eb_fail_memory(status, "IVFPQ", sizeof *e);
    e->finder = (eb_finder){problem, context, eb_ivfpq_find};
    const eb_code failed = open_index(e, status);
    if (failed) {
        close_state(e);
        return failed;
    }
    const eb_inverted_file *file = &e->got.index->file;
    eb_figures_set(context->figures, &codes_bytes,
                   (double)(file->blocks[file->shape.nlist] * EB_LIST_BLOCK * file->shape.m));
    eb_ivfpq_describe(e);
    *state = e;
    return EB_OK;
}

static const char *describe(const void *state) { return ((const eb_ivfpq *)state)->description; }

/* ---- distances, by host threads for every device ---- */

typedef struct measuring {
    eb_ivfpq *engine;
    const uint32_t *rows; /* NULL: all rows, each with itself only */
    double *out, *wide;   /* wide: [threads × d] */
    float *query;         /* [threads × d] */
    eb_near_point *near;  /* [threads × longest] */
} measuring;

/* Asks the index with a row as query, and takes the distances to these rows from the answer. */
static void ask_query(const measuring *m, size_t row, eb_inverted_rows rows, unsigned thread, double *found)
{
    const eb_ivfpq *e = m->engine;
    const eb_inverted_file *file = &e->got.index->file;
    float *query = m->query + thread * file->d;
    eb_near_point *near = m->near + thread * eb_inverted_longest(e->searcher);
    const eb_near_row *lists;
    for (size_t j = rows.begin; j < rows.end; j++)
        found[j - rows.begin] = (double)INFINITY;
    eb_inverted_row(file, e->finder.problem->left, row, m->wide + thread * file->d, query);
    const size_t count = eb_inverted_probe(e->searcher, thread, query, e->question.nprobe, &lists);
    for (size_t l = 0; l < count; l++) {
        const eb_inverted_seen seen =
            eb_inverted_look(e->searcher, &e->question, thread, query, lists[l].row, rows, INFINITY, near);
        for (size_t k = 0; k < seen.found; k++)
            found[near[k].row - rows.begin] = (double)near[k].s * e->unit;
    }
}

static eb_code measure_query(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const measuring *m = context;
    const eb_problem *problem = m->engine->finder.problem;
    const size_t n = problem->right->n, row = m->rows[task];
    if (row >= problem->left->n)
        return eb_fail(status, EB_INTERNAL, "distances from point %zu of %zu", row, problem->left->n);
    ask_query(m, row, (eb_inverted_rows){0, n}, thread, m->out + task * n);
    if (eb_is_self_join(problem))
        m->out[task * n + row] = 0;
    return EB_OK;
}

static eb_code measure_itself(void *context, uint64_t row, unsigned thread, eb_status *status)
{
    const measuring *m = context;
    (void)status;
    ask_query(m, row, (eb_inverted_rows){row, row + 1}, thread, m->out + row);
    eb_job_advance(m->engine->finder.context->job, 1);
    return EB_OK;
}

static eb_code measure(eb_ivfpq *e, const uint32_t *rows, size_t m, double *out, eb_parallel_body body,
                       eb_status *status)
{
    const eb_context *context = e->finder.context;
    if (!e->searcher)
        EB_TRY(eb_inverted_open(&e->got.index->file, NULL, context->threads, &e->searcher, status));
    const size_t d = e->finder.problem->right->d, longest = eb_inverted_longest(e->searcher),
                 threads = context->threads;
    const double start = eb_now_s();
    measuring w = {.engine = e,
                   .rows = rows,
                   .out = out,
                   .wide = malloc(threads * d * sizeof *w.wide),
                   .query = malloc(threads * d * sizeof *w.query),
                   .near = malloc(threads * longest * sizeof *w.near)};
    eb_code failed = w.wide && w.query && w.near
                         ? eb_parallel(context->threads, m, body, &w, context->job, status)
                         : eb_fail_memory(status, "the queries", threads * (12 * d + longest * sizeof *w.near));
    free(w.wide);
    free(w.query);
    free(w.near);
    eb_figures_add(context->figures, &eb_figure_kernel, eb_now_s() - start);
    return failed;
}

static eb_code distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status)
{
    return measure(state, rows, m, out, measure_query, status);
}

static eb_code self(void *state, double *out, eb_status *status)
{
    const eb_ivfpq *e = state;
    return measure(state, NULL, e->finder.problem->left->n, out, measure_itself, status);
}

#define FUNCTIONS                                                                                                      \
    .probe = probe, .open = open_state, .count = eb_collect_count, .join = eb_collect_join,                            \
    .histogram = eb_collect_histogram, .distances = distances, .nearest = eb_ivfpq_nearest, .close = close_state,      \
    .describe = describe, .self = self

extern const eb_implementation eb_ivfpq_cpu, eb_ivfpq_cuda;

const eb_implementation eb_ivfpq_cpu = {FUNCTIONS, .memory_needed = memory_needed};
const eb_implementation eb_ivfpq_cuda = {FUNCTIONS, .memory_needed = memory_needed_cuda};
