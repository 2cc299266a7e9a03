/* The sampled S(ε) curve. Distances are binned by the top bits of s: 64 bins an octave, no range to be found first. */
#include "core/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/parallel.h"

#define BIN_SHIFT 46u      /* 52 − 6: sign, exponent and six fraction bits remain */
#define BINS (1u << 17)    /* 2^11 exponents · 64 */
#define BATCH_BYTES ((size_t)64 << 20)

static uint32_t bin_of(double s)
{
    uint64_t bits;
    memcpy(&bits, &s, sizeof bits);
    return (uint32_t)(bits >> BIN_SHIFT);
}

/* The smallest s of a bin: the upper edge of the one before. */
static double bin_start(uint32_t bin)
{
    uint64_t bits = (uint64_t)bin << BIN_SHIFT;
    double s;
    memcpy(&s, &bits, sizeof s);
    return s;
}

/* splitmix64: a counter hashed; the same seed gives the same sample everywhere. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static size_t random_below(uint64_t *state, size_t bound) { return (size_t)(next_random(state) % bound); }

/* ---- strata: points in order of their distance to the centroid, with which local density goes along ---- */

typedef struct ranking {
    const eb_dataset *ds;
    const double *centroid;
    double *buffer; /* [threads][d] */
    double *distance2;
} ranking;

#define RANK_ROWS 512u

static eb_code rank_block(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const ranking *r = context;
    size_t d = r->ds->d, end = (size_t)(task + 1) * RANK_ROWS;
    double *x = r->buffer + thread * d;
    for (size_t i = (size_t)task * RANK_ROWS; i < end && i < r->ds->n; i++) {
        eb_to_f64(r->ds->dtype, eb_row(r->ds, i), d, x);
        double s = 0;
        for (size_t k = 0; k < d; k++)
            s += (x[k] - r->centroid[k]) * (x[k] - r->centroid[k]);
        r->distance2[i] = s;
    }
    return EB_OK;
}

/* The mean of up to 1024 evenly spaced points: near enough for ranking. */
static void centroid_of(const eb_dataset *ds, double *centroid, double *x)
{
    size_t count = ds->n < 1024 ? ds->n : 1024;
    for (size_t c = 0; c < count; c++) {
        eb_to_f64(ds->dtype, eb_row(ds, c * ds->n / count), ds->d, x);
        for (size_t k = 0; k < ds->d; k++)
            centroid[k] += x[k] / (double)count;
    }
}

typedef struct ranked {
    double distance2;
    uint32_t row;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->distance2 != y->distance2)
        return x->distance2 < y->distance2 ? -1 : 1;
    return x->row < y->row ? -1 : 1;
}

static eb_code rank_points(const eb_dataset *ds, ranked *order, eb_job *job, eb_status *status)
{
    unsigned threads = eb_cpu_count();
    double *centroid = calloc(ds->d, sizeof *centroid), *buffer = calloc((size_t)threads * ds->d, sizeof *buffer);
    double *distance2 = calloc(ds->n, sizeof *distance2);
    eb_code code = EB_NO_MEMORY;
    if (centroid && buffer && distance2) {
        centroid_of(ds, centroid, buffer);
        ranking r = {.ds = ds, .centroid = centroid, .buffer = buffer, .distance2 = distance2};
        code = eb_parallel(threads, (ds->n + RANK_ROWS - 1) / RANK_ROWS, rank_block, &r, job, status);
        for (size_t i = 0; i < ds->n; i++)
            order[i] = (ranked){.distance2 = distance2[i], .row = (uint32_t)i};
        qsort(order, ds->n, sizeof *order, compare_ranked);
    } else {
        (void)eb_fail_memory(status, "the strata", ds->n * sizeof *distance2);
    }
    free(centroid);
    free(buffer);
    free(distance2);
    return code;
}

/* ---- counting ---- */

typedef struct tally {
    size_t n, queries, strata;
    bool complete;            /* every point is a query */
    uint32_t lowest, highest; /* bins seen, zero apart */
    double *mean;             /* [BINS] weighted counts by bin, then S at the bin's upper edge */
    double *variance;         /* [BINS] of S at the bin's upper edge */
    uint32_t *count[2];       /* [BINS] of the stratum's two queries */
    double zeros;             /* weighted count of distances equal to 0, self left out */
} tally;

/* Bins one query's distances. Self is left out. Returns the bins it touched. */
static void bin_query(const double *s, size_t n, uint32_t self, uint32_t *count, uint32_t *low, uint32_t *high)
{
    for (size_t j = 0; j < n; j++) {
        if (j == self)
            continue;
        uint32_t bin = bin_of(s[j]);
        count[bin]++;
        if (s[j] > 0) {
            *low = bin < *low ? bin : *low;
            *high = bin > *high ? bin : *high;
        }
    }
}

/* Adds a stratum of `size` points of which `taken` (1 or 2) were queries. The variance of its mean at an edge follows from the
 * difference of the two queries' cumulated counts: (c1 − c2)²/4, times the finite-population correction. */
static void add_stratum(tally *t, size_t size, unsigned taken, uint32_t low, uint32_t high)
{
    double weight = (double)size / (double)t->n;
    double correction = t->complete ? 0 : weight * weight * (1 - (double)taken / (double)size);
    double difference = (double)t->count[0][0] - (double)t->count[1][0];
    t->zeros += weight * ((double)t->count[0][0] + (double)t->count[1][0]) / taken;
    t->variance[0] += correction * difference * difference / 4;
    for (uint32_t bin = low; bin <= high && low != UINT32_MAX; bin++) {
        difference += (double)t->count[0][bin] - (double)t->count[1][bin];
        t->mean[bin] += weight * ((double)t->count[0][bin] + (double)t->count[1][bin]) / taken;
        if (taken == 2)
            t->variance[bin] += correction * difference * difference / 4;
        t->count[0][bin] = t->count[1][bin] = 0;
    }
    t->count[0][0] = t->count[1][0] = 0;
    t->lowest = low < t->lowest ? low : t->lowest;
    t->highest = low != UINT32_MAX && high > t->highest ? high : t->highest;
}

/* One point an edge: 0 when there are duplicates, then the upper edge of every bin from the lowest to the highest. */
static eb_code make_curve(const tally *t, eb_curve *out, eb_status *status)
{
    bool any = t->lowest != UINT32_MAX;
    size_t points = (t->zeros > 0) + (any ? (size_t)(t->highest - t->lowest) + 2 : 0);
    *out = (eb_curve){.points = points, .queries = t->queries, .n = t->n};
    size_t room = points ? points : 1;
    out->eps = calloc(room, sizeof *out->eps);
    out->s = calloc(room, sizeof *out->s);
    out->s_error = calloc(room, sizeof *out->s_error);
    if (!out->eps || !out->s || !out->s_error) {
        eb_curve_free(out);
        return eb_fail_memory(status, "the curve", points * sizeof *out->eps);
    }
    size_t p = 0;
    double sum = t->zeros;
    if (t->zeros > 0) {
        out->s[p] = sum;
        out->s_error[p++] = sqrt(t->variance[0]);
    }
    if (!any)
        return EB_OK;
    out->eps[p] = sqrt(bin_start(t->lowest));
    out->s[p] = sum;
    out->s_error[p++] = sqrt(t->variance[0]);
    for (uint32_t bin = t->lowest; bin <= t->highest; bin++) {
        sum += t->mean[bin];
        out->eps[p] = sqrt(bin_start(bin + 1));
        out->s[p] = sum;
        out->s_error[p++] = sqrt(t->variance[bin]);
    }
    return EB_OK;
}

/* The queries, stratum after stratum: two distinct points of each, or all points. */
static void choose_queries(const ranked *order, size_t n, size_t strata, bool complete, uint64_t seed, uint32_t *rows)
{
    uint64_t state = seed;
    for (size_t h = 0; h < strata; h++) {
        size_t begin = h * n / strata, size = (h + 1) * n / strata - begin;
        size_t first = complete ? 0 : random_below(&state, size), second = complete ? size - 1 : random_below(&state, size - 1);
        second += !complete && second >= first;
        rows[2 * h] = order[begin + first].row;
        rows[2 * h + 1] = order[begin + second].row;
    }
}

static eb_code count_queries(tally *t, const eb_engine *engine, void *state, const uint32_t *rows, double *s, size_t batch,
                             eb_job *job, eb_status *status)
{
    for (size_t first = 0; first < t->strata; first += batch) {
        size_t strata = t->strata - first < batch ? t->strata - first : batch;
        eb_code code = engine->distances(state, rows + 2 * first, 2 * strata, s, job, status);
        if (code != EB_OK)
            return code;
        for (size_t h = 0; h < strata; h++) {
            const uint32_t *row = rows + 2 * (first + h);
            size_t size = (first + h + 1) * t->n / t->strata - (first + h) * t->n / t->strata;
            unsigned taken = row[0] == row[1] ? 1 : 2;
            uint32_t low = UINT32_MAX, high = 0;
            for (unsigned q = 0; q < taken; q++)
                bin_query(s + (2 * h + q) * t->n, t->n, row[q], t->count[q], &low, &high);
            add_stratum(t, size, taken, low, high);
        }
        eb_job_advance(job, 2 * strata);
    }
    return EB_OK;
}

eb_code eb_curve_sample(const eb_engine *engine, void *state, const eb_dataset *ds, size_t queries, uint64_t seed,
                        eb_job *job, eb_curve *out, eb_status *status)
{
    size_t n = ds->n;
    if (queries == 0)
        queries = n / 50 < 256 ? 256 : n / 50 > 1024 ? 1024 : n / 50;
    if (queries < 4)
        queries = 4;
    bool complete = queries >= n;
    /* A complete sample has strata of two, and one of one or three: that one is cut so that every point is taken once. */
    size_t strata = complete ? (n + 1) / 2 : queries / 2;
    tally t = {.n = n, .queries = complete ? n : 2 * strata, .strata = strata, .complete = complete, .lowest = UINT32_MAX};
    size_t batch = BATCH_BYTES / (2 * n * sizeof(double)) ? BATCH_BYTES / (2 * n * sizeof(double)) : 1;
    if (batch > strata)
        batch = strata;
    t.mean = calloc(BINS, sizeof *t.mean);
    t.variance = calloc(BINS, sizeof *t.variance);
    t.count[0] = calloc(BINS, sizeof *t.count[0]);
    t.count[1] = calloc(BINS, sizeof *t.count[1]);
    ranked *order = calloc(n, sizeof *order);
    uint32_t *rows = calloc(2 * strata, sizeof *rows);
    double *s = calloc(2 * batch * n, sizeof *s);
    eb_job_phase(job, "sampling the curve", 2 * strata);
    eb_code code;
    if (t.mean && t.variance && t.count[0] && t.count[1] && order && rows && s)
        code = rank_points(ds, order, job, status);
    else
        code = eb_fail_memory(status, "the sample", 2 * batch * n * sizeof *s);
    if (code == EB_OK) {
        choose_queries(order, n, strata, complete, seed, rows);
        code = count_queries(&t, engine, state, rows, s, batch, job, status);
    }
    if (code == EB_OK)
        code = make_curve(&t, out, status);
    free(t.mean);
    free(t.variance);
    free(t.count[0]);
    free(t.count[1]);
    free(order);
    free(rows);
    free(s);
    return code;
}

/* ---- reading it ---- */

void eb_curve_free(eb_curve *curve)
{
    free(curve->eps);
    free(curve->s);
    free(curve->s_error);
    *curve = (eb_curve){0};
}

/* Between (x0, y0) and (x1, y1), on log axes where both ends allow it. */
static double interpolate(double x0, double y0, double x1, double y1, double x)
{
    if (!(x1 > x0))
        return y1;
    if (x0 > 0 && y0 > 0 && y1 > 0 && x > 0)
        return y0 * pow(y1 / y0, log(x / x0) / log(x1 / x0));
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
}

double eb_curve_selectivity(const eb_curve *curve, double eps, double *low, double *high)
{
    double s = 0, error = 0;
    if (curve->points > 0 && eps >= curve->eps[0]) {
        size_t below = 0, above = curve->points; /* eps[below] ≤ eps < eps[above] */
        while (above - below > 1) {
            size_t middle = (below + above) / 2;
            if (curve->eps[middle] <= eps)
                below = middle;
            else
                above = middle;
        }
        if (above == curve->points) {
            s = curve->s[below];
            error = curve->s_error[below];
        } else {
            s = interpolate(curve->eps[below], curve->s[below], curve->eps[above], curve->s[above], eps);
            error = fmax(curve->s_error[below], curve->s_error[above]);
        }
    }
    if (low)
        *low = fmax(0, s - 1.96 * error);
    if (high)
        *high = s + 1.96 * error;
    return s;
}

double eb_curve_eps(const eb_curve *curve, double selectivity)
{
    for (size_t p = 0; p < curve->points; p++) {
        if (curve->s[p] < selectivity)
            continue;
        if (p == 0 || curve->s[p] <= curve->s[p - 1])
            return curve->eps[p];
        return interpolate(curve->s[p - 1], curve->eps[p - 1], curve->s[p], curve->eps[p], selectivity);
    }
    return NAN;
}
