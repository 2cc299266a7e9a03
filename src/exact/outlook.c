#include "exact/outlook.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"

#define MOST_PAIRS 65536u
#define MOST_QUERIES 64u
#define SEED 0x65706562u

/* Points drawn, FP32, around the mean of the others: for guesses only. */
typedef struct drawn {
    size_t queries, others, d;
    float *query;   /* queries × d */
    float *other;   /* d × others: a coordinate of all of them together */
    uint32_t *row;  /* which points they are: queries, then others */
    double *wide;   /* [d] a row as FP64 */
    double *mean;   /* [d] */
    float *squared; /* [others] */
} drawn;

static void drawn_free(drawn *d)
{
    free(d->query);
    free(d->other);
    free(d->row);
    free(d->wide);
    free(d->mean);
    free(d->squared);
}

static size_t within(size_t x, size_t most) { return x < 1 || most < 1 ? 1 : x < most ? x : most; }

static eb_code drawn_new(const eb_problem *problem, size_t pairs, drawn *out, eb_status *status)
{
    const size_t d = problem->left->d;
    pairs = within(pairs, MOST_PAIRS);
    *out = (drawn){.d = d};
    out->queries = within((size_t)sqrt((double)pairs / 16), MOST_QUERIES);
    out->queries = within(out->queries, problem->left->n);
    out->others = pairs / out->queries;
    out->others = within(out->others, problem->right->n);
    out->query = malloc(out->queries * d * sizeof *out->query);
    out->other = malloc(out->others * d * sizeof *out->other);
    out->row = malloc((out->queries + out->others) * sizeof *out->row);
    out->wide = malloc(d * sizeof *out->wide);
    out->mean = calloc(d, sizeof *out->mean);
    out->squared = malloc(out->others * sizeof *out->squared);
    if (out->query && out->other && out->row && out->wide && out->mean && out->squared)
        return EB_OK;
    drawn_free(out);
    return eb_fail_memory(status, "a sample of the points", (out->queries + out->others) * d * sizeof(float));
}

/* One of each of `count` equal stretches of n points: spread over the file, and none twice. */
static void draw_rows(size_t n, size_t count, uint64_t *state, uint32_t *row)
{
    for (size_t k = 0; k < count; k++) {
        const size_t begin = n * k / count, end = n * (k + 1) / count;
        row[k] = (uint32_t)(begin + eb_random_below(state, end - begin));
    }
}

static void read_points(const eb_problem *problem, drawn *d)
{
    const eb_dataset *left = problem->left, *right = problem->right;
    uint64_t state = SEED;
    draw_rows(left->n, d->queries, &state, d->row);
    draw_rows(right->n, d->others, &state, d->row + d->queries);
    for (size_t j = 0; j < d->others; j++) {
        eb_to_f64(right->dtype, eb_row(right, d->row[d->queries + j]), d->d, d->wide);
        for (size_t k = 0; k < d->d; k++)
            d->mean[k] += d->wide[k] / (double)d->others;
    }
    for (size_t j = 0; j < d->others; j++) {
        eb_to_f64(right->dtype, eb_row(right, d->row[d->queries + j]), d->d, d->wide);
        for (size_t k = 0; k < d->d; k++)
            d->other[k * d->others + j] = (float)(d->wide[k] - d->mean[k]);
    }
    for (size_t i = 0; i < d->queries; i++) {
        eb_to_f64(left->dtype, eb_row(left, d->row[i]), d->d, d->wide);
        for (size_t k = 0; k < d->d; k++)
            d->query[i * d->d + k] = (float)(d->wide[k] - d->mean[k]);
    }
}

static void measure_spread(const drawn *d, eb_outlook *out)
{
    for (size_t j = 0; j < d->others; j++)
        d->squared[j] = 0;
    for (size_t k = 0; k < d->d; k++)
        for (size_t j = 0; j < d->others; j++) {
            const float x = d->other[k * d->others + j];
            d->squared[j] += x * x;
            out->widest = fabsf(x) > out->widest ? fabsf(x) : out->widest;
        }
    for (size_t j = 0; j < d->others; j++)
        out->norm += sqrt((double)d->squared[j]) / (double)d->others;
}

/* Squared. */
static size_t measure_query(const drawn *d, size_t query, bool self, float *found)
{
    size_t count = 0;
    for (size_t j = 0; j < d->others; j++)
        d->squared[j] = 0;
    for (size_t k = 0; k < d->d; k++) {
        const float x = d->query[query * d->d + k], *other = d->other + k * d->others;
        for (size_t j = 0; j < d->others; j++) {
            const float t = x - other[j];
            d->squared[j] += t * t;
        }
    }
    for (size_t j = 0; j < d->others; j++)
        if (!self || d->row[query] != d->row[d->queries + j])
            found[count++] = d->squared[j];
    return count;
}

/* Ascending, by their bits: none is negative. Three rounds of 11 bits, which end in `other`. */
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

static void measure_pairs(const drawn *d, bool self, float *squared, float *sorted, eb_outlook *out)
{
    for (size_t i = 0; i < d->queries; i++)
        out->count += measure_query(d, i, self, squared + out->count);
    sort_floats(squared, sorted, out->count);
}

eb_code eb_outlook_make(const eb_problem *problem, const eb_question *question, size_t wanted, eb_outlook *out,
                        eb_status *status)
{
    const double n = (double)problem->left->n, m = (double)problem->right->n;
    drawn d;
    *out = (eb_outlook){.problem = problem,
                        .question = question,
                        .pairs = eb_is_self_join(problem) ? n * (n - 1) / 2 : n * m};
    EB_TRY(drawn_new(problem, wanted, &d, status));
    const size_t pairs = d.queries * d.others;
    float *squared = malloc(pairs * sizeof *squared), *sorted = malloc(pairs * sizeof *sorted);
    double *distance = malloc(pairs * sizeof *distance);
    const bool there = squared && sorted && distance;
    if (there) {
        read_points(problem, &d);
        measure_spread(&d, out);
        measure_pairs(&d, eb_is_self_join(problem), squared, sorted, out);
        for (size_t k = 0; k < out->count; k++)
            distance[k] = sqrt((double)sorted[k]);
        out->distance = distance;
    }
    free(squared);
    free(sorted);
    drawn_free(&d);
    if (there)
        return EB_OK;
    free(distance);
    return eb_fail_memory(status, "sampled distances", pairs * sizeof *distance);
}

void eb_outlook_free(eb_outlook *outlook)
{
    free((void *)(uintptr_t)outlook->distance);
    outlook->distance = NULL;
}
