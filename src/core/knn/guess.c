#include "core/knn/request.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/parallel.h"
#include "core/base/random.h"

enum {
    TOGETHER = 32,
    LEAST_SAMPLE = 128,
    MOST_SAMPLE = 2048,
    MOST_OF_ALL = 512,  /* sample size if more than an eighth of the points are queries */
    FEW_DIMENSIONS = 8, /* up to here the least sample is enough */
    USUAL_RANK = 8,
    QUERIES_A_TASK = 64,
};

/* Coordinates are halved, centred on a point of the sample and scaled, so that those of the sample are within ±1. Tiny
 * coordinates vanish in FP32; a query's coordinates beyond FP32 are clamped. */
typedef struct guessing {
    const eb_knn_request *request;
    const eb_dataset *queries;
    size_t d, sample, blocks, rank;
    double *centre;   /* [d] halved coordinates */
    double *room;     /* [threads][d] */
    float *query;     /* [threads][d] */
    float *point;     /* [blocks][d][TOGETHER] the sample */
    eb_near_row *few; /* [threads][rank] */
    int exponent;     /* scale of the halved coordinates: 2^exponent */
    double *out;
    eb_job *job;
} guessing;

/* ---- the sample ---- */

/* Returns a sample size at which about 1/64 of all pairs is computed, fewer if every point is a query. */
static size_t sample_of(size_t n, size_t d, size_t queries)
{
    size_t sample = n / 64;
    sample = sample < LEAST_SAMPLE ? LEAST_SAMPLE : sample < MOST_SAMPLE ? sample : MOST_SAMPLE;
    if (queries > n / 8 && sample > MOST_OF_ALL)
        sample = MOST_OF_ALL;
    if (queries > n / 8 && d <= FEW_DIMENSIONS)
        sample = LEAST_SAMPLE;
    return sample < n ? sample : n;
}

/* One random row from each of `sample` equal stretches of rows. */
static size_t drawn_row(const guessing *g, size_t at, uint64_t *seed)
{
    const size_t n = g->request->base->n, first = (size_t)((double)n * (double)at / (double)g->sample),
                 next = (size_t)((double)n * (double)(at + 1) / (double)g->sample);
    return first + eb_random_below(seed, next > first ? next - first : 1);
}

static void halved(const guessing *g, const eb_dataset *ds, size_t row, double *out)
{
    eb_to_f64(ds->dtype, eb_row(ds, row), g->d, out);
    for (size_t k = 0; k < g->d; k++)
        out[k] = out[k] / 2 - g->centre[k];
}

/* Returns the largest coordinate. */
static double draw_sample(guessing *g, double *values)
{
    uint64_t seed = eb_random_of(g->request->seed);
    double greatest = 0;
    for (size_t k = 0; k < g->d; k++)
        g->centre[k] = 0;
    halved(g, g->request->base, drawn_row(g, g->sample / 2, &seed), g->room);
    for (size_t k = 0; k < g->d; k++)
        g->centre[k] = g->room[k];
    for (size_t s = 0; s < g->sample; s++) {
        double *row = values + s * g->d;
        halved(g, g->request->base, drawn_row(g, s, &seed), row);
        for (size_t k = 0; k < g->d; k++)
            greatest = fmax(greatest, fabs(row[k]));
    }
    return greatest;
}

/* Stores the sample k-major, so that many points' sums are computed side by side. The last block is filled up with
 * points that are far from all others. */
static void lay_out(guessing *g, const double *values)
{
    for (size_t b = 0; b < g->blocks; b++)
        for (size_t k = 0; k < g->d; k++)
            for (size_t j = 0; j < TOGETHER; j++) {
                const size_t s = b * TOGETHER + j;
                g->point[(b * g->d + k) * TOGETHER + j] =
                    s < g->sample ? (float)ldexp(values[s * g->d + k], g->exponent) : FLT_MAX / 4;
            }
}

static eb_code make_sample(guessing *g, eb_status *status)
{
    double *values = malloc(g->sample * g->d * sizeof *values);
    if (!values)
        return eb_fail_memory(status, "a sample of the points", g->sample * g->d * sizeof *values);
    int top = 0;
    (void)frexp(draw_sample(g, values), &top);
    g->exponent = -top;
    lay_out(g, values);
    free(values);
    return EB_OK;
}

/* ---- the queries ---- */

static void measure_block(const float *query, const float *point, size_t d, float s[TOGETHER])
{
    for (size_t j = 0; j < TOGETHER; j++)
        s[j] = 0;
    for (size_t k = 0; k < d; k++)
        for (size_t j = 0; j < TOGETHER; j++) {
            const float t = query[k] - point[k * TOGETHER + j];
            s[j] += t * t;
        }
}

static double guess_one(const guessing *g, size_t q, unsigned thread)
{
    double *room = g->room + thread * g->d;
    float *query = g->query + thread * g->d, s[TOGETHER];
    eb_best best = {.k = g->rank, .near = g->few + thread * g->rank};
    halved(g, g->queries, g->request->queries ? q : eb_knn_query_row(g->request, (uint32_t)q), room);
    for (size_t k = 0; k < g->d; k++)
        query[k] = (float)fmax(fmin(ldexp(room[k], g->exponent), FLT_MAX), -FLT_MAX);
    for (size_t b = 0; b < g->blocks; b++) {
        measure_block(query, g->point + b * g->d * TOGETHER, g->d, s);
        for (size_t j = 0; j < TOGETHER; j++)
            if (best.count < best.k || (double)s[j] < best.near[0].far)
                eb_best_take(&best, (eb_near_row){(double)s[j], (uint32_t)(b * TOGETHER + j)});
    }
    return fmin(ldexp(sqrt(best.near[0].far), 1 - g->exponent), DBL_MAX);
}

static eb_code guess_some(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const guessing *g = context;
    const size_t queries = eb_knn_queries(g->request), first = (size_t)task * QUERIES_A_TASK;
    const size_t end = queries - first < QUERIES_A_TASK ? queries : first + QUERIES_A_TASK;
    (void)status;
    for (size_t q = first; q < end; q++)
        g->out[q] = guess_one(g, q, thread);
    eb_job_advance(g->job, end - first);
    return EB_OK;
}

/* The guess is 0 for a query equal to many points of the sample. Such guesses become a small part of the mean, or 1 if
 * all guesses are 0. */
static void lift_from_zero(double *out, size_t count)
{
    double mean = 0;
    for (size_t q = 0; q < count; q++)
        mean += out[q] / (double)count;
    const double little = mean > 0 ? fmax(fmin(mean, DBL_MAX) * 1e-6, DBL_MIN) : 1;
    for (size_t q = 0; q < count; q++)
        out[q] = fmax(out[q], little);
}

/* ---- the order ---- */

/* Compares eb_near_row whose rows are queries. */
static int farthest_first(const void *a, const void *b)
{
    const eb_near_row *x = a, *y = b;
    if (x->far > y->far || x->far < y->far)
        return x->far > y->far ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static eb_code order_queries(const double *far, size_t queries, unsigned threads, eb_job *job, uint32_t *order,
                             eb_status *status)
{
    eb_near_row *sorted = malloc(queries * sizeof *sorted);
    if (!sorted)
        return eb_fail_memory(status, "the order of queries", queries * sizeof *sorted);
    for (size_t q = 0; q < queries; q++)
        sorted[q] = (eb_near_row){far[q], (uint32_t)q};
    const eb_code failed = eb_parallel_sort(threads, sorted, queries, sizeof *sorted, farthest_first, job, status);
    for (size_t p = 0; p < queries; p++)
        order[p] = sorted[p].row;
    free(sorted);
    return failed;
}

/* ---- the guess ---- */

static eb_code make_room(guessing *g, unsigned threads, eb_status *status)
{
    g->centre = malloc(g->d * sizeof *g->centre);
    g->room = malloc(threads * g->d * sizeof *g->room);
    g->query = malloc(threads * g->d * sizeof *g->query);
    g->point = malloc(g->blocks * TOGETHER * g->d * sizeof *g->point);
    g->few = malloc(threads * g->rank * sizeof *g->few);
    return g->centre && g->room && g->query && g->point && g->few
               ? EB_OK
               : eb_fail_memory(status, "a sample of the points", g->blocks * TOGETHER * g->d * sizeof *g->point);
}

eb_code eb_knn_guess(const eb_knn_request *request, unsigned threads, eb_job *job, double *out, uint32_t *order,
                     eb_status *status)
{
    const size_t queries = eb_knn_queries(request), n = request->base->n;
    guessing g = {.request = request,
                  .queries = request->queries ? request->queries : request->base,
                  .d = request->base->d,
                  .sample = sample_of(n, request->base->d, queries),
                  .out = out,
                  .job = job};
    const size_t rank = (size_t)ceil(2 * (double)request->k * (double)g.sample / (double)n);
    g.blocks = (g.sample + TOGETHER - 1) / TOGETHER;
    g.rank = rank < USUAL_RANK ? USUAL_RANK : rank;
    g.rank = g.rank < g.sample ? g.rank : g.sample;
    eb_code failed = make_room(&g, threads, status);
    if (!failed)
        failed = make_sample(&g, status);
    if (!failed)
        failed = eb_parallel(threads, (queries + QUERIES_A_TASK - 1) / QUERIES_A_TASK, guess_some, &g, job, status);
    if (!failed) {
        lift_from_zero(out, queries);
        failed = order_queries(out, queries, threads, job, order, status);
    }
    free(g.centre);
    free(g.room);
    free(g.query);
    free(g.point);
    free(g.few);
    return failed;
}
