#include "core/accuracy/prediction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pairs are near if their distance is within a tenth of ε. */
#define NEAR 0.1
enum { QUERIES = 96, FEWEST_QUERIES = 16, MOST_PAIRS = 4000, FEWEST_PAIRS = 12, MOST_DISTANCES = 4 << 20, KEPT = 4096 };
#define MOST_COORDINATES 1e9 /* of all sampled distances: a second of two threads */

static void release(void *values) { free(values); }

/* ---- sampled points ---- */

typedef struct found {
    eb_near_pairs *out;
    uint32_t *at; /* [n] the point of `some` that each row became; UINT32_MAX: none */
} found;

static uint32_t point_of(found *f, uint32_t row)
{
    if (f->at[row] == UINT32_MAX) {
        f->at[row] = (uint32_t)f->out->points;
        f->out->row[f->out->points++] = row;
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
        memcpy(values + k * bytes, eb_row(ds, out->row[k]), bytes);
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

static double slope_of(const struct eb_near_counts *c)
{
    return log(c->outer / c->inner) / log((1 + NEAR) / (1 - NEAR));
}

static void take_row(found *f, uint32_t query, const double *s, double unit, size_t most)
{
    eb_near_pairs *out = f->out;
    const double low = out->eps * (1 - NEAR), high = out->eps * (1 + NEAR);
    eb_best best = {.k = out->kept, .near = out->nearest + query * out->kept};
    for (size_t j = 0; j < out->dataset->n; j++) {
        const double distance = eb_distance_of(s[j], unit);
        if (j == out->row[query])
            continue;
        eb_best_take(&best, (eb_near_row){distance, (uint32_t)j});
        out->within += distance <= out->eps;
        if (!(distance <= high))
            continue;
        out->around[query].outer++;
        out->around[query].inner += distance <= low;
        if (distance <= low || out->count >= most)
            continue;
        const uint32_t point = point_of(f, (uint32_t)j);
        out->pair[out->count++] = (struct eb_near_pair){query, point, distance};
    }
    eb_best_sort(&best);
}

/* Queries share the room for pairs, so that all of them contribute. */
static eb_code take_rows(found *f, eb_opened *opened, double *s, size_t at_once, eb_status *status)
{
    const size_t n = f->out->dataset->n, queries = f->out->queries;
    const double unit = ldexp(1, -opened->scaling.exponent);
    for (size_t q = 0; q < queries; q += at_once) {
        const size_t count = queries - q < at_once ? queries - q : at_once;
        EB_TRY(eb_ask_distances(opened, f->out->row + q, count, s, status));
        for (size_t k = 0; k < count; k++)
            take_row(f, (uint32_t)(q + k), s + k * n, unit, MOST_PAIRS * (q + k + 1) / queries);
    }
    return EB_OK;
}

static eb_code find_pairs(found *f, const eb_setup *truth, eb_job *job, eb_status *status)
{
    eb_near_pairs *out = f->out;
    const size_t n = out->dataset->n, at_once = n < MOST_DISTANCES / QUERIES ? out->queries : MOST_DISTANCES / n + 1;
    const eb_problem problem = eb_self_join(out->dataset);
    double *s = calloc(at_once * n, sizeof *s);
    eb_opened opened;
    if (!s)
        return eb_fail_memory(status, "distances of sampled points", at_once * n * sizeof *s);
    eb_code failed = eb_problem_open(truth, &problem, job, &opened, status);
    if (!failed) {
        failed = take_rows(f, &opened, s, at_once, status);
        eb_problem_close(&opened);
    }
    free(s);
    struct eb_near_counts all = {0, 0};
    for (size_t q = 0; q < out->queries; q++) {
        all.inner += out->around[q].inner;
        all.outer += out->around[q].outer;
    }
    if (out->count >= FEWEST_PAIRS && all.inner > 0)
        out->slope = slope_of(&all);
    return failed;
}

eb_code eb_near_pairs_find(const eb_dataset *ds, double eps, const eb_setup *truth, uint64_t seed, eb_job *job,
                           eb_near_pairs *out, eb_status *status)
{
    const size_t most = QUERIES + MOST_PAIRS + 1;
    *out = (eb_near_pairs){.dataset = ds, .eps = eps, .slope = (double)NAN};
    if (!(eps > 0))
        return eb_fail(status, EB_BAD_VALUE, "overlap is predicted for ε above 0; found %g", eps);
    found f = {.out = out, .at = malloc(ds->n * sizeof *f.at)};
    out->row = calloc(most, sizeof *out->row);
    out->pair = malloc(MOST_PAIRS * sizeof *out->pair);
    out->kept = ds->n - 1 < KEPT ? ds->n - 1 : KEPT;
    out->around = calloc(QUERIES, sizeof *out->around);
    out->nearest = calloc(QUERIES * (out->kept + 1), sizeof *out->nearest);
    eb_code failed = f.at && out->row && out->pair && out->around && out->nearest
                         ? EB_OK
                         : eb_fail_memory(status, "pairs near ε", ds->n * sizeof *f.at);
    if (!failed) {
        memset(f.at, 0xff, ds->n * sizeof *f.at);
        draw_queries(&f, seed);
        failed = find_pairs(&f, truth, job, status);
    }
    if (!failed) {
        (void)point_of(&f, widest_point(ds));
        failed = copy_points(&f, status);
    }
    free(f.at);
    return failed;
}

void eb_near_pairs_free(eb_near_pairs *pairs)
{
    free(pairs->pair);
    free(pairs->row);
    free(pairs->nearest);
    free(pairs->around);
    if (pairs->some.release)
        pairs->some.release(pairs->some.owner);
    *pairs = (eb_near_pairs){.count = 0};
}

/* ---- one engine ---- */

/* Errors of the pairs, and the parts of them that come of rounding the points. */
typedef struct errors {
    double *all, *inputs; /* [count] each, in one piece */
    bool tells;           /* inputs are known */
} errors;

/* error[k]: the engine's distance of each pair less the truth's. */
static eb_code measure_errors(const eb_near_pairs *p, eb_opened *opened, double *error, eb_status *status)
{
    const double unit = ldexp(1, -opened->scaling.exponent);
    uint32_t *row = malloc(2 * p->count * sizeof *row);
    if (!row)
        return eb_fail_memory(status, "sampled pairs", 2 * p->count * sizeof *row);
    uint32_t *column = row + p->count;
    for (size_t k = 0; k < p->count; k++) {
        row[k] = p->pair[k].query;
        column[k] = p->pair[k].point;
    }
    const eb_code failed = eb_ask_pairs(opened, row, column, p->count, error, status);
    for (size_t k = 0; k < p->count && !failed; k++)
        error[k] = eb_distance_of(error[k], unit) - p->pair[k].distance;
    free(row);
    return failed;
}

/* [points × d] all sampled points as the engine has rounded them; NULL out: no memory. */
static eb_code rounded_points(const eb_near_pairs *p, const eb_opened *opened, double **out, eb_status *status)
{
    const size_t d = p->dataset->d;
    uint32_t *row = malloc(p->points * sizeof *row);
    *out = malloc(p->points * d * sizeof **out);
    eb_code failed = row && *out ? EB_OK : eb_fail_memory(status, "rounded points", p->points * (d + 1) * sizeof **out);
    for (size_t k = 0; k < p->points && !failed; k++)
        row[k] = (uint32_t)k;
    if (!failed)
        failed = eb_ask_rounded(opened, row, p->points, *out, status);
    free(row);
    if (failed) {
        free(*out);
        *out = NULL;
    }
    return failed;
}

/* error[k]: the distance of each pair's rounded points less the truth's. */
static eb_code measure_inputs(const eb_near_pairs *p, const eb_opened *opened, double *error, eb_status *status)
{
    const size_t d = p->dataset->d;
    double *y;
    EB_TRY(rounded_points(p, opened, &y, status));
    for (size_t k = 0; k < p->count; k++) {
        const double *a = y + p->pair[k].query * d, *b = y + p->pair[k].point * d;
        double sum = 0;
        for (size_t c = 0; c < d; c++)
            sum = fma(a[c] - b[c], a[c] - b[c], sum);
        error[k] = sqrt(sum) - p->pair[k].distance;
    }
    free(y);
    return EB_OK;
}

static double share_of_inputs(const errors *e, size_t count)
{
    double inputs = 0, sums = 0;
    for (size_t k = 0; k < count && e->tells; k++) {
        const double rest = e->all[k] - e->inputs[k];
        inputs += e->inputs[k] * e->inputs[k];
        sums += rest * rest;
    }
    return e->tells && inputs + sums > 0 ? inputs / (inputs + sums) : (double)NAN;
}

/* What the law needs of some pairs, as shares of ε. */
typedef struct moved {
    double count, out_of, into; /* pairs; their sums of max(e, 0) and of max(−e, 0) */
    struct eb_near_counts around;
} moved;

static double overlap_of(const moved *m)
{
    const double slope = slope_of(&m->around);
    return fmax(0, 1 - slope * m->out_of / m->count) / (1 + slope * m->into / m->count);
}

/* Pairs whose distance the engine cannot compute count as lost. */
static double share_of_eps(const eb_near_pairs *p, double error) { return isfinite(error) ? error / p->eps : 1; }

/* Sums of each query's pairs, and of all. */
static moved sum_up(const eb_near_pairs *p, const double *error, moved of[QUERIES])
{
    moved all = {0};
    for (size_t q = 0; q < p->queries; q++)
        of[q] = (moved){.around = p->around[q]};
    for (size_t k = 0; k < p->count; k++) {
        const double e = share_of_eps(p, error[k]);
        moved *m = &of[p->pair[k].query];
        m->count++;
        m->out_of += fmax(e, 0);
        m->into += fmax(-e, 0);
    }
    for (size_t q = 0; q < p->queries; q++) {
        all.count += of[q].count;
        all.out_of += of[q].out_of;
        all.into += of[q].into;
        all.around.inner += of[q].around.inner;
        all.around.outer += of[q].around.outer;
    }
    return all;
}

/* The standard error of the overlap, from the samples that lack one query. */
static double standard_error(const moved *all, const moved *of, size_t queries)
{
    double sum = 0, squares = 0, count = 0;
    for (size_t q = 0; q < queries; q++) {
        const moved rest = {all->count - of[q].count,
                            all->out_of - of[q].out_of,
                            all->into - of[q].into,
                            {all->around.inner - of[q].around.inner, all->around.outer - of[q].around.outer}};
        if (!(rest.count > 0 && rest.around.inner > 0))
            return 1; /* one query holds all that is known */
        const double overlap = overlap_of(&rest);
        sum += overlap;
        squares += overlap * overlap;
        count++;
    }
    return sqrt(fmax(0, squares - sum * sum / count) * (count - 1) / count);
}

static void conclude(const eb_near_pairs *p, const errors *of, eb_overlap_prediction *out)
{
    moved of_query[QUERIES];
    double sum = 0, squares = 0;
    out->exact = true;
    for (size_t k = 0; k < p->count; k++) {
        const double e = share_of_eps(p, of->all[k]);
        out->exact &= of->all[k] == 0;
        sum += e;
        squares += e * e;
    }
    const double count = (double)p->count;
    const moved all = sum_up(p, of->all, of_query);
    out->bias = sum / count;
    out->spread = sqrt(fmax(0, squares / count - out->bias * out->bias));
    out->inputs = share_of_inputs(of, p->count);
    out->overlap = overlap_of(&all);
    out->useless = 1 - out->overlap > EB_PREDICTION_MOST;
    const double share = out->spread > EB_PREDICTION_NARROW ? EB_PREDICTION_WIDE : EB_PREDICTION_BAND;
    const double band = fmax(share * (1 - out->overlap), 2 * standard_error(&all, of_query, p->queries));
    out->low = fmax(0, out->overlap - band);
    out->high = fmin(1, out->overlap + band);
}

eb_code eb_overlap_predict(const eb_near_pairs *p, const eb_setup *setup, eb_job *job, eb_overlap_prediction *out,
                           eb_status *status)
{
    const eb_problem problem = eb_self_join(&p->some);
    eb_opened opened;
    *out =
        (eb_overlap_prediction){.overlap = (double)NAN, .low = (double)NAN, .high = (double)NAN, .inputs = (double)NAN};
    if (isnan(p->slope))
        return EB_OK;
    errors e = {.all = malloc(2 * p->count * sizeof *e.all)};
    if (!e.all)
        return eb_fail_memory(status, "errors of sampled pairs", 2 * p->count * sizeof *e.all);
    e.inputs = e.all + p->count;
    eb_code failed = eb_problem_open(setup, &problem, job, &opened, status);
    if (!failed) {
        e.tells = eb_tells_rounded(&opened);
        failed = measure_errors(p, &opened, e.all, status);
        if (!failed && e.tells)
            failed = measure_inputs(p, &opened, e.inputs, status);
        eb_problem_close(&opened);
    }
    if (!failed)
        conclude(p, &e, out);
    free(e.all);
    return failed;
}

/* ---- where the error is ---- */

static void add_movements(const eb_near_pairs *p, const double *y, double *share)
{
    const size_t d = p->dataset->d;
    double x[256], all = 0;
    for (size_t k = 0; k < d; k++)
        share[k] = 0;
    for (size_t i = 0; i < p->points; i++)
        for (size_t k = 0; k < d; k += 256) {
            const size_t count = d - k < 256 ? d - k : 256;
            eb_to_f64(p->some.dtype, eb_row(&p->some, i) + k * eb_dtype_size(p->some.dtype), count, x);
            for (size_t c = 0; c < count; c++)
                share[k + c] += (y[i * d + k + c] - x[c]) * (y[i * d + k + c] - x[c]);
        }
    for (size_t k = 0; k < d; k++)
        all += share[k];
    for (size_t k = 0; k < d; k++)
        share[k] = all > 0 ? share[k] / all : (double)NAN;
}

eb_code eb_dimension_errors(const eb_near_pairs *p, const eb_setup *setup, eb_job *job, double *share,
                            eb_status *status)
{
    const eb_problem problem = eb_self_join(&p->some);
    eb_opened opened;
    double *y;
    for (size_t k = 0; k < p->dataset->d; k++)
        share[k] = (double)NAN;
    EB_TRY(eb_problem_open(setup, &problem, job, &opened, status));
    eb_code failed = EB_OK;
    if (eb_tells_rounded(&opened) && !(failed = rounded_points(p, &opened, &y, status))) {
        add_movements(p, y, share);
        free(y);
    }
    eb_problem_close(&opened);
    return failed;
}
