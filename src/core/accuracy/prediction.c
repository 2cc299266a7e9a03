#include "core/accuracy/prediction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pairs are near if their distance is within a tenth of ε. */
#define NEAR 0.1
enum { QUERIES = 96, FEWEST_QUERIES = 16, MOST_PAIRS = 4000, FEWEST_PAIRS = 12, MOST_DISTANCES = 4 << 20 };
#define MOST_COORDINATES 1e9 /* of all sampled distances: a second of two threads */

static void release(void *values) { free(values); }

/* ---- sampled points ---- */

typedef struct found {
    eb_near_pairs *out;
    uint32_t *row; /* [QUERIES + MOST_PAIRS + 1] of the dataset, for each point of `some` */
    uint32_t *at;  /* [n] the point of `some` that each row became; UINT32_MAX: none */
} found;

static uint32_t point_of(found *f, uint32_t row)
{
    if (f->at[row] == UINT32_MAX) {
        f->at[row] = (uint32_t)f->out->points;
        f->row[f->out->points++] = row;
    }
    return f->at[row];
}

static uint64_t mixed(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void draw_queries(found *f, uint64_t seed)
{
    const size_t n = f->out->dataset->n;
    const double affordable = MOST_COORDINATES / ((double)n * (double)f->out->dataset->d);
    const size_t most = affordable < FEWEST_QUERIES ? FEWEST_QUERIES
                        : affordable < QUERIES      ? (size_t)affordable
                                                    : QUERIES;
    const size_t wanted = n < most ? n : most;
    for (uint64_t k = 0; f->out->points < wanted; k++)
        (void)point_of(f, (uint32_t)(wanted == n ? k : mixed(seed + (k + 1) * UINT64_C(0x9e3779b97f4a7c15)) % n));
    f->out->queries = f->out->points;
}

/* A point with the greatest |coordinate| of all decides the step and the power of two of rungs that have one for all
 * points. */
static uint32_t widest_point(const eb_dataset *ds)
{
    double widest = -1, value[256];
    uint32_t at = 0;
    for (size_t i = 0; i < ds->n; i++)
        for (size_t k = 0; k < ds->d; k += 256) {
            const size_t count = ds->d - k < 256 ? ds->d - k : 256;
            eb_to_f64(ds->dtype, eb_row(ds, i) + k * eb_dtype_size(ds->dtype), count, value);
            for (size_t c = 0; c < count; c++)
                if (fabs(value[c]) > widest) {
                    widest = fabs(value[c]);
                    at = (uint32_t)i;
                }
        }
    return at;
}

static eb_code copy_points(const found *f, eb_status *status)
{
    eb_near_pairs *out = f->out;
    const eb_dataset *ds = out->dataset;
    const size_t bytes = ds->d * eb_dtype_size(ds->dtype);
    unsigned char *values = malloc(out->points * bytes);
    if (!values)
        return eb_fail_memory(status, "sampled points", out->points * bytes);
    for (size_t k = 0; k < out->points; k++)
        memcpy(values + k * bytes, eb_row(ds, f->row[k]), bytes);
    out->some = (eb_dataset){.n = out->points,
                             .d = ds->d,
                             .dtype = ds->dtype,
                             .rows = values,
                             .stride = bytes,
                             .greatest = ds->greatest,
                             .least = ds->least,
                             .release = release,
                             .owner = values};
    return EB_OK;
}

/* ---- pairs near ε ---- */

/* Numbers of pairs within ε(1 − NEAR) and within ε(1 + NEAR). */
typedef struct counted {
    double inner, outer;
} counted;

static void take_row(found *f, uint32_t query, const double *s, double unit, size_t most, counted *counts)
{
    eb_near_pairs *out = f->out;
    const double low = out->eps * (1 - NEAR), high = out->eps * (1 + NEAR);
    for (size_t j = 0; j < out->dataset->n; j++) {
        const double distance = eb_distance_of(s[j], unit);
        if (!(distance <= high) || j == f->row[query])
            continue;
        counts->outer++;
        counts->inner += distance <= low;
        if (distance <= low || out->count >= most)
            continue;
        const uint32_t point = point_of(f, (uint32_t)j);
        out->pair[out->count++] = (struct eb_near_pair){query, point, distance};
    }
}

/* Queries share the room for pairs, so that all of them contribute. */
static eb_code take_rows(found *f, eb_opened *opened, double *s, size_t at_once, counted *counts, eb_status *status)
{
    const size_t n = f->out->dataset->n, queries = f->out->queries;
    const double unit = ldexp(1, -opened->scaling.exponent);
    for (size_t q = 0; q < queries; q += at_once) {
        const size_t count = queries - q < at_once ? queries - q : at_once;
        EB_TRY(eb_ask_distances(opened, f->row + q, count, s, status));
        for (size_t k = 0; k < count; k++)
            take_row(f, (uint32_t)(q + k), s + k * n, unit, MOST_PAIRS * (q + k + 1) / queries, counts);
    }
    return EB_OK;
}

static eb_code find_pairs(found *f, const eb_setup *truth, eb_job *job, eb_status *status)
{
    eb_near_pairs *out = f->out;
    const size_t n = out->dataset->n, at_once = n < MOST_DISTANCES / QUERIES ? out->queries : MOST_DISTANCES / n + 1;
    const eb_problem problem = eb_self_join(out->dataset);
    double *s = calloc(at_once * n, sizeof *s);
    counted counts = {0, 0};
    eb_opened opened;
    if (!s)
        return eb_fail_memory(status, "distances of sampled points", at_once * n * sizeof *s);
    eb_code failed = eb_problem_open(truth, &problem, job, &opened, status);
    if (!failed) {
        failed = take_rows(f, &opened, s, at_once, &counts, status);
        eb_problem_close(&opened);
    }
    free(s);
    if (out->count >= FEWEST_PAIRS && counts.inner > 0)
        out->slope = log(counts.outer / counts.inner) / log((1 + NEAR) / (1 - NEAR));
    return failed;
}

eb_code eb_near_pairs_find(const eb_dataset *ds, double eps, const eb_setup *truth, uint64_t seed, eb_job *job,
                           eb_near_pairs *out, eb_status *status)
{
    const size_t most = QUERIES + MOST_PAIRS + 1;
    *out = (eb_near_pairs){.dataset = ds, .eps = eps, .slope = (double)NAN};
    if (!(eps > 0))
        return eb_fail(status, EB_BAD_VALUE, "overlap is predicted for ε above 0; found %g", eps);
    found f = {.out = out, .row = calloc(most, sizeof *f.row), .at = malloc(ds->n * sizeof *f.at)};
    out->pair = malloc(MOST_PAIRS * sizeof *out->pair);
    eb_code failed = f.row && f.at && out->pair ? EB_OK : eb_fail_memory(status, "pairs near ε", ds->n * sizeof *f.at);
    if (!failed) {
        memset(f.at, 0xff, ds->n * sizeof *f.at);
        draw_queries(&f, seed);
        failed = find_pairs(&f, truth, job, status);
    }
    if (!failed) {
        (void)point_of(&f, widest_point(ds));
        failed = copy_points(&f, status);
    }
    free(f.row);
    free(f.at);
    return failed;
}

void eb_near_pairs_free(eb_near_pairs *pairs)
{
    free(pairs->pair);
    if (pairs->some.release)
        pairs->some.release(pairs->some.owner);
    *pairs = (eb_near_pairs){.count = 0};
}

/* ---- one engine ---- */

static eb_code measure_errors(const eb_near_pairs *p, eb_opened *opened, double *error, eb_status *status)
{
    uint32_t query[QUERIES];
    const double unit = ldexp(1, -opened->scaling.exponent);
    double *s = malloc(p->queries * p->points * sizeof *s);
    if (!s)
        return eb_fail_memory(status, "distances of sampled pairs", p->queries * p->points * sizeof *s);
    for (uint32_t k = 0; k < p->queries; k++)
        query[k] = k;
    const eb_code failed = eb_ask_distances(opened, query, p->queries, s, status);
    for (size_t k = 0; k < p->count && !failed; k++) {
        const struct eb_near_pair *pair = &p->pair[k];
        error[k] = eb_distance_of(s[pair->query * p->points + pair->point], unit) - pair->distance;
    }
    free(s);
    return failed;
}

/* Pairs whose distance the engine cannot compute count as lost. */
static void conclude(const eb_near_pairs *p, const double *error, eb_overlap_prediction *out)
{
    double out_of = 0, into = 0, sum = 0, squares = 0;
    out->exact = true;
    for (size_t k = 0; k < p->count; k++) {
        const double e = isfinite(error[k]) ? error[k] / p->eps : 1;
        out->exact &= error[k] == 0;
        out_of += fmax(e, 0);
        into += fmax(-e, 0);
        sum += e;
        squares += e * e;
    }
    const double count = (double)p->count;
    out->bias = sum / count;
    out->spread = sqrt(fmax(0, squares / count - out->bias * out->bias));
    out->overlap = fmax(0, 1 - p->slope * out_of / count) / (1 + p->slope * into / count);
    out->useless = 1 - out->overlap > EB_PREDICTION_MOST;
    out->low = fmax(0, 1 - (1 - out->overlap) * (1 + EB_PREDICTION_BAND));
    out->high = 1 - (1 - out->overlap) * (1 - EB_PREDICTION_BAND);
}

eb_code eb_overlap_predict(const eb_near_pairs *p, const eb_setup *setup, eb_job *job, eb_overlap_prediction *out,
                           eb_status *status)
{
    const eb_problem problem = eb_self_join(&p->some);
    eb_opened opened;
    *out = (eb_overlap_prediction){.overlap = (double)NAN, .low = (double)NAN, .high = (double)NAN};
    if (isnan(p->slope))
        return EB_OK;
    double *error = malloc(p->count * sizeof *error);
    if (!error)
        return eb_fail_memory(status, "errors of sampled pairs", p->count * sizeof *error);
    eb_code failed = eb_problem_open(setup, &problem, job, &opened, status);
    if (!failed) {
        failed = measure_errors(p, &opened, error, status);
        eb_problem_close(&opened);
    }
    if (!failed)
        conclude(p, error, out);
    free(error);
    return failed;
}
