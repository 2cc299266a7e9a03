/* The k nearest: each left point is a query. */
#include <stdio.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "kernels/ivfpq/settings.h"

typedef struct converting {
    const eb_ivfpq *engine;
    size_t first, count;
    float *out; /* [count × d] */
} converting;

enum { QUERIES_A_TASK = 64 };

static eb_code convert(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const converting *c = context;
    const eb_inverted_file *file = &c->engine->got.index->file;
    const size_t begin = (size_t)task * QUERIES_A_TASK, end = begin + QUERIES_A_TASK;
    double *wide = malloc(file->d * sizeof *wide);
    (void)thread;
    if (!wide)
        return eb_fail_memory(status, "a query", file->d * sizeof *wide);
    for (size_t q = begin; q < end && q < c->count; q++)
        eb_inverted_row(file, c->engine->finder.problem->left, c->first + q, wide, c->out + q * file->d);
    free(wide);
    return EB_OK;
}

/* Those that were asked for last are there still: who times a search asks for the same again. */
static eb_code take_queries(eb_ivfpq *e, size_t first, size_t count, eb_status *status)
{
    const eb_context *context = e->finder.context;
    const size_t d = e->got.index->file.d;
    if (e->asked_begin == first && e->asked_end == first + count)
        return EB_OK;
    free(e->queries);
    e->asked_begin = e->asked_end = 0;
    e->queries = malloc(count * d * sizeof *e->queries);
    if (!e->queries)
        return eb_fail_memory(status, "queries", count * d * sizeof *e->queries);
    converting c = {e, first, count, e->queries};
    EB_TRY(eb_parallel(context->threads, (count + QUERIES_A_TASK - 1) / QUERIES_A_TASK, convert, &c, context->job,
                       status));
    e->asked_begin = first, e->asked_end = first + count;
    return EB_OK;
}

static eb_code search_gpu(eb_ivfpq *e, const eb_nearest_question *asked, const eb_inverted_question *question,
                          size_t count, uint32_t *rows, double *distances, eb_status *status)
{
    const eb_context *context = e->finder.context;
    const eb_inverted_work before = e->gpu->work(e->on_gpu);
    EB_TRY(e->gpu->find(e->on_gpu, question, e->queries, count, rows, distances, context->job, status));
    eb_inverted_work work = e->gpu->work(e->on_gpu);
    work.lookups -= before.lookups;
    work.kernel_s -= before.kernel_s;
    if (asked->work)
        *asked->work = work;
    eb_figures_add(context->figures, &eb_figure_kernel, work.kernel_s);
    return EB_OK;
}

static eb_code search_here(eb_ivfpq *e, const eb_nearest_question *asked, const eb_inverted_question *question,
                           size_t count, uint32_t *rows, double *distances, eb_status *status)
{
    const eb_context *context = e->finder.context;
    const double start = eb_now_s();
    EB_TRY(eb_inverted_find(e->searcher, question, e->queries, count, rows, distances, context->job, status));
    if (asked->work)
        *asked->work = (eb_inverted_work){0};
    eb_figures_add(context->figures, &eb_figure_kernel, eb_now_s() - start);
    return EB_OK;
}

eb_code eb_ivfpq_nearest(void *state, const eb_nearest_question *asked, size_t first, size_t count, uint32_t *rows,
                         double *distances, eb_status *status)
{
    eb_ivfpq *e = state;
    eb_inverted_question question = asked->lists ? *asked->lists : e->question;
    question.k = asked->k;
    if (eb_is_self_join(e->finder.problem))
        return eb_fail(status, EB_NO_ENGINE, "the nearest of an index's own points are asked for by joins");
    if (count > 0)
        EB_TRY(take_queries(e, first, count, status));
    EB_TRY((e->gpu ? search_gpu : search_here)(e, asked, &question, count, rows, distances, status));
    (void)snprintf(e->description, sizeof e->description, "IVFPQ, %s%s", e->gpu ? "CUDA" : "host threads, ",
                   e->gpu ? "" : eb_inverted_instructions());
    return EB_OK;
}
