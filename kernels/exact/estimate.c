#include "kernels/exact/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "core/base/parallel.h"
#include "core/base/random.h"

#define MOST_PAIRS 65536u
#define MOST_QUERIES 128u
#define SEED 0x65706562u

/* TOGETHER: right points per task. PIVOTS: number of sampled rows whose mean is the pivot. MOST_THREADS: starting more
 * threads takes longer than they save. */
enum { TOGETHER = 16, PIVOTS = 32, MOST_THREADS = 8 };

/* The result of a task. */
typedef struct chunk {
    size_t count; /* pairs */
    double norm, widest;
} chunk;

/* Sampled points in FP32 relative to a pivot; exact enough for estimates. */
typedef struct drawn {
    const eb_problem *problem;
    size_t queries, others, d, chunks;
    unsigned threads;
    uint32_t *row;  /* [queries + others] numbers of the points */
    double *pivot;  /* [d] */
    double *wide;   /* [threads][d] a row as FP64 */
    float *query;   /* [queries][d] */
    float *other;   /* [threads][d][TOGETHER] */
    float *squared; /* [chunks][queries · TOGETHER] squared distances of pairs, without self pairs */
    chunk *found;   /* [chunks] */
} drawn;

static void drawn_free(drawn *d)
{
    free(d->row);
    free(d->pivot);
    free(d->wide);
    free(d->query);
    free(d->other);
    free(d->squared);
    free(d->found);
}

/* Assumes that k > 1 threads make a pair k/2 times as fast. */
size_t eb_estimate_pairs_worth(const eb_problem *problem, eb_device_kind kind, unsigned threads)
{
    const double pairs = (double)problem->left->n * (double)problem->right->n / 2, d = (double)problem->left->d;
    const double a_second = kind == EB_DEVICE_CPU ? 3e10 * threads : 5e14, at_once = fmin(threads, MOST_THREADS);
    const double seconds = fmax(pairs * d / a_second / 50 * fmax(1, at_once / 2), 2.5e-4),
                 most = d <= 3 ? 4096 : MOST_PAIRS;
    return (size_t)fmin(seconds / (5e-10 * (d + 24)), most);
}

static size_t within(size_t x, size_t most) { return x < 1 || most < 1 ? 1 : x < most ? x : most; }

static eb_code drawn_new(const eb_problem *problem, size_t pairs, unsigned threads, drawn *out, eb_status *status)
{
    const size_t d = problem->left->d;
    pairs = within(pairs, MOST_PAIRS);
    *out = (drawn){.problem = problem, .d = d};
    out->queries = within((size_t)sqrt((double)pairs / 8), MOST_QUERIES);
    out->queries = within(out->queries, problem->left->n);
    out->others = pairs / out->queries;
    out->others = within(out->others, problem->right->n);
    out->chunks = (out->others + TOGETHER - 1) / TOGETHER;
    out->threads = (unsigned)within(threads, within(out->chunks, MOST_THREADS));
    out->row = malloc((out->queries + out->others) * sizeof *out->row);
    out->pivot = calloc(d, sizeof *out->pivot);
    out->wide = malloc(out->threads * d * sizeof *out->wide);
    out->query = malloc(out->queries * d * sizeof *out->query);
    out->other = malloc(out->threads * d * TOGETHER * sizeof *out->other);
    out->squared = malloc(out->chunks * out->queries * TOGETHER * sizeof *out->squared);
    out->found = calloc(out->chunks, sizeof *out->found);
    if (out->row && out->pivot && out->wide && out->query && out->other && out->squared && out->found)
        return EB_OK;
    drawn_free(out);
    return eb_fail_memory(status, "a sample of the points", (out->queries + out->others) * d * sizeof(float));
}

/* Draws a point from each of `count` equal ranges of the n points, so that the points differ and are spread over the
 * file. */
static void draw_rows(size_t n, size_t count, uint64_t *state, uint32_t *row)
{
    for (size_t k = 0; k < count; k++) {
        const size_t begin = n * k / count, end = n * (k + 1) / count;
        row[k] = (uint32_t)(begin + eb_random_below(state, end - begin));
    }
}

static void draw(drawn *d)
{
    const eb_dataset *left = d->problem->left, *right = d->problem->right;
    const size_t pivots = within(d->others, PIVOTS);
    uint64_t state = SEED;
    draw_rows(left->n, d->queries, &state, d->row);
    draw_rows(right->n, d->others, &state, d->row + d->queries);
    for (size_t j = 0; j < pivots; j++) {
        eb_to_f64(right->dtype, eb_row(right, d->row[d->queries + j * d->others / pivots]), d->d, d->wide);
        for (size_t k = 0; k < d->d; k++)
            d->pivot[k] += d->wide[k] / (double)pivots;
    }
    for (size_t i = 0; i < d->queries; i++) {
        eb_to_f64(left->dtype, eb_row(left, d->row[i]), d->d, d->wide);
        for (size_t k = 0; k < d->d; k++)
            d->query[i * d->d + k] = (float)(d->wide[k] - d->pivot[k]);
    }
}

/* ---- a task: all queries against up to TOGETHER right points ---- */

/* other: [d][TOGETHER]; values past `count` are not used. */
static void read_others(const drawn *d, size_t first, size_t count, double *wide, float *other)
{
    const eb_dataset *right = d->problem->right;
    for (size_t j = 0; j < count; j++) {
        eb_to_f64(right->dtype, eb_row(right, d->row[d->queries + first + j]), d->d, wide);
        for (size_t k = 0; k < d->d; k++)
            other[k * TOGETHER + j] = (float)(wide[k] - d->pivot[k]);
    }
}

static void measure_spread(const drawn *d, size_t count, const float *other, chunk *out)
{
    float squared[TOGETHER] = {0}, widest = 0;
    for (size_t k = 0; k < d->d; k++)
        for (size_t j = 0; j < count; j++) {
            const float x = other[k * TOGETHER + j];
            squared[j] += x * x;
            widest = fabsf(x) > widest ? fabsf(x) : widest;
        }
    for (size_t j = 0; j < count; j++)
        out->norm += sqrt((double)squared[j]);
    out->widest = widest;
}

/* The sums stay in registers: gcc stores those of a plain loop for each k. */
static void measure_query(const drawn *d, size_t query, const float *other, float squared[TOGETHER])
{
    const float *x = d->query + query * d->d;
#ifdef __SSE2__
    __m128 a = _mm_setzero_ps(), b = a, c = a, e = a;
    for (size_t k = 0; k < d->d; k++, other += TOGETHER) {
        const __m128 all = _mm_set1_ps(x[k]);
        const __m128 p = _mm_sub_ps(all, _mm_loadu_ps(other)), q = _mm_sub_ps(all, _mm_loadu_ps(other + 4)),
                     r = _mm_sub_ps(all, _mm_loadu_ps(other + 8)), t = _mm_sub_ps(all, _mm_loadu_ps(other + 12));
        a = _mm_add_ps(a, _mm_mul_ps(p, p));
        b = _mm_add_ps(b, _mm_mul_ps(q, q));
        c = _mm_add_ps(c, _mm_mul_ps(r, r));
        e = _mm_add_ps(e, _mm_mul_ps(t, t));
    }
    _mm_storeu_ps(squared, a);
    _mm_storeu_ps(squared + 4, b);
    _mm_storeu_ps(squared + 8, c);
    _mm_storeu_ps(squared + 12, e);
#else
    for (size_t j = 0; j < TOGETHER; j++)
        squared[j] = 0;
    for (size_t k = 0; k < d->d; k++)
        for (size_t j = 0; j < TOGETHER; j++) {
            const float t = x[k] - other[k * TOGETHER + j];
            squared[j] += t * t;
        }
#endif
}

static eb_code look_at_others(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const drawn *d = context;
    const size_t first = (size_t)task * TOGETHER, left = d->others - first, count = left < TOGETHER ? left : TOGETHER;
    const bool self = eb_is_self_join(d->problem);
    float *other = d->other + thread * d->d * TOGETHER, *out = d->squared + task * d->queries * TOGETHER;
    chunk *found = &d->found[task];
    (void)status;
    read_others(d, first, count, d->wide + thread * d->d, other);
    measure_spread(d, count, other, found);
    for (size_t i = 0; i < d->queries; i++) {
        float squared[TOGETHER];
        measure_query(d, i, other, squared);
        for (size_t j = 0; j < count; j++)
            if (!self || d->row[i] != d->row[d->queries + first + j])
                out[found->count++] = squared[j];
    }
    return EB_OK;
}

/* Sorts ascending by the bits, since no value is negative. Three rounds of 11 bits; the result is in `other`. */
static void sort_floats(float *values, float *other, size_t count)
{
    for (unsigned shift = 0; shift < 33; shift += 11) {
        size_t begin[2049] = {0};
        for (size_t k = 0; k < count; k++) {
            uint32_t bits;
            memcpy(&bits, &values[k], sizeof bits);
            begin[(bits >> shift & 2047) + 1]++;
        }
        for (size_t k = 0; k < 2048; k++)
            begin[k + 1] += begin[k];
        for (size_t k = 0; k < count; k++) {
            uint32_t bits;
            memcpy(&bits, &values[k], sizeof bits);
            other[begin[bits >> shift & 2047]++] = values[k];
        }
        float *swapped = values;
        values = other;
        other = swapped;
    }
}

/* Adds up the tasks' results, and concatenates their pairs in `squared`. */
static void gather(const drawn *d, float *squared, eb_estimate *out)
{
    for (size_t c = 0; c < d->chunks; c++) {
        const chunk *found = &d->found[c];
        memcpy(squared + out->count, d->squared + c * d->queries * TOGETHER, found->count * sizeof *squared);
        out->count += found->count;
        out->norm += found->norm / (double)d->others;
        out->widest = fmax(out->widest, found->widest);
    }
}

eb_code eb_estimate_make(const eb_problem *problem, const eb_question *question, size_t wanted, unsigned threads,
                         eb_estimate *out, eb_status *status)
{
    const double n = (double)problem->left->n, m = (double)problem->right->n;
    drawn d;
    *out = (eb_estimate){.problem = problem,
                         .question = question,
                         .pairs = eb_is_self_join(problem) ? n * (n - 1) / 2 : n * m};
    EB_TRY(drawn_new(problem, wanted, threads, &d, status));
    const size_t pairs = d.queries * d.others;
    float *squared = malloc(pairs * sizeof *squared), *sorted = malloc(pairs * sizeof *sorted);
    double *distance = malloc(pairs * sizeof *distance);
    eb_code failed =
        squared && sorted && distance ? EB_OK : eb_fail_memory(status, "sampled distances", pairs * sizeof *distance);
    if (!failed) {
        draw(&d);
        failed = eb_parallel(d.threads, d.chunks, look_at_others, &d, NULL, status);
    }
    if (!failed) {
        gather(&d, squared, out);
        sort_floats(squared, sorted, out->count);
        for (size_t k = 0; k < out->count; k++)
            distance[k] = sqrt((double)sorted[k]);
        out->distance = distance;
    }
    free(squared);
    free(sorted);
    drawn_free(&d);
    if (failed)
        free(distance);
    return failed;
}

void eb_estimate_free(eb_estimate *estimate)
{
    free((void *)(uintptr_t)estimate->distance);
    estimate->distance = NULL;
}
