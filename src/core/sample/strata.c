#include "core/sample/strata.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/parallel.h"
#include "core/base/random.h"
#include "core/data/scaling.h"
#include "core/sample/crowding.h"

/* The parts of a point's chance to be drawn. The even share bounds the cost of a wrong crowding estimate: no stratum is
 * longer than 2.5 even ones. The far share goes to the last points as 1 : ½ : ⅓ : …, which puts a few queries among the
 * last n/64, n/128, n/256 … of them. Tried on thirteen kinds of data (tests/bench/curve.md): an even share of 0.4 to
 * 0.6 makes little difference. */
#define EVEN_SHARE 0.4
#define FAR_SHARE 0.08
#define CROWDED_SHARE (1 - EVEN_SHARE - FAR_SHARE)

#define CLASSES 34 /* of crowding, by factors of two: at least 2^32, …, at least 1, less */

/* ---- distances to the centroid ---- */

typedef struct ranked {
    double distance2; /* to the centroid */
    uint32_t row;
} ranked;

typedef struct ranking {
    const eb_dataset *ds;
    const double *centroid;
    double unit;    /* factor of the coordinates that keeps squares finite */
    double *buffer; /* [threads][d] */
    ranked *order;
} ranking;

#define RANK_ROWS 512u

static double square(double x) { return x * x; }

static eb_code rank_block(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const ranking *r = context;
    size_t d = r->ds->d, begin = (size_t)task * RANK_ROWS;
    size_t end = r->ds->n - begin < RANK_ROWS ? r->ds->n : begin + RANK_ROWS;
    double *x = r->buffer + thread * d;
    for (size_t i = begin; i < end; i++) {
        eb_to_f64(r->ds->dtype, eb_row(r->ds, i), d, x);
        double s = 0;
        for (size_t k = 0; k < d; k++)
            s += square(r->unit * x[k] - r->centroid[k]);
        r->order[i] = (ranked){.distance2 = s <= DBL_MAX ? s : DBL_MAX, .row = (uint32_t)i};
    }
    return EB_OK;
}

/* Mean of up to 1024 evenly spaced points; accurate enough for ranking. */
static void find_centroid(const eb_dataset *ds, double unit, double *centroid, double *x)
{
    size_t count = ds->n < 1024 ? ds->n : 1024;
    for (size_t c = 0; c < count; c++) {
        eb_to_f64(ds->dtype, eb_row(ds, c * ds->n / count), ds->d, x);
        for (size_t k = 0; k < ds->d; k++)
            centroid[k] += unit * x[k] / (double)count;
    }
}

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->distance2 != y->distance2)
        return x->distance2 < y->distance2 ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static eb_code rank_points(const eb_dataset *ds, ranked *order, eb_job *job, eb_status *status)
{
    unsigned threads = eb_cpu_count();
    double *centroid = calloc(ds->d, sizeof *centroid), *buffer = calloc((size_t)threads * ds->d, sizeof *buffer);
    eb_code failed;
    if (centroid && buffer) {
        double unit = ldexp(1, eb_scaling_of(ds, ds).exponent);
        find_centroid(ds, unit, centroid, buffer);
        ranking r = {.ds = ds, .centroid = centroid, .unit = unit, .buffer = buffer, .order = order};
        failed = eb_parallel(threads, (ds->n + RANK_ROWS - 1) / RANK_ROWS, rank_block, &r, job, status);
    } else {
        failed = eb_fail_memory(status, "the centroid", ((size_t)threads + 1) * ds->d * sizeof *centroid);
    }
    if (!failed)
        failed = eb_parallel_sort(threads, order, ds->n, sizeof *order, compare_ranked, job, status);
    free(centroid);
    free(buffer);
    return failed;
}

/* ---- the order ---- */

typedef struct eb_strata_member {
    uint32_t row;
    float weight; /* its chance to be drawn, mean 1 */
} member;

static size_t class_of(float crowding)
{
    if (!(crowding >= 1))
        return CLASSES - 1;
    int factor = ilogbf(crowding);
    return factor < CLASSES - 1 ? (size_t)(CLASSES - 2 - factor) : 0;
}

/* Sorts from nearest first in `near` to most crowded first in `out`, nearest first within each class. */
static void order_by_class(const ranked *near, const float *crowding, size_t n, member *out)
{
    size_t begin[CLASSES + 1] = {0};
    double harmonic = 0;
    for (size_t k = 0; k < n; k++) {
        begin[class_of(crowding[near[k].row]) + 1]++;
        harmonic += 1 / (double)(k + 1);
    }
    for (size_t c = 0; c < CLASSES; c++)
        begin[c + 1] += begin[c];
    for (size_t k = 0; k < n; k++) {
        float crowded = crowding[near[k].row];
        double far = (double)n / ((double)(n - k) * harmonic);
        double weight = EVEN_SHARE + CROWDED_SHARE * (double)crowded + FAR_SHARE * far;
        out[begin[class_of(crowded)]++] = (member){.row = near[k].row, .weight = (float)weight};
    }
}

/* Cuts strata of equal weight with at least one point each, and draws one point of each. */
static void cut_and_draw(const member *order, size_t n, uint64_t seed, eb_strata *out)
{
    double all = 0, sum = 0;
    for (size_t k = 0; k < n; k++)
        all += (double)order[k].weight;
    size_t begin = 0;
    for (size_t h = 0; h < out->count; h++) {
        size_t end = begin + 1, most = n - (out->count - 1 - h);
        sum += (double)order[begin].weight;
        while (end < most && (h + 1 == out->count || sum < all * (double)(h + 1) / (double)out->count))
            sum += (double)order[end++].weight;
        out->size[h] = end - begin;
        out->row[h] = order[begin + eb_random_below(&seed, end - begin)].row;
        begin = end;
    }
}

static eb_code order_points(const eb_dataset *ds, uint64_t seed, member *out, eb_job *job, eb_status *status)
{
    ranked *near = malloc(ds->n * sizeof *near);
    float *crowding = malloc(ds->n * sizeof *crowding);
    eb_code failed = near && crowding ? eb_crowding(ds, ~seed, crowding, job, status)
                                      : eb_fail_memory(status, "the strata", ds->n * (sizeof *near + sizeof *crowding));
    if (!failed)
        failed = rank_points(ds, near, job, status);
    if (!failed)
        order_by_class(near, crowding, ds->n, out);
    free(near);
    free(crowding);
    return failed;
}

eb_code eb_strata_order_make(const eb_dataset *ds, uint64_t seed, eb_job *job, eb_strata_order *out, eb_status *status)
{
    *out = (eb_strata_order){.n = ds->n, .member = malloc(ds->n * sizeof *out->member)};
    eb_code failed = out->member ? order_points(ds, seed, out->member, job, status)
                                 : eb_fail_memory(status, "the strata", ds->n * sizeof *out->member);
    if (failed)
        eb_strata_order_free(out);
    return failed;
}

void eb_strata_order_free(eb_strata_order *order)
{
    free(order->member);
    *order = (eb_strata_order){.n = 0};
}

static eb_code make_room(size_t count, eb_strata *out, eb_status *status)
{
    *out = (eb_strata){.count = count};
    out->row = malloc(count * sizeof *out->row);
    out->size = malloc(count * sizeof *out->size);
    if (out->row && out->size)
        return EB_OK;
    eb_strata_free(out);
    return eb_fail_memory(status, "the queries", count * (sizeof *out->row + sizeof *out->size));
}

eb_code eb_strata_cut(const eb_strata_order *order, size_t count, uint64_t seed, eb_strata *out, eb_status *status)
{
    EB_TRY(make_room(count, out, status));
    cut_and_draw(order->member, order->n, seed, out);
    return EB_OK;
}

static eb_code take_all(size_t n, eb_strata *out, eb_status *status)
{
    EB_TRY(make_room(n, out, status));
    for (size_t i = 0; i < n; i++) {
        out->row[i] = (uint32_t)i;
        out->size[i] = 1;
    }
    return EB_OK;
}

eb_code eb_strata_draw(const eb_dataset *ds, size_t count, uint64_t seed, eb_job *job, eb_strata *out,
                       eb_status *status)
{
    eb_strata_order order;
    if (count == ds->n)
        return take_all(ds->n, out, status);
    EB_TRY(eb_strata_order_make(ds, seed, job, &order, status));
    eb_code failed = eb_strata_cut(&order, count, seed, out, status);
    eb_strata_order_free(&order);
    return failed;
}

void eb_strata_free(eb_strata *strata)
{
    free(strata->row);
    free(strata->size);
    *strata = (eb_strata){.count = 0};
}
