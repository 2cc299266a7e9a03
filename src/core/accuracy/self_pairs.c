#include "core/accuracy/self_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- an engine's distances of points to themselves ---- */

enum { LEAST_BLOCK = 128, LARGEST_BLOCK = 2048, MOST_BLOCKS = 64 };

/* A join of two equal sets computes a whole matrix where only its diagonal is needed. Blocks keep that a small part of
 * a join's work, and their number small. */
static size_t block_of(size_t n)
{
    size_t block = n / MOST_BLOCKS;
    return block < LEAST_BLOCK ? LEAST_BLOCK : block > LARGEST_BLOCK ? LARGEST_BLOCK : block;
}

static double distance_within(double s, double eps, int exponent)
{
    const double limit = eb_squared_threshold(eb_scaled_eps(eps, exponent));
    return s <= limit ? eb_distance_of(s, ldexp(1, -exponent)) : (double)INFINITY;
}

static eb_code measure_block(const eb_setup *setup, const eb_dataset *block, double eps, const uint32_t *rows,
                             double *matrix, double *distance, eb_job *job, eb_status *status)
{
    eb_opened opened;
    eb_dataset copy = *block;
    eb_problem problem = {.left = block, .right = &copy};
    EB_TRY(eb_problem_open(setup, &problem, job, &opened, status));
    eb_code failed = eb_ask_distances(&opened, rows, block->n, matrix, status);
    int exponent = opened.scaling.exponent;
    eb_problem_close(&opened);
    for (size_t k = 0; k < block->n && !failed; k++)
        distance[k] = distance_within(matrix[k * block->n + k], eps, exponent);
    return failed;
}

/* Asks an engine whose self distances depend on all points. */
static eb_code ask_engine(const eb_setup *setup, const eb_dataset *points, double eps, eb_job *job, double *distance,
                          eb_status *status)
{
    const eb_problem problem = eb_self_join(points);
    eb_opened opened;
    eb_job_phase(job, "self pairs", points->n);
    EB_TRY(eb_problem_open(setup, &problem, job, &opened, status));
    const eb_code failed = opened.run->self(opened.state, distance, status);
    const int exponent = opened.scaling.exponent;
    eb_problem_close(&opened);
    for (size_t k = 0; k < points->n && !failed; k++)
        distance[k] = distance_within(distance[k], eps, exponent);
    return failed;
}

eb_code eb_self_distances(const eb_setup *setup, const eb_dataset *points, double eps, eb_job *job, double *distance,
                          eb_status *status)
{
    size_t most = block_of(points->n);
    if (eb_setup_exactness(setup) == EB_TRUTH) {
        memset(distance, 0, points->n * sizeof *distance);
        return EB_OK;
    }
    if (setup->run->self)
        return ask_engine(setup, points, eps, job, distance, status);
    double *matrix = malloc(most * most * sizeof *matrix);
    uint32_t *rows = calloc(most, sizeof *rows);
    eb_code failed = EB_OK;
    if (!matrix || !rows)
        failed = eb_fail_memory(status, "distances of points to themselves", most * most * sizeof *matrix);
    for (size_t k = 0; k < most && !failed; k++)
        rows[k] = (uint32_t)k;
    eb_job_phase(job, "self pairs", points->n);
    for (size_t begin = 0; begin < points->n && !failed; begin += most) {
        eb_dataset block = *points;
        block.rows = eb_row(points, begin);
        block.n = points->n - begin < most ? points->n - begin : most;
        failed = measure_block(setup, &block, eps, rows, matrix, distance + begin, job, status);
        if (!failed)
            failed = eb_job_check(job, status);
    }
    free(matrix);
    free(rows);
    return failed;
}

/* ---- accuracy with self pairs ---- */

/* Each pair of two different points counts twice, as (i, j) and (j, i). Pairs of a sample are ordered already. */
static uint64_t orders_of(const eb_accuracy *without) { return eb_accuracy_is_sampled(without) ? 1 : 2; }

static eb_moments moments_of(const eb_accuracy *without, double unit)
{
    const double std = without->error_std * unit;
    const uint64_t count = orders_of(without) * (without->common - without->error_nan);
    if (count == 0)
        return (eb_moments){.count = 0};
    return (eb_moments){.count = count,
                        .mean = without->error_mean * unit,
                        .squares = std * std * (double)count,
                        .max = without->error_max * unit};
}

static double count_overlap(eb_accuracy *out, const eb_point_overlap *point, bool in_fast, bool in_true)
{
    uint64_t common = (uint64_t)point->common + (in_fast && in_true);
    uint64_t either = (uint64_t)point->either + (in_fast || in_true);
    double overlap = either > 0 ? (double)common / (double)either : 1;
    out->overlap_min = fmin(out->overlap_min, overlap);
    out->overlap_bins[eb_overlap_bin(common, either)]++;
    return overlap;
}

static void include(eb_accuracy *out, const double *fast, const double *truth)
{
    const int exponent = eb_error_exponent(out->eps);
    const double unit = ldexp(1, exponent);
    eb_moments m = moments_of(out, unit);
    double sum = 0, squares = 0;
    for (size_t i = 0; i < out->n; i++) {
        bool in_fast = isfinite(fast[i]), in_true = isfinite(truth[i]);
        const double overlap = count_overlap(out, &out->points[i], in_fast, in_true);
        sum += overlap;
        squares += overlap * overlap;
        if (!in_fast || !in_true)
            continue;
        out->self_common++;
        eb_moments_add(&m, (fast[i] - truth[i]) * unit);
        eb_histogram_add(&out->errors, fast[i] - truth[i]);
    }
    eb_overlap_report(sum, squares, out);
    eb_moments_report(&m, exponent, out);
}

/* Copies the heap arrays of `of`, with counts of ordered pairs, so that *out owns its arrays. */
static eb_code copy_parts(const eb_accuracy *of, eb_accuracy *out, eb_status *status)
{
    size_t points = of->n * sizeof *of->points, bins = of->errors.bins * sizeof *of->errors.count;
    size_t boundary = of->boundary_count * sizeof *of->boundary;
    out->points = malloc(points);
    out->errors.count = malloc(bins);
    out->boundary = malloc(boundary + 1);
    if (!out->points || !out->errors.count || !out->boundary)
        return eb_fail_memory(status, "the comparison with self pairs", points + bins + boundary);
    memcpy(out->points, of->points, points);
    if (boundary)
        memcpy(out->boundary, of->boundary, boundary);
    for (size_t k = 0; k < of->errors.bins; k++)
        out->errors.count[k] = orders_of(of) * of->errors.count[k];
    out->errors.under *= orders_of(of);
    out->errors.over *= orders_of(of);
    return EB_OK;
}

eb_code eb_accuracy_with_self(const eb_accuracy *without, const double *fast, const double *truth, eb_accuracy *out,
                              eb_status *status)
{
    *out = *without;
    eb_code failed = copy_parts(without, out, status);
    if (failed) {
        eb_accuracy_free(out);
        return failed;
    }
    out->self_pairs = true;
    out->self_common = 0;
    out->error_in = (eb_band){NAN, NAN}; /* the points' sums of errors are not kept */
    out->overlap_min = INFINITY;
    memset(out->overlap_bins, 0, sizeof out->overlap_bins);
    include(out, fast, truth);
    return EB_OK;
}
