#include "core/data/ground_truth.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/data/scaling.h"

/* ---- making and freeing ---- */

eb_ground_truth *eb_ground_truth_new(const char *source, size_t queries, size_t k, bool distances)
{
    eb_ground_truth *truth = calloc(1, sizeof *truth);
    if (!truth)
        return NULL;
    *truth = (eb_ground_truth){.queries = queries,
                               .k = k,
                               .source = strdup(source),
                               .id = malloc(queries * k * sizeof *truth->id),
                               .distance = distances ? malloc(queries * k * sizeof *truth->distance) : NULL};
    if (truth->source && truth->id && (truth->distance || !distances))
        return truth;
    eb_ground_truth_free(truth);
    return NULL;
}

void eb_ground_truth_free(eb_ground_truth *truth)
{
    if (!truth)
        return;
    if (truth->release)
        truth->release(truth->owner);
    free(truth->id);
    free(truth->distance);
    free(truth->source);
    free(truth);
}

eb_code eb_ground_truth_check(const eb_ground_truth *truth, eb_status *status)
{
    return truth->check ? truth->check(truth->owner, status) : EB_OK;
}

/* ---- distances ---- */

/* One thread's buffers. */
typedef struct bench {
    double *query, *point; /* [d] a row, scaled */
    uint32_t *sorted;      /* [k] */
} bench;

typedef struct verifier {
    eb_ground_truth *truth;
    const eb_dataset *points, *queries;
    double factor; /* 2^exponent */
    bench *bench;  /* [threads] */
    eb_job *job;
    _Atomic size_t wrong; /* the first query with an error; SIZE_MAX: none yet */
    _Atomic size_t not_plain,
        not_squared; /* first index whose stated distance is not plain, not squared; or SIZE_MAX */
} verifier;

/* A squared distance, and a bound on the error of an FP32 sum of it.
 *
 * In any order of summation, the error of a sum of d products is at most γ times the sum of their magnitudes,
 * γ = d·u / (1 − d·u), u = 2⁻²⁴. |p|² + |q|² − 2p·q has three such sums, with magnitudes of at most 2(|p|² + |q|²) in
 * all. 2(d + 4)·u·(|p|² + |q|²) therefore bounds the error of the sums, of the additions and of the rounding of the
 * stored value. Sums of squared differences have a smaller error. */
typedef struct squared {
    double s, slack;
} squared;

static void load_row(const eb_dataset *ds, size_t row, double factor, double *to)
{
    eb_to_f64(ds->dtype, eb_row(ds, row), ds->d, to);
    for (size_t k = 0; factor != 1 && k < ds->d; k++)
        to[k] *= factor;
}

/* Plain FP64 sums suffice, since their error is far below the slack. */
static squared distance_of(const verifier *v, const bench *b, uint32_t id)
{
    const size_t d = v->points->d;
    double s = 0, norms = 0;
    load_row(v->points, id, v->factor, b->point);
    for (size_t k = 0; k < d; k++) {
        const double t = b->query[k] - b->point[k];
        s += t * t;
        norms += b->query[k] * b->query[k] + b->point[k] * b->point[k];
    }
    return (squared){s, 2 * (double)(d + 4) * 0x1p-24 * norms};
}

/* ---- one query ---- */

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static eb_code check_ids(const verifier *v, const bench *b, size_t query, eb_status *status)
{
    const eb_ground_truth *truth = v->truth;
    const uint32_t *id = truth->id + query * truth->k;
    for (size_t j = 0; j < truth->k; j++)
        if (id[j] >= v->points->n)
            return eb_fail(status, EB_BAD_VALUE,
                           "%s: query %zu, neighbour %zu: expected a row of the points, 0 to %zu, found %u",
                           truth->source, query, j, v->points->n - 1, id[j]);
    memcpy(b->sorted, id, truth->k * sizeof *id);
    qsort(b->sorted, truth->k, sizeof *id, by_number);
    for (size_t j = 1; j < truth->k; j++)
        if (b->sorted[j] == b->sorted[j - 1])
            return eb_fail(status, EB_BAD_VALUE, "%s: query %zu: expected different neighbours, found row %u twice",
                           truth->source, query, b->sorted[j]);
    return EB_OK;
}

static eb_code check_stated(const eb_ground_truth *truth, size_t query, eb_status *status)
{
    const float *distance = truth->distance + query * truth->k;
    for (size_t j = 0; j < truth->k; j++)
        if (!isfinite(distance[j]) || (j > 0 && distance[j] < distance[j - 1]))
            return eb_fail(status, EB_BAD_VALUE,
                           "%s: query %zu, neighbour %zu: expected distances in ascending order, found %.9g%s",
                           truth->source, query, j, (double)distance[j], j > 0 ? " behind a greater one" : "");
    return EB_OK;
}

static void note_first(_Atomic size_t *first, size_t place)
{
    size_t now = atomic_load(first);
    while (place < now && !atomic_compare_exchange_weak(first, &now, place))
        ;
}

/* Compares a stated distance with the plain and the squared one; the reading is decided once all are compared. A root
 * has the additional error of its rounding to FP32. */
static void compare_stated(verifier *v, size_t place, const squared *own)
{
    const double stated = (double)v->truth->distance[place] * v->factor, plain = stated * stated;
    if (stated < 0 || !(fabs(plain - own->s) <= own->slack + 0x1p-22 * own->s))
        note_first(&v->not_plain, place);
    if (!(fabs(stated * v->factor - own->s) <= own->slack))
        note_first(&v->not_squared, place);
}

static eb_code check_order(verifier *v, const bench *b, size_t query, eb_status *status)
{
    const eb_ground_truth *truth = v->truth;
    const uint32_t *id = truth->id + query * truth->k;
    squared farthest = {0, 0};
    size_t at = 0;
    load_row(v->queries, query, v->factor, b->query);
    for (size_t j = 0; j < truth->k; j++) {
        const squared own = distance_of(v, b, id[j]);
        if (own.s + own.slack < farthest.s - farthest.slack)
            return eb_fail(status, EB_BAD_VALUE,
                           "%s: query %zu, neighbour %zu: expected the nearest first, found row %u at a distance of "
                           "%.9g behind row %u at %.9g; is it of other points, or by another distance?",
                           truth->source, query, j, id[j], sqrt(own.s) / v->factor, id[at],
                           sqrt(farthest.s) / v->factor);
        if (j == 0 || own.s - own.slack > farthest.s - farthest.slack) {
            farthest = own;
            at = j;
        }
        if (truth->distance)
            compare_stated(v, query * truth->k + j, &own);
    }
    return EB_OK;
}

static eb_code verify_query(verifier *v, size_t query, const bench *b, eb_status *status)
{
    EB_TRY(check_ids(v, b, query, status));
    if (v->truth->distance)
        EB_TRY(check_stated(v->truth, query, status));
    return check_order(v, b, query, status);
}

/* Notes the first query with an error, so that the message does not depend on the order of the threads. */
static eb_code look_at_query(void *context, uint64_t query, unsigned thread, eb_status *status)
{
    verifier *v = context;
    (void)status;
    if (query < atomic_load(&v->wrong) && verify_query(v, query, &v->bench[thread], NULL))
        note_first(&v->wrong, query);
    eb_job_advance(v->job, 1);
    return EB_OK;
}

/* ---- all queries ---- */

static eb_code check_shape(const eb_ground_truth *truth, const eb_dataset *points, const eb_dataset *queries,
                           eb_status *status)
{
    if (truth->queries != queries->n)
        return eb_fail(status, EB_BAD_VALUE, "%s: expected the neighbours of %zu queries, as many as %s has; found %zu",
                       truth->source, queries->n, queries->source, truth->queries);
    if (truth->k > points->n)
        return eb_fail(status, EB_BAD_VALUE,
                       "%s: expected at most %zu neighbours a query, the points there are; found %zu", truth->source,
                       points->n, truth->k);
    return EB_OK;
}

/* Decides whether the stated distances are plain or squared. If neither fits all of them, the message names the place
 * where the reading that fitted longer fails. */
static eb_code settle_stated(verifier *v, eb_status *status)
{
    eb_ground_truth *truth = v->truth;
    const size_t not_plain = v->not_plain, not_squared = v->not_squared;
    truth->stated = not_plain == SIZE_MAX ? EB_STATED_PLAIN : EB_STATED_SQUARED;
    if (not_plain == SIZE_MAX || not_squared == SIZE_MAX)
        return EB_OK;
    const size_t place = not_plain > not_squared ? not_plain : not_squared, query = place / truth->k;
    load_row(v->queries, query, v->factor, v->bench->query);
    const double own = sqrt(distance_of(v, v->bench, truth->id[place]).s) / v->factor;
    return eb_fail(
        status, EB_BAD_VALUE,
        "%s: query %zu, neighbour %zu: expected the distance of row %u, %.9g, or its square, %.9g, found %.9g",
        truth->source, query, place % truth->k, truth->id[place], own, own * own, (double)truth->distance[place]);
}

static eb_code verify_all(verifier *v, unsigned threads, eb_status *status)
{
    eb_job_phase(v->job, "verifying neighbours", v->truth->queries);
    EB_TRY(eb_parallel(threads, v->truth->queries, look_at_query, v, v->job, status));
    if (v->wrong != SIZE_MAX)
        return verify_query(v, v->wrong, v->bench, status);
    return v->truth->distance ? settle_stated(v, status) : EB_OK;
}

eb_code eb_ground_truth_verify(eb_ground_truth *truth, const eb_dataset *points, const eb_dataset *queries,
                               unsigned threads, eb_job *job, eb_status *status)
{
    EB_TRY(check_shape(truth, points, queries, status));
    const size_t numbers = threads * 2 * points->d;
    verifier v = {.truth = truth,
                  .points = points,
                  .queries = queries,
                  .factor = ldexp(1, eb_scaling_of(points, queries).exponent),
                  .bench = calloc(threads, sizeof *v.bench),
                  .job = job,
                  .wrong = SIZE_MAX,
                  .not_plain = SIZE_MAX,
                  .not_squared = SIZE_MAX};
    double *row = malloc(numbers * sizeof *row);
    uint32_t *sorted = malloc(threads * truth->k * sizeof *sorted);
    const bool made = v.bench && row && sorted;
    for (unsigned t = 0; made && t < threads; t++)
        v.bench[t] = (bench){row + 2 * t * points->d, row + (2 * t + 1) * points->d, sorted + t * truth->k};
    eb_code failed =
        made ? verify_all(&v, threads, status) : eb_fail_memory(status, "neighbours to verify", numbers * sizeof *row);
    free(v.bench);
    free(row);
    free(sorted);
    return failed;
}

double eb_ground_truth_reach(const eb_ground_truth *truth, const eb_dataset *points, const eb_dataset *queries,
                             size_t query, size_t k)
{
    const int exponent = eb_scaling_of(queries, points).exponent;
    const uint32_t *id = truth->id + query * truth->k;
    double s = 0;
    for (size_t j = 0; j < k; j++)
        s = fmax(s, eb_truth_distance2_between(queries, query, points, id[j], exponent));
    return eb_distance_of(s, ldexp(1, -exponent));
}
