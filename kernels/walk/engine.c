#include "kernels/walk/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "kernels/walk/isa.h"

/* ---- opening ---- */

eb_code eb_host_probe(const eb_device *device, const eb_options *options, eb_status *status)
{
    (void)options;
    if (device->kind != EB_DEVICE_CPU)
        return eb_fail(status, EB_NO_DEVICE, "this engine runs on the CPU, not on %s", device->name);
    return eb_isa_check(status);
}

void eb_host_close(eb_host *host) { eb_arranged_free(&host->points); }

/* ---- one question ---- */

/* Returns FLOPs. A pair with one or both ends in the share's rows is visited once. */
static double operations(const eb_host *host, const eb_walk *walk)
{
    const eb_share *share = &walk->share;
    double n = (double)host->finder.problem->left->n, rows = (double)(share->row_end - share->row_begin), pairs;
    if (!eb_arranged_self(&host->points))
        pairs = rows * (double)host->finder.problem->right->n;
    else if (walk->list)
        pairs = (double)walk->list->count * (double)walk->tiled->tile_rows * (double)walk->tiled->tile_columns;
    else
        pairs = walk->all ? rows * n : rows * (rows - 1) / 2 + rows * (n - rows);
    return 2 * pairs * (double)host->finder.problem->left->d / share->parts;
}

static eb_code find(void *state, const eb_question *question, const eb_collector *to, eb_status *status)
{
    eb_host *host = state;
    const eb_problem *problem = host->finder.problem;
    const eb_context *context = host->finder.context;
    const double limit = eb_squared_threshold(question->eps);
    eb_tiled tiled;
    eb_tile_list list = {.count = 0};
    eb_code failed = EB_OK;
    EB_TRY(host->begin(host, limit, &tiled, status));
    const double start = eb_now_s();
    tiled.points = &host->points;
    tiled.threads = context->threads;
    eb_walk walk = {.tiled = &tiled,
                    .share = to->share,
                    .progress = to->share.row_end - to->share.row_begin,
                    .all = question->schedule.kind == EB_SCHEDULE_ALL,
                    .limit = limit,
                    .job = context->job};
    if (host->points.point && to->some_rows) { /* rows are scattered over all places */
        walk.share.row_begin = 0;
        walk.share.row_end = problem->left->n;
    }
    if (question->schedule.kind == EB_SCHEDULE_LIST) {
        walk.list = &list;
        failed = eb_tile_list_make(&question->schedule, problem->order, tiled.tile_rows, tiled.tile_columns,
                                   EB_TILES_BY_COLUMN, &list, status);
    }
    if (!failed) {
        failed = eb_walk_tiles(&walk, to, status);
        eb_figures_add(context->figures, &eb_figure_kernel, eb_now_s() - start);
        eb_figures_add(context->figures, &eb_figure_executed_flops, operations(host, &walk));
    }
    if (host->end)
        host->end(host, &tiled);
    eb_tile_list_free(&list);
    return failed;
}

eb_code eb_host_open(eb_host *host, const eb_problem *problem, const eb_context *context, eb_status *status)
{
    host->finder = (eb_finder){problem, context, find};
    return eb_arrange(problem, context->threads, context->job, &host->points, status);
}

/* ---- distances ---- */

typedef struct measuring {
    const eb_host *host;
    const eb_tiled *tiled;
    const uint32_t *rows, *place;        /* [queries] the queries' points, and the places of these points */
    size_t queries, groups;              /* groups of at most EB_MEASURED queries */
    const eb_tally *tally;               /* counts the distances; NULL: they go to out */
    double *out;                         /* [queries × columns] */
    size_t columns, first_block, blocks; /* right points; the first column of tiles and the number of them */
    size_t row_bytes, scratch_bytes;     /* per thread, multiples of 64 */
    unsigned char *buffers;
} measuring;

static void exact_block(const eb_tiled *tiled, uint32_t row, size_t j0, size_t nj, double *out)
{
    uint32_t rows[256], columns[256];
    for (size_t k = 0; k < 256; k++)
        rows[k] = row;
    for (size_t done = 0; done < nj; done += 256) {
        size_t count = nj - done < 256 ? nj - done : 256;
        for (size_t k = 0; k < count; k++)
            columns[k] = (uint32_t)(j0 + done + k);
        tiled->exact(tiled->state, rows, columns, count, out + done);
    }
}

static void measure_rows(const eb_tiled *tiled, const uint32_t *place, size_t m, size_t j0, size_t nj,
                         double *const *row, void *scratch)
{
    if (tiled->measure)
        tiled->measure(tiled->state, place, m, j0, nj, row, scratch);
    for (size_t q = 0; q < m && !tiled->measure; q++) {
        if (tiled->select)
            exact_block(tiled, place[q], j0, nj, row[q]);
        else
            tiled->tile(tiled->state, place[q], 1, j0, nj, INFINITY, row[q], scratch);
    }
}

/* Copies query q's distances to the columns j0 … j0 + nj − 1 to where their points are in the output. */
static void hand_out(const measuring *c, size_t q, size_t j0, size_t nj, const double *row)
{
    const eb_arranged *points = &c->host->points;
    double *out = c->out + q * c->columns;
    size_t first = j0 < points->first_column ? points->first_column - j0 : 0; /* where the right set begins */
    if (!points->point)
        memcpy(out + (j0 + first - points->first_column), row + first, (nj - first) * sizeof *row);
    for (size_t k = 0; points->point && k < nj; k++)
        out[points->point[j0 + k]] = row[k];
    if (eb_arranged_self(points) && c->place[q] - j0 < nj) /* a place before j0 wraps to a large number */
        out[c->rows[q]] = 0;
}

/* A query's distance to itself counts nowhere. */
static void count_bins(const measuring *c, unsigned thread, size_t first, size_t m, size_t j0, size_t nj,
                       double *const *row)
{
    const eb_arranged *points = &c->host->points;
    const size_t begin = j0 < points->first_column ? points->first_column - j0 : 0;
    const double *counted[EB_MEASURED];
    for (size_t q = 0; q < m; q++) {
        const size_t own = c->place[first + q] - j0; /* a place before j0 wraps to a large number */
        if (eb_arranged_self(points) && own < nj)
            row[q][own] = (double)NAN;
        counted[q] = row[q] + begin;
    }
    eb_tally_rows(c->tally, thread, first, m, counted, nj - begin);
}

static eb_code measure_block(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const measuring *c = context;
    const eb_tiled *tiled = c->tiled;
    /* All queries of a block follow each other, so that its points are read from memory once. */
    size_t group = (size_t)(task % c->groups), block = (size_t)(task / c->groups);
    size_t j0 = (c->first_block + block) * tiled->tile_columns, places = c->host->points.points->n;
    size_t nj = places - j0 < tiled->tile_columns ? places - j0 : tiled->tile_columns;
    size_t first = group * EB_MEASURED, m = c->queries - first < EB_MEASURED ? c->queries - first : EB_MEASURED;
    unsigned char *buffer = c->buffers + thread * (EB_MEASURED * c->row_bytes + c->scratch_bytes);
    double *row[EB_MEASURED];
    for (size_t q = 0; q < m; q++)
        row[q] = (void *)(buffer + c->scratch_bytes + q * c->row_bytes);
    measure_rows(tiled, c->place + first, m, j0, nj, row, buffer);
    if (c->tally)
        count_bins(c, thread, first, m, j0, nj, row);
    for (size_t q = 0; q < m && !c->tally; q++)
        hand_out(c, first + q, j0, nj, row[q]);
    if (block + 1 == c->blocks)
        eb_job_advance(c->host->finder.context->job, m);
    return EB_OK;
}

eb_code eb_find_places(const uint32_t *point, size_t n, const uint32_t *rows, size_t m, uint32_t *place,
                       eb_status *status)
{
    for (size_t q = 0; q < m; q++) {
        if (rows[q] >= n)
            return eb_fail(status, EB_INTERNAL, "distances from point %u of %zu", rows[q], n);
        place[q] = rows[q];
    }
    if (!point)
        return EB_OK;
    uint32_t *inverse = malloc(n * sizeof *inverse);
    if (!inverse)
        return eb_fail_memory(status, "the points' places", n * sizeof *inverse);
    for (size_t k = 0; k < n; k++)
        inverse[point[k]] = (uint32_t)k;
    for (size_t q = 0; q < m; q++)
        place[q] = inverse[rows[q]];
    free(inverse);
    return EB_OK;
}

/* Measures with an opened kernel. */
static eb_code measure_all(measuring *c, eb_status *status)
{
    const eb_tiled *tiled = c->tiled;
    const eb_arranged *points = &c->host->points;
    c->first_block = points->first_column / tiled->tile_columns;
    c->blocks = (points->points->n + tiled->tile_columns - 1) / tiled->tile_columns - c->first_block;
    c->row_bytes = (tiled->tile_columns * sizeof(double) + 63) / 64 * 64;
    c->scratch_bytes = (tiled->scratch_bytes + 63) / 64 * 64;
    c->groups = (c->queries + EB_MEASURED - 1) / EB_MEASURED;
    size_t bytes = tiled->threads * (EB_MEASURED * c->row_bytes + c->scratch_bytes);
    c->buffers = aligned_alloc(64, bytes);
    if (!c->buffers)
        return eb_fail_memory(status, "threads' buffers", bytes);
    memset(c->buffers, 0, bytes);
    eb_code failed = eb_parallel(tiled->threads, (uint64_t)c->groups * c->blocks, measure_block, c,
                                 c->host->finder.context->job, status);
    free(c->buffers);
    return failed;
}

static eb_code measure(eb_host *host, const uint32_t *rows, size_t m, const eb_tally *tally, double *out,
                       eb_status *status)
{
    eb_tiled tiled = {.points = NULL};
    uint32_t *place = malloc((m ? m : 1) * sizeof *place);
    if (!place)
        return eb_fail_memory(status, "the queries", m * sizeof *place);
    measuring c =
        {.host = host, .tiled = &tiled, .rows = rows, .place = place, .queries = m, .tally = tally, .out = out};
    c.columns = host->finder.problem->right->n;
    eb_code failed = eb_find_places(host->points.point, host->finder.problem->left->n, rows, m, place, status);
    if (!failed)
        failed = host->begin(host, NAN, &tiled, status);
    if (!failed) {
        tiled.points = &host->points;
        tiled.threads = host->finder.context->threads;
        failed = measure_all(&c, status);
        if (host->end)
            host->end(host, &tiled);
    }
    free(place);
    return failed;
}

eb_code eb_host_distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status)
{
    return measure(state, rows, m, NULL, out, status);
}

eb_code eb_host_bins(void *state, const uint32_t *rows, size_t m, eb_bins *out, eb_status *status)
{
    eb_host *host = state;
    eb_tally tally;
    EB_TRY(eb_tally_make(host->finder.context->threads, m, &tally, status));
    eb_code failed = measure(host, rows, m, &tally, NULL, status);
    if (!failed)
        failed = eb_tally_bins(&tally, out, status);
    eb_tally_free(&tally);
    return failed;
}
