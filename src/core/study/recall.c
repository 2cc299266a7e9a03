#include "core/study/recall.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/base/random.h"
#include "core/tune/order_statistic.h"
#include "core/tune/tune.h"

#define BATCH_BYTES ((size_t)64 << 20)

/* ---- queries ---- */

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The first of a shuffle, and the rest, each ascending. */
static void draw_queries(eb_knn *out, uint64_t seed)
{
    const size_t all = out->queries + out->n;
    for (size_t i = 0; i < all; i++)
        out->query[i] = (uint32_t)i;
    for (size_t i = 0; i < out->queries && i < all; i++) {
        const size_t at = i + eb_random_below(&seed, all - i);
        const uint32_t drawn = out->query[at];
        out->query[at] = out->query[i];
        out->query[i] = drawn;
    }
    qsort(out->query, out->queries, sizeof *out->query, by_number);
    qsort(out->base, out->n, sizeof *out->base, by_number);
}

/* ---- the truth ---- */

typedef struct pass {
    eb_knn *out;
    double *s; /* a batch of queries × all rows */
    size_t rows, first;
} pass;

/* Queries are nobody's neighbours. */
static eb_code find_reach(void *context, uint64_t at, unsigned thread, eb_status *status)
{
    const pass *p = context;
    double *s = p->s + at * p->rows;
    (void)thread, (void)status;
    for (size_t i = 0; i < p->out->n; i++)
        s[i] = s[p->out->base[i]]; /* base[i] ≥ i: not yet overwritten */
    p->out->reach[p->first + at] = eb_order_statistic(s, p->out->n, p->out->k);
    return EB_OK;
}

static eb_code find_all(eb_opened *opened, eb_knn *out, eb_status *status)
{
    pass p = {.out = out, .rows = opened->problem.left->n};
    const size_t fit = BATCH_BYTES / (p.rows * sizeof *p.s), batch = fit < 1 ? 1 : fit;
    p.s = malloc(batch * p.rows * sizeof *p.s);
    if (!p.s)
        return eb_fail_memory(status, "distances of queries", batch * p.rows * sizeof *p.s);
    eb_code failed = EB_OK;
    for (; p.first < out->queries && !failed; p.first += batch) {
        const size_t count = out->queries - p.first < batch ? out->queries - p.first : batch;
        failed = eb_ask_distances(opened, out->query + p.first, count, p.s, status);
        if (!failed)
            failed = eb_parallel(opened->context.threads, count, find_reach, &p, opened->context.job, status);
        eb_job_advance(opened->context.job, count);
    }
    free(p.s);
    return failed;
}

static eb_code make_room(eb_knn *out, eb_status *status)
{
    const size_t rows = out->queries + out->n, bytes = rows * sizeof *out->query + out->queries * sizeof *out->reach;
    out->query = malloc(rows * sizeof *out->query);
    out->reach = malloc(out->queries * sizeof *out->reach);
    if (!out->query || !out->reach)
        return eb_fail_memory(status, "queries", bytes);
    out->base = out->query + out->queries;
    return EB_OK;
}

eb_code eb_knn_check(size_t n, size_t queries, size_t k, eb_status *status)
{
    if (queries >= 1 && queries < n && k >= 1 && k <= n - queries)
        return EB_OK;
    return eb_fail(status, EB_USAGE,
                   "k = %zu nearest of %zu queries need %zu points, the queries taken out; the dataset has %zu", k,
                   queries, queries + k, n);
}

eb_code eb_knn_find(const eb_setup *truth, const eb_dataset *ds, size_t queries, size_t k, uint64_t seed, eb_job *job,
                    eb_knn *out, eb_status *status)
{
    const eb_problem problem = eb_self_join(ds);
    eb_opened opened;
    *out = (eb_knn){0};
    EB_TRY(eb_knn_check(ds->n, queries, k, status));
    *out = (eb_knn){.queries = queries, .n = ds->n - queries, .k = k};
    EB_TRY(make_room(out, status));
    draw_queries(out, eb_random_of(seed));
    eb_code failed = eb_problem_open(truth, &problem, job, &opened, status);
    if (!failed) {
        eb_job_phase(job, "nearest", queries);
        failed = find_all(&opened, out, status);
        out->exponent = opened.scaling.exponent;
        eb_problem_close(&opened);
    }
    if (failed)
        eb_knn_free(out);
    return failed;
}

void eb_knn_free(eb_knn *nearest)
{
    free(nearest->query);
    free(nearest->reach);
    *nearest = (eb_knn){0};
}

/* ---- recall ---- */

static size_t right_of_query(const eb_knn *nearest, const eb_dataset *ds, size_t query, const uint32_t *found)
{
    size_t right = 0;
    for (size_t k = 0; k < nearest->k; k++)
        right += found[k] != UINT32_MAX && eb_truth_distance2_scaled(ds, nearest->query[query], found[k],
                                                                     nearest->exponent) <= nearest->reach[query];
    return right;
}

eb_recall eb_recall_of(const eb_knn *nearest, const eb_dataset *ds, const uint32_t *found)
{
    const double count = (double)nearest->queries, k = (double)nearest->k;
    double sum = 0, squares = 0; /* whole numbers: exact, in whatever order points were found */
    for (size_t q = 0; q < nearest->queries; q++) {
        const double right = (double)right_of_query(nearest, ds, q, found + q * nearest->k);
        sum += right;
        squares += right * right;
    }
    const double mean = sum / (count * k), variance = fmax(squares / (count * k * k) - mean * mean, 0);
    const bool alike = variance < 1e-12 || nearest->queries < 2;
    const double half = alike ? 3 / count : EB_SIGMAS_95 * sqrt(variance / (count - 1));
    return (eb_recall){mean, fmax(mean - half, 0), fmin(mean + half, 1)};
}
