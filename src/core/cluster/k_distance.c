#include "core/cluster/k_distance.h"

#include <stdlib.h>

#include "core/sample/strata.h"
#include "core/tune/order_statistic.h"

#define BATCH_BYTES ((size_t)64 << 20)
enum { LEAST_QUERIES = 256, MOST_QUERIES = 1024, POINTS_A_QUERY = 256 };

typedef struct weighed {
    double eps;
    size_t points; /* points that it stands for */
} weighed;

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

static eb_code ask_queries(eb_opened *opened, const eb_strata *strata, size_t min_points, double *s, size_t batch,
                           weighed *out, eb_status *status)
{
    size_t n = opened->problem.left->n;
    for (size_t first = 0; first < strata->count; first += batch) {
        size_t queries = strata->count - first < batch ? strata->count - first : batch;
        EB_TRY(eb_ask_distances(opened, strata->row + first, queries, s, status));
        for (size_t q = 0; q < queries; q++) {
            double *row = s + q * n;
            row[strata->row[first + q]] = 0; /* the point itself, whatever the arithmetic gave */
            double nearest = eb_order_statistic(row, n, min_points);
            out[first + q] = (weighed){eb_smallest_eps_scaled(nearest > 0 ? nearest : 0, opened->scaling.exponent),
                                       strata->size[first + q]};
            EB_TRY(eb_job_check(opened->context.job, status));
        }
    }
    return EB_OK;
}

static int by_eps(const void *a, const void *b)
{
    double x = ((const weighed *)a)->eps, y = ((const weighed *)b)->eps;
    return (x > y) - (x < y);
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

static eb_code make_curve(weighed *found, const eb_strata *strata, size_t n, size_t min_points, eb_k_distance *out,
                          eb_status *status)
{
    size_t count = strata->count, points = 0;
    eb_k_distance curve = {.queries = count, .n = n, .min_points = min_points};
    curve.eps = malloc(count * sizeof *curve.eps);
    curve.share = malloc(count * sizeof *curve.share);
    if (!curve.eps || !curve.share) {
        eb_k_distance_free(&curve);
        return eb_fail_memory(status, "the k-distance curve", 2 * count * sizeof *curve.eps);
    }
    qsort(found, count, sizeof *found, by_eps);
    for (size_t k = 0; k < count; k++) {
        points += found[k].points;
        curve.eps[k] = found[k].eps;
        curve.share[k] = (double)points / (double)n;
    }
    curve.elbow = elbow_of(&curve);
    *out = curve;
    return EB_OK;
}

static eb_code sample(eb_opened *opened, const eb_strata *strata, size_t min_points, eb_k_distance *out,
                      eb_status *status)
{
    size_t n = opened->problem.left->n, bytes = n * sizeof(double);
    size_t batch = bytes < BATCH_BYTES ? BATCH_BYTES / bytes : 1;
    batch = batch < strata->count ? batch : strata->count;
    double *s = calloc(batch, bytes);
    weighed *found = calloc(strata->count, sizeof *found);
    eb_code failed = s && found ? ask_queries(opened, strata, min_points, s, batch, found, status)
                                : eb_fail_memory(status, "the queries' distances", batch * bytes);
    if (!failed)
        failed = make_curve(found, strata, n, min_points, out, status);
    free(s);
    free(found);
    return failed;
}

eb_code eb_k_distance_sample(eb_opened *opened, size_t min_points, size_t queries, uint64_t seed, eb_k_distance *out,
                             eb_status *status)
{
    const eb_dataset *ds = opened->problem.left;
    eb_strata strata;
    *out = (eb_k_distance){.queries = 0};
    if (min_points == 0 || min_points > ds->n)
        return eb_fail(status, EB_UNREACHABLE,
                       "minpts=%zu is out of reach: it counts the point itself and can be 1 to n = %zu", min_points,
                       ds->n);
    queries = plan_queries(ds->n, queries);
    eb_job_phase(opened->context.job, "sampling k-distances", queries);
    EB_TRY(eb_strata_draw(ds, queries, seed, opened->context.job, &strata, status));
    eb_code failed = sample(opened, &strata, min_points, out, status);
    eb_strata_free(&strata);
    return failed;
}

double eb_k_distance_at(const eb_k_distance *curve, double share)
{
    size_t k = 0;
    while (k + 1 < curve->queries && curve->share[k] < share)
        k++;
    return curve->eps[k];
}
