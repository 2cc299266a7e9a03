#include "core/data/scaling.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/parallel.h"

enum {
    HIGHEST = 502,        /* largest E (scaling.h) */
    LOWEST = -510,        /* smallest u (scaling.h) */
    FRACTION = 52,        /* fraction bits of FP64 */
    LEAST_NORMAL = -1021, /* E of the smallest normal number; subnormal numbers have the same u */
    ROWS_A_TASK = 256,
};

/* If the points' u is below LOWEST, s loses up to d·2^-1074. The square of this ε is far larger. */
#define LEAST_SCALED_EPS 0x1p-480

/* E of x > 0: x < 2^E. */
static int top_of(double x)
{
    int top;
    (void)frexp(x, &top);
    return top;
}

eb_scaling eb_scaling_of(const eb_dataset *left, const eb_dataset *right)
{
    double greatest = fmax(left->greatest, right->greatest);
    double least =
        left->least > 0 && right->least > 0 ? fmin(left->least, right->least) : fmax(left->least, right->least);
    if (!(greatest > 0))
        return (eb_scaling){0};
    int top = top_of(greatest), low = top_of(least);
    int bottom = (low < LEAST_NORMAL ? LEAST_NORMAL : low) - 1 - FRACTION; /* u of all values ≥ least */
    int exponent = top > HIGHEST ? HIGHEST - top : 0;
    if (exponent == 0 && bottom < LOWEST)
        exponent = LOWEST - bottom < HIGHEST - top ? LOWEST - bottom : HIGHEST - top;
    bool whole = bottom + exponent >= LOWEST;
    return (eb_scaling){.exponent = exponent, .least_eps = whole ? 0 : ldexp(LEAST_SCALED_EPS, -exponent)};
}

typedef struct scaling_work {
    const eb_dataset *ds;
    double factor, *to;
} scaling_work;

static eb_code scale_rows(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread, (void)status;
    const scaling_work *w = context;
    size_t begin = (size_t)task * ROWS_A_TASK;
    size_t end = w->ds->n - begin < ROWS_A_TASK ? w->ds->n : begin + ROWS_A_TASK;
    for (size_t i = begin; i < end; i++) {
        double *row = w->to + i * w->ds->d;
        eb_to_f64(EB_F64, eb_row(w->ds, i), w->ds->d, row);
        for (size_t k = 0; k < w->ds->d; k++)
            row[k] *= w->factor;
    }
    return EB_OK;
}

eb_code eb_dataset_scale(const eb_dataset *ds, int exponent, unsigned threads, eb_job *job, eb_dataset *out,
                         eb_status *status)
{
    size_t bytes = ds->n * ds->d * sizeof(double);
    scaling_work w = {.ds = ds, .factor = ldexp(1, exponent), .to = malloc(bytes)};
    if (!w.to)
        return eb_fail_memory(status, "the points, scaled", bytes);
    uint64_t tasks = (ds->n + ROWS_A_TASK - 1) / ROWS_A_TASK;
    eb_code failed = eb_parallel(threads, tasks, scale_rows, &w, job, status);
    if (failed) {
        free(w.to);
        return failed;
    }
    *out = *ds;
    out->rows = (const unsigned char *)w.to;
    out->stride = ds->d * sizeof(double);
    out->sha256[0] = '\0'; /* other points */
    out->greatest *= w.factor;
    out->least *= w.factor;
    return EB_OK;
}

double eb_length(const double *x, size_t d)
{
    double most = 0, sum = 0;
    for (size_t k = 0; k < d; k++)
        most = fabs(x[k]) > most ? fabs(x[k]) : most;
    if (most > 0x1p-400 && most < 0x1p400) {
        for (size_t k = 0; k < d; k++)
            sum += x[k] * x[k];
        return sqrt(sum);
    }
    for (size_t k = 0; k < d && most > 0; k++)
        sum += x[k] / most * (x[k] / most);
    return most * sqrt(sum);
}

double eb_truth_distance(const eb_dataset *ds, size_t i, size_t j)
{
    int exponent = eb_scaling_of(ds, ds).exponent;
    return eb_distance_of(eb_truth_distance2_between(ds, i, ds, j, exponent), ldexp(1, -exponent));
}
