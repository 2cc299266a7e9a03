#include "core/cluster/k_distance.h"

#include <stdlib.h>

#include "core/base/parallel.h"
#include "core/knn/knn.h"
#include "core/tune/order_statistic.h"

#define BATCH_BYTES ((size_t)64 << 20)
#define QUERY_BYTES 64u /* of a query in the curve, while it is sorted and reported */

enum {
    LEAST_QUERIES = 256,
    MOST_QUERIES = 1024,
    POINTS_A_QUERY = 256,
    LARGE_PART = 32, /* more than this part of the points as neighbours: all distances are computed */
};

/* Members are in the order that breaks ties. */
typedef struct weighed {
    double eps;
    uint32_t stratum;
    uint32_t points; /* points that it stands for */
} weighed;

typedef struct sampling {
    const eb_k_distance_request *request;
    eb_job *job;
    unsigned threads;
    size_t n, min_points;
    eb_strata strata;
    double *eps; /* [strata.count] core distances */
} sampling;

void eb_k_distance_free(eb_k_distance *curve)
{
    free(curve->eps);
    free(curve->share);
    *curve = (eb_k_distance){.queries = 0};
}

static size_t plan_queries(size_t n, size_t queries)
{
    if (queries == 0) {
        queries = n / POINTS_A_QUERY < LEAST_QUERIES ? LEAST_QUERIES : n / POINTS_A_QUERY;
        queries = queries < MOST_QUERIES ? queries : MOST_QUERIES;
    }
    return queries < n ? queries : n;
}

/* ---- by the search for neighbours ---- */

/* The largest batch of queries, halved from all, whose neighbours fit the limit; at least one query. */
static size_t fitting(const sampling *m, eb_knn_request *ask)
{
    const uint64_t limit = m->request->memory_limit;
    ask->count = m->strata.count;
    while (limit > 0 && ask->count > 1 && eb_knn_bytes(ask) > limit)
        ask->count = (ask->count + 1) / 2;
    return ask->count;
}

static eb_code find_batch(const sampling *m, const eb_knn_request *ask, size_t first, eb_status *status)
{
    eb_knn found;
    EB_TRY(eb_knn_find(ask, m->job, &found, status));
    for (size_t q = 0; q < found.queries; q++)
        m->eps[first + q] = found.reach[q];
    eb_knn_free(&found);
    return EB_OK;
}

static eb_code search(const sampling *m, eb_status *status)
{
    const size_t count = m->strata.count;
    eb_knn_request ask = {.setup = m->request->setup,
                          .base = m->request->points,
                          .rows = m->strata.row,
                          .k = m->min_points - 1,
                          .seed = m->request->seed,
                          .reach = true};
    const size_t batch = fitting(m, &ask);
    for (size_t first = 0; first < count; first += batch) {
        ask.rows = batch < m->n ? m->strata.row + first : NULL;
        ask.count = count - first < batch ? count - first : batch;
        EB_TRY(find_batch(m, &ask, first, status));
    }
    return EB_OK;
}

/* ---- by all distances ---- */

typedef struct measuring {
    const sampling *m;
    size_t first;
    double *s; /* [batch × n] */
    int exponent;
} measuring;

static eb_code rank_query(void *context, uint64_t at, unsigned thread, eb_status *status)
{
    const measuring *w = context;
    const sampling *m = w->m;
    double *s = w->s + at * m->n;
    (void)thread, (void)status;
    s[m->strata.row[w->first + at]] = 0; /* the point itself, whatever the arithmetic gave */
    const double nearest = eb_order_statistic(s, m->n, m->min_points);
    m->eps[w->first + at] = eb_smallest_eps_scaled(nearest > 0 ? nearest : 0, w->exponent);
    return EB_OK;
}

static eb_code measure_all(measuring *w, eb_opened *opened, size_t batch, eb_status *status)
{
    const sampling *m = w->m;
    const size_t count = m->strata.count;
    eb_job_phase(m->job, "sampling k-distances", count);
    for (w->first = 0; w->first < count; w->first += batch) {
        const size_t now = count - w->first < batch ? count - w->first : batch;
        EB_TRY(eb_ask_distances(opened, m->strata.row + w->first, now, w->s, status));
        EB_TRY(eb_parallel(m->threads, now, rank_query, w, m->job, status));
    }
    return EB_OK;
}

static eb_code measure(const sampling *m, eb_status *status)
{
    const eb_problem problem = eb_self_join(m->request->points);
    const uint64_t limit = m->request->memory_limit, row = m->n * sizeof(double);
    const uint64_t room = limit > 0 && limit < BATCH_BYTES ? limit : BATCH_BYTES, fit = room < row ? 1 : room / row;
    const size_t batch = m->strata.count < fit ? m->strata.count : (size_t)fit;
    eb_opened opened;
    measuring w = {.m = m};
    EB_TRY(eb_problem_open(m->request->setup, &problem, m->job, &opened, status));
    w.exponent = opened.scaling.exponent;
    w.s = malloc(batch * row);
    const eb_code failed =
        w.s ? measure_all(&w, &opened, batch, status) : eb_fail_memory(status, "the queries' distances", batch * row);
    free(w.s);
    eb_problem_close(&opened);
    return failed;
}

/* Leaves eps at 0 where every point is core at ε = 0. */
static eb_code find_core_distances(const sampling *m, eb_status *status)
{
    if (m->min_points == 1)
        return EB_OK;
    return m->min_points - 1 > m->n / LARGE_PART ? measure(m, status) : search(m, status);
}

/* ---- the curve ---- */

static int by_eps(const void *a, const void *b)
{
    const weighed *x = a, *y = b;
    if (x->eps < y->eps || x->eps > y->eps)
        return x->eps < y->eps ? -1 : 1;
    return (x->stratum > y->stratum) - (x->stratum < y->stratum);
}

static size_t elbow_of(const eb_k_distance *c)
{
    size_t last = c->queries - 1, best = last;
    double width = c->share[last] - c->share[0], height = c->eps[last] - c->eps[0], farthest = 0;
    for (size_t k = 0; k < c->queries && width > 0 && height > 0; k++) {
        double below = (c->share[k] - c->share[0]) / width - (c->eps[k] - c->eps[0]) / height;
        if (below > farthest) {
            farthest = below;
            best = k;
        }
    }
    return best;
}

static eb_code sort_queries(const sampling *m, weighed *sorted, eb_status *status)
{
    for (size_t q = 0; q < m->strata.count; q++)
        sorted[q] = (weighed){m->eps[q], (uint32_t)q, (uint32_t)m->strata.size[q]};
    return eb_parallel_sort(m->threads, sorted, m->strata.count, sizeof *sorted, by_eps, m->job, status);
}

static eb_code make_curve(const sampling *m, weighed *sorted, eb_k_distance *curve, eb_status *status)
{
    size_t points = 0;
    EB_TRY(sort_queries(m, sorted, status));
    for (size_t k = 0; k < curve->queries; k++) {
        points += sorted[k].points;
        curve->eps[k] = sorted[k].eps;
        curve->share[k] = (double)points / (double)m->n;
    }
    curve->elbow = elbow_of(curve);
    return EB_OK;
}

static eb_code sample(sampling *m, eb_k_distance *out, eb_status *status)
{
    const size_t count = m->strata.count;
    weighed *sorted = malloc(count * sizeof *sorted);
    *out = (eb_k_distance){.queries = count, .n = m->n, .min_points = m->min_points};
    out->eps = calloc(count, sizeof *out->eps);
    out->share = calloc(count, sizeof *out->share);
    m->eps = out->eps;
    eb_code failed = sorted && out->eps && out->share ? find_core_distances(m, status)
                                                      : eb_fail_memory(status, "the k-distance curve", count * 32);
    if (!failed)
        failed = make_curve(m, sorted, out, status);
    free(sorted);
    if (failed)
        eb_k_distance_free(out);
    return failed;
}

static eb_code draw(sampling *m, size_t queries, eb_status *status)
{
    const eb_k_distance_request *r = m->request;
    if (r->order && queries < m->n && eb_strata_order_serves(r->order, queries))
        return eb_strata_cut(r->order, queries, r->seed, &m->strata, status);
    return eb_strata_draw(r->points, queries, r->seed, m->job, &m->strata, status);
}

static eb_code check(const eb_k_distance_request *r, size_t queries, eb_status *status)
{
    const uint64_t bytes = (uint64_t)queries * QUERY_BYTES;
    if (r->min_points == 0 || r->min_points > r->points->n)
        return eb_fail(status, EB_UNREACHABLE,
                       "minpts=%zu is out of reach: it counts the point itself and can be 1 to n = %zu", r->min_points,
                       r->points->n);
    if (r->memory_limit > 0 && bytes > r->memory_limit)
        return eb_fail(status, EB_NO_MEMORY,
                       "the k-distances of %zu points take %llu bytes; the limit is %llu; give fewer queries=", queries,
                       (unsigned long long)bytes, (unsigned long long)r->memory_limit);
    return EB_OK;
}

eb_code eb_k_distance_find(const eb_k_distance_request *request, eb_job *job, eb_k_distance *out, eb_status *status)
{
    const unsigned threads = request->setup->resources.threads;
    const size_t n = request->points->n, queries = plan_queries(n, request->queries);
    sampling m = {.request = request,
                  .job = job,
                  .threads = threads ? threads : 1,
                  .n = n,
                  .min_points = request->min_points};
    *out = (eb_k_distance){.queries = 0};
    EB_TRY(check(request, queries, status));
    eb_job_phase(job, "sampling k-distances", 0);
    EB_TRY(draw(&m, queries, status));
    const eb_code failed = sample(&m, out, status);
    eb_strata_free(&m.strata);
    return failed;
}

double eb_k_distance_at(const eb_k_distance *curve, double share)
{
    size_t k = 0;
    while (k + 1 < curve->queries && curve->share[k] < share)
        k++;
    return curve->eps[k];
}
