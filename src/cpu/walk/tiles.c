#include "cpu/walk/tiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "cpu/walk/tile_walk.h"

eb_code eb_tiled_count(const eb_tiled *walk, double eps, eb_job *job, uint64_t *pairs, eb_status *status)
{
    double limit;
    uint64_t found = 0;
    eb_code code = eb_tile_limit(eps, &limit, status);
    if (code == EB_OK)
        code = eb_tile_walk_count(walk, 0, walk->n, limit, job, &found, status);
    if (code == EB_OK)
        *pairs = 2 * found + walk->n;
    return code;
}

/* ---- join: hits in batches, so that a sink's per-call work is spread over many ---- */

#define BATCH 2048u

typedef struct hit_batch {
    eb_hit *hits; /* [BATCH] */
    size_t count;
} hit_batch;

typedef struct join_context {
    const eb_sink *sink;
    hit_batch *batches; /* [threads] */
} join_context;

static eb_code flush(const join_context *join, unsigned thread, eb_status *status)
{
    hit_batch *batch = &join->batches[thread];
    size_t count = batch->count;
    batch->count = 0;
    return count ? join->sink->hits(join->sink->context, thread, batch->hits, count, status) : EB_OK;
}

static eb_code visit_join(void *context, unsigned thread, const eb_tile_pairs *pairs, eb_status *status)
{
    const join_context *join = context;
    hit_batch *batch = &join->batches[thread];
    for (size_t k = 0; k < pairs->count; k++) {
        batch->hits[batch->count++] = (eb_hit){.i = pairs->row[k], .j = pairs->column[k], .s = pairs->s[k]};
        if (batch->count < BATCH)
            continue;
        eb_code code = flush(join, thread, status);
        if (code != EB_OK)
            return code;
    }
    return EB_OK;
}

eb_code eb_tiled_join(const eb_tiled *walk, double eps, size_t row_begin, size_t row_end, const eb_sink *sink,
                      eb_job *job, eb_status *status)
{
    double limit;
    eb_code code = eb_tile_limit(eps, &limit, status);
    if (code != EB_OK)
        return code;
    if (row_begin > row_end || row_end > walk->n)
        return eb_fail(status, EB_INTERNAL, "join of rows %zu to %zu of %zu points", row_begin, row_end, walk->n);
    if (!sink->hits)
        return eb_fail(status, EB_INTERNAL, "the sink takes no single hits, which is all a CPU engine gives");
    join_context join = {.sink = sink, .batches = calloc(walk->threads, sizeof *join.batches)};
    if (!join.batches)
        return eb_fail_memory(status, "hit buffers", walk->threads * sizeof *join.batches);
    for (unsigned t = 0; t < walk->threads && code == EB_OK; t++) {
        join.batches[t].hits = malloc(BATCH * sizeof *join.batches[t].hits);
        if (!join.batches[t].hits)
            code = eb_fail_memory(status, "hit buffers", BATCH * sizeof *join.batches[t].hits);
    }
    if (code == EB_OK)
        code = eb_tile_walk_pairs(walk, row_begin, row_end, limit, visit_join, &join, job, status);
    for (unsigned t = 0; t < walk->threads && code == EB_OK; t++)
        code = flush(&join, t, status);
    for (unsigned t = 0; t < walk->threads; t++)
        free(join.batches[t].hits);
    free(join.batches);
    return code;
}

/* ---- histogram ---- */

typedef struct value_list {
    double *values;
    size_t count, capacity;
} value_list;

typedef struct tally {
    uint64_t *pairs;  /* [edges] */
    value_list *kept; /* [edges] */
} tally;

typedef struct histogram_context {
    const eb_distance_pass *pass;
    double *thresholds; /* [edges] fl(ε·ε) of each edge */
    tally *tallies;     /* [threads] */
} histogram_context;

static eb_code append(value_list *list, double value, eb_status *status)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 1024;
        double *values = realloc(list->values, capacity * sizeof *values);
        if (!values)
            return eb_fail_memory(status, "the distances inside the brackets", capacity * sizeof *values);
        list->values = values;
        list->capacity = capacity;
    }
    list->values[list->count++] = value;
    return EB_OK;
}

/* The first interval whose upper threshold is not below s. The walk lets nothing beyond the last one through. */
static size_t interval_of(const double *thresholds, size_t edges, double s)
{
    size_t base = 0;
    for (size_t length = edges; length > 1;) {
        size_t half = length / 2;
        base = thresholds[base + half - 1] < s ? base + half : base;
        length -= half;
    }
    return base;
}

static eb_code visit_histogram(void *context, unsigned thread, const eb_tile_pairs *pairs, eb_status *status)
{
    const histogram_context *h = context;
    tally *mine = &h->tallies[thread];
    for (size_t k = 0; k < pairs->count; k++) {
        size_t interval = interval_of(h->thresholds, h->pass->edges, pairs->s[k]);
        mine->pairs[interval]++;
        if (!h->pass->keep[interval])
            continue;
        eb_code code = append(&mine->kept[interval], pairs->s[k], status);
        if (code != EB_OK)
            return code;
    }
    return EB_OK;
}

static eb_code make_tallies(histogram_context *h, unsigned threads, eb_status *status)
{
    size_t edges = h->pass->edges;
    h->thresholds = calloc(edges, sizeof *h->thresholds);
    h->tallies = calloc(threads, sizeof *h->tallies);
    if (!h->thresholds || !h->tallies)
        return eb_fail_memory(status, "the histogram's edges", edges * sizeof *h->thresholds);
    for (unsigned t = 0; t < threads; t++) {
        h->tallies[t].pairs = calloc(edges, sizeof *h->tallies[t].pairs);
        h->tallies[t].kept = calloc(edges, sizeof *h->tallies[t].kept);
        if (!h->tallies[t].pairs || !h->tallies[t].kept)
            return eb_fail_memory(status, "a thread's histogram", edges * sizeof *h->tallies[t].kept);
    }
    for (size_t k = 0; k < edges; k++) {
        eb_code code = eb_tile_limit(h->pass->eps[k], &h->thresholds[k], status);
        if (code != EB_OK)
            return code;
    }
    return EB_OK;
}

/* Adds up one interval over the threads; their lists are freed as they are copied, so that both exist for one interval
 * at a time only. */
static eb_code collect(const histogram_context *h, unsigned threads, size_t interval, eb_distance_pass *pass,
                       eb_status *status)
{
    uint64_t pairs = 0;
    for (unsigned t = 0; t < threads; t++)
        pairs += h->tallies[t].pairs[interval];
    pass->pairs[interval] = pairs;
    if (!pass->keep[interval])
        return EB_OK;
    double *values = malloc((pairs ? pairs : 1) * sizeof *values);
    if (!values)
        return eb_fail_memory(status, "the distances inside the brackets", pairs * sizeof *values);
    size_t at = 0;
    for (unsigned t = 0; t < threads; t++) {
        value_list *list = &h->tallies[t].kept[interval];
        if (list->count)
            memcpy(values + at, list->values, list->count * sizeof *values);
        at += list->count;
        free(list->values);
        *list = (value_list){.values = NULL};
    }
    pass->kept[interval] = values;
    return EB_OK;
}

static void free_tallies(histogram_context *h, unsigned threads)
{
    for (unsigned t = 0; h->tallies && t < threads; t++) {
        for (size_t k = 0; h->tallies[t].kept && k < h->pass->edges; k++)
            free(h->tallies[t].kept[k].values);
        free(h->tallies[t].kept);
        free(h->tallies[t].pairs);
    }
    free(h->tallies);
    free(h->thresholds);
}

eb_code eb_tiled_histogram(const eb_tiled *walk, eb_distance_pass *pass, eb_job *job, eb_status *status)
{
    for (size_t k = 0; k < pass->edges; k++)
        pass->kept[k] = NULL;
    if (pass->edges == 0)
        return EB_OK;
    histogram_context h = {.pass = pass};
    eb_code code = make_tallies(&h, walk->threads, status);
    if (code == EB_OK)
        code = eb_tile_walk_pairs(walk, 0, walk->n, h.thresholds[pass->edges - 1], visit_histogram, &h, job, status);
    for (size_t k = 0; k < pass->edges && code == EB_OK; k++)
        code = collect(&h, walk->threads, k, pass, status);
    if (code != EB_OK) {
        for (size_t k = 0; k < pass->edges; k++) {
            free(pass->kept[k]);
            pass->kept[k] = NULL;
        }
    }
    free_tallies(&h, walk->threads);
    return code;
}

/* ---- distances ---- */

typedef struct distances_context {
    const eb_tiled *walk;
    const uint32_t *rows;
    double *out;
    size_t blocks;        /* column blocks */
    size_t scratch_bytes; /* per thread, a multiple of 64 */
    unsigned char *scratch;
    eb_job *job;
} distances_context;

static void exact_block(const eb_tiled *walk, uint32_t row, size_t j0, size_t nj, double *out)
{
    uint32_t rows[256], columns[256];
    for (size_t k = 0; k < 256; k++)
        rows[k] = row;
    for (size_t done = 0; done < nj; done += 256) {
        size_t count = nj - done < 256 ? nj - done : 256;
        for (size_t k = 0; k < count; k++)
            columns[k] = (uint32_t)(j0 + done + k);
        walk->exact(walk->state, rows, columns, count, out + done);
    }
}

static eb_code run_distances(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const distances_context *c = context;
    const eb_tiled *walk = c->walk;
    size_t q = (size_t)(task / c->blocks), block = (size_t)(task % c->blocks);
    size_t j0 = block * walk->tile_columns;
    size_t nj = walk->n - j0 < walk->tile_columns ? walk->n - j0 : walk->tile_columns;
    double *out = c->out + q * walk->n + j0;
    if (walk->select)
        exact_block(walk, c->rows[q], j0, nj, out);
    else
        walk->tile(walk->state, c->rows[q], 1, j0, nj, INFINITY, out, c->scratch + thread * c->scratch_bytes);
    if (c->rows[q] - j0 < nj) /* a row before j0 wraps and is not in this block */
        out[c->rows[q] - j0] = 0;
    if (block + 1 == c->blocks)
        eb_job_advance(c->job, 1);
    return EB_OK;
}

eb_code eb_tiled_distances(const eb_tiled *walk, const uint32_t *rows, size_t m, double *out, eb_job *job,
                           eb_status *status)
{
    for (size_t q = 0; q < m; q++)
        if (rows[q] >= walk->n)
            return eb_fail(status, EB_INTERNAL, "distances from point %u of %zu", rows[q], walk->n);
    distances_context c = {.walk = walk, .rows = rows, .out = out, .job = job};
    c.blocks = (walk->n + walk->tile_columns - 1) / walk->tile_columns;
    c.scratch_bytes = (walk->scratch_bytes + 63) / 64 * 64 + 64;
    c.scratch = aligned_alloc(64, walk->threads * c.scratch_bytes);
    if (!c.scratch)
        return eb_fail_memory(status, "threads' buffers", walk->threads * c.scratch_bytes);
    memset(c.scratch, 0, walk->threads * c.scratch_bytes);
    eb_code code = eb_parallel(walk->threads, (uint64_t)m * c.blocks, run_distances, &c, job, status);
    free(c.scratch);
    return code;
}
