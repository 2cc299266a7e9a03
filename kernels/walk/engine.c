#include "kernels/walk/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "core/engine/problem.h"
#include "kernels/walk/isa.h"
#include "kernels/walk/tally.h"
#include "kernels/walk/walk.h"

/* ---- opening ---- */

eb_code eb_host_probe(const eb_device *device, const eb_options *options, eb_status *status)
{
    (void)options;
    if (device->kind != EB_DEVICE_CPU)
        return eb_fail(status, EB_NO_DEVICE, "this engine runs on the CPU, not on %s", device->name);
    return eb_isa_check(status);
}

eb_code eb_host_open(eb_host *host, const eb_problem *problem, const eb_context *context, eb_status *status)
{
    host->problem = problem;
    host->context = context;
    return eb_arrange(problem, context->threads, context->job, &host->points, status);
}

void eb_host_close(eb_host *host) { eb_arranged_free(&host->points); }

/* ---- one question ---- */

/* What is walked for a question's share, from its beginning to its end. */
typedef struct asking {
    eb_host *host;
    eb_tiled tiled;
    eb_walk walk;
    eb_tile_list list;
    bool picked; /* places are no rows: all are walked, and pairs without an end in the rows are dropped */
    size_t row_begin, row_end;
    double start;
} asking;

static eb_code begin(eb_host *host, const eb_question *question, const eb_share *share, asking *a, eb_status *status)
{
    size_t n = host->problem->left->n;
    *a = (asking){.host = host, .start = eb_now_s(), .row_begin = share->row_begin, .row_end = share->row_end};
    double limit = eb_squared_threshold(question->eps);
    EB_TRY(eb_question_check(question, share, host->problem, status));
    EB_TRY(host->begin(host, limit, &a->tiled, status));
    a->tiled.points = &host->points;
    a->tiled.threads = host->context->threads;
    a->walk = (eb_walk){.tiled = &a->tiled,
                        .share = *share,
                        .progress = share->row_end - share->row_begin,
                        .all = question->schedule.kind == EB_SCHEDULE_ALL,
                        .limit = limit,
                        .job = host->context->job};
    a->picked = host->points.point && (share->row_begin > 0 || share->row_end < n);
    if (a->picked) {
        a->walk.share.row_begin = 0;
        a->walk.share.row_end = n;
    }
    if (question->schedule.kind != EB_SCHEDULE_LIST)
        return EB_OK;
    a->walk.list = &a->list;
    eb_code failed = eb_tile_list_make(&question->schedule, host->problem->order, a->tiled.tile_rows,
                                       a->tiled.tile_columns, EB_TILES_BY_COLUMN, &a->list, status);
    if (failed && host->end)
        host->end(host, &a->tiled);
    return failed;
}

/* FLOPs: pairs i < j of the whole, all others of rows that are a part of it. */
static double operations(const asking *a)
{
    const eb_host *host = a->host;
    const eb_share *share = &a->walk.share;
    double n = (double)host->problem->left->n, rows = (double)(share->row_end - share->row_begin), pairs;
    if (!eb_arranged_self(&host->points))
        pairs = rows * (double)host->problem->right->n;
    else if (a->walk.list)
        pairs = (double)a->list.count * (double)a->tiled.tile_rows * (double)a->tiled.tile_columns;
    else
        pairs = a->walk.all ? rows * n : rows * (rows - 1) / 2 + rows * (n - rows);
    return 2 * pairs * (double)host->problem->left->d / share->parts;
}

static void end(asking *a)
{
    eb_figures *figures = a->host->context->figures;
    eb_figures_add(figures, &eb_figure_kernel, eb_now_s() - a->start);
    eb_figures_add(figures, &eb_figure_executed_flops, operations(a));
    if (a->host->end)
        a->host->end(a->host, &a->tiled);
    eb_tile_list_free(&a->list);
}

/* ---- join: hits in batches, so that a sink's per-call work is spread over many ---- */

#define BATCH 2048u

typedef struct hit_batch {
    eb_hit *hits; /* [BATCH] */
    size_t count;
} hit_batch;

typedef struct joining {
    const asking *asking;
    const eb_sink *sink;
    hit_batch *batches; /* [threads] */
} joining;

static eb_code flush(const joining *j, unsigned thread, eb_status *status)
{
    hit_batch *batch = &j->batches[thread];
    size_t count = batch->count;
    batch->count = 0;
    return count ? j->sink->hits(j->sink->context, thread, batch->hits, count, status) : EB_OK;
}

static bool is_row(const asking *a, uint32_t point) { return point - a->row_begin < a->row_end - a->row_begin; }

static eb_code visit_join(void *context, unsigned thread, const eb_tile_pairs *pairs, eb_status *status)
{
    const joining *j = context;
    const asking *a = j->asking;
    const eb_arranged *points = &a->host->points;
    hit_batch *batch = &j->batches[thread];
    for (size_t k = 0; k < pairs->count; k++) {
        eb_hit hit = {.i = eb_point_at(points, pairs->row[k]),
                      .j = eb_point_at(points, pairs->column[k]),
                      .s = pairs->s[k]};
        if (a->picked && !is_row(a, hit.i)) {
            if (!is_row(a, hit.j))
                continue;
            hit = (eb_hit){.i = hit.j, .j = hit.i, .s = hit.s};
        }
        batch->hits[batch->count++] = hit;
        if (batch->count < BATCH)
            continue;
        EB_TRY(flush(j, thread, status));
    }
    return EB_OK;
}

static eb_code find_hits(asking *a, const eb_sink *sink, eb_status *status)
{
    unsigned threads = a->tiled.threads;
    joining j = {.asking = a, .sink = sink, .batches = calloc(threads, sizeof *j.batches)};
    if (!j.batches)
        return eb_fail_memory(status, "hit buffers", threads * sizeof *j.batches);
    eb_code failed = EB_OK;
    for (unsigned t = 0; t < threads && !failed; t++) {
        j.batches[t].hits = malloc(BATCH * sizeof *j.batches[t].hits);
        if (!j.batches[t].hits)
            failed = eb_fail_memory(status, "hit buffers", BATCH * sizeof *j.batches[t].hits);
    }
    if (!failed)
        failed = eb_walk_pairs(&a->walk, visit_join, &j, status);
    for (unsigned t = 0; t < threads && !failed; t++)
        failed = flush(&j, t, status);
    for (unsigned t = 0; t < threads; t++)
        free(j.batches[t].hits);
    free(j.batches);
    return failed;
}

eb_code eb_host_join(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                     eb_status *status)
{
    asking a;
    if (!sink->hits)
        return eb_fail(status, EB_INTERNAL, "the sink takes no single hits, which is all a CPU engine gives");
    EB_TRY(begin(state, question, share, &a, status));
    eb_code failed = find_hits(&a, sink, status);
    end(&a);
    return failed;
}

/* ---- count ---- */

/* Entries of some rows where places are no rows. */
typedef struct picking {
    const asking *asking;
    uint64_t *entries; /* [threads] */
} picking;

static eb_code count_hits(void *context, unsigned thread, const eb_hit *hits, size_t count, eb_status *status)
{
    (void)status;
    const picking *p = context;
    for (size_t k = 0; k < count; k++)
        p->entries[thread] += 1 + (uint64_t)is_row(p->asking, hits[k].j);
    return EB_OK;
}

static eb_code count_picked(asking *a, uint64_t *entries, eb_status *status)
{
    unsigned threads = a->tiled.threads;
    picking p = {.asking = a, .entries = calloc(threads, sizeof *p.entries)};
    if (!p.entries)
        return eb_fail_memory(status, "threads' counts", threads * sizeof *p.entries);
    eb_sink sink = {.context = &p, .hits = count_hits};
    eb_code failed = find_hits(a, &sink, status);
    for (unsigned t = 0; t < threads; t++)
        *entries += p.entries[t];
    free(p.entries);
    return failed;
}

eb_code eb_host_count(void *state, const eb_question *question, const eb_share *share, uint64_t *entries,
                      eb_status *status)
{
    asking a;
    uint64_t found = 0;
    EB_TRY(begin(state, question, share, &a, status));
    eb_code failed = a.picked ? count_picked(&a, &found, status) : eb_walk_count(&a.walk, &found, status);
    bool selves = eb_arranged_self(&a.host->points) && share->part == 0;
    *entries = found + (selves ? share->row_end - share->row_begin : 0);
    end(&a);
    return failed;
}

/* ---- histogram ---- */

static eb_code visit_histogram(void *context, unsigned thread, const eb_tile_pairs *pairs, eb_status *status)
{
    return eb_tally_take(context, thread, pairs->s, pairs->count, status);
}

static eb_code count_intervals(asking *a, eb_distance_pass *pass, eb_status *status)
{
    eb_tally *tally = NULL;
    EB_TRY(eb_tally_new(pass, a->tiled.threads, &tally, status));
    eb_code failed = eb_walk_pairs(&a->walk, visit_histogram, tally, status);
    if (!failed)
        failed = eb_tally_finish(tally, pass, status);
    eb_tally_free(tally);
    return failed;
}

eb_code eb_host_histogram(void *state, eb_distance_pass *pass, eb_status *status)
{
    asking a;
    eb_host *host = state;
    for (size_t k = 0; k < pass->edges; k++)
        pass->kept[k] = NULL;
    if (pass->edges == 0)
        return EB_OK;
    const eb_question question = {.eps = pass->eps[pass->edges - 1]};
    const eb_share whole = eb_share_rows(0, host->problem->left->n);
    EB_TRY(begin(host, &question, &whole, &a, status));
    eb_code failed = count_intervals(&a, pass, status);
    end(&a);
    return failed;
}

/* ---- distances ---- */

typedef struct measuring {
    const eb_host *host;
    const eb_tiled *tiled;
    const uint32_t *rows, *place; /* [m] the queries' points, and where these stand */
    size_t queries;               /* m */
    double *out;
    size_t columns, first_block, blocks; /* right points; columns of tiles from first_block on */
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

static eb_code measure_block(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const measuring *c = context;
    const eb_tiled *tiled = c->tiled;
    const eb_arranged *points = &c->host->points;
    size_t q = (size_t)(task % c->queries), block = (size_t)(task / c->queries); /* a block is read once for all */
    size_t j0 = (c->first_block + block) * tiled->tile_columns, places = points->points->n;
    size_t nj = places - j0 < tiled->tile_columns ? places - j0 : tiled->tile_columns;
    unsigned char *buffer = c->buffers + thread * (c->row_bytes + c->scratch_bytes);
    double *row = (void *)buffer, *out = c->out + q * c->columns;
    if (tiled->select)
        exact_block(tiled, c->place[q], j0, nj, row);
    else
        tiled->tile(tiled->state, c->place[q], 1, j0, nj, INFINITY, row, buffer + c->row_bytes);
    size_t first = j0 < points->first_column ? points->first_column - j0 : 0; /* of two sets, where the right begins */
    if (!points->point)
        memcpy(out + (j0 + first - points->first_column), row + first, (nj - first) * sizeof *row);
    for (size_t k = 0; points->point && k < nj; k++)
        out[points->point[j0 + k]] = row[k];
    if (eb_arranged_self(points) && c->place[q] - j0 < nj) /* a place before j0 wraps and is not in this block */
        out[c->rows[q]] = 0;
    if ((task + 1) % c->blocks == 0)
        eb_job_advance(c->host->context->job, 1);
    return EB_OK;
}

static eb_code find_places(const eb_host *host, const uint32_t *rows, size_t m, uint32_t *place, eb_status *status)
{
    const uint32_t *point = host->points.point;
    size_t n = host->problem->left->n;
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

static eb_code measure_all(const eb_host *host, const eb_tiled *tiled, const uint32_t *rows, const uint32_t *place,
                           size_t m, double *out, eb_status *status)
{
    measuring c = {.host = host, .tiled = tiled, .rows = rows, .place = place, .out = out};
    size_t places = host->points.points->n;
    c.queries = m;
    c.columns = host->problem->right->n;
    c.first_block = host->points.first_column / tiled->tile_columns;
    c.blocks = (places + tiled->tile_columns - 1) / tiled->tile_columns - c.first_block;
    c.row_bytes = (tiled->tile_columns * sizeof(double) + 63) / 64 * 64;
    c.scratch_bytes = (tiled->scratch_bytes + 63) / 64 * 64;
    size_t bytes = tiled->threads * (c.row_bytes + c.scratch_bytes);
    c.buffers = aligned_alloc(64, bytes);
    if (!c.buffers)
        return eb_fail_memory(status, "threads' buffers", bytes);
    memset(c.buffers, 0, bytes);
    eb_code failed = eb_parallel(tiled->threads, (uint64_t)m * c.blocks, measure_block, &c, host->context->job, status);
    free(c.buffers);
    return failed;
}

eb_code eb_host_distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status)
{
    eb_host *host = state;
    eb_tiled tiled = {.points = NULL};
    uint32_t *place = malloc((m ? m : 1) * sizeof *place);
    if (!place)
        return eb_fail_memory(status, "the queries", m * sizeof *place);
    eb_code failed = find_places(host, rows, m, place, status);
    if (!failed)
        failed = host->begin(host, NAN, &tiled, status);
    if (!failed) {
        tiled.points = &host->points;
        tiled.threads = host->context->threads;
        failed = measure_all(host, &tiled, rows, place, m, out, status);
        if (host->end)
            host->end(host, &tiled);
    }
    free(place);
    return failed;
}
