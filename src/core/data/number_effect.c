#include "core/data/number_effect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"

enum { BLOCK = 256 /* rows, or dimensions, of a task */, BUFFERS = 3 };

#define MOST_SCALED 0x1p15

typedef struct pass {
    const eb_dataset *ds;
    const eb_number_try *tries;
    size_t count, points;      /* points are rounded */
    size_t blocks, rounded;    /* blocks of all points, and of those that are rounded */
    double *mean;              /* [d] */
    double (*greatest)[2];     /* [blocks] largest |x| and |x − mean| */
    eb_number_effect *effects; /* [count] power and step */
    eb_number_effect *part;    /* [rounded × count] of a block; moved_mean is a sum */
    double *rows;              /* [threads × BUFFERS × d] */
} pass;

static size_t end_of(size_t begin, size_t all) { return all - begin < BLOCK ? all : begin + BLOCK; }

static double *buffer(const pass *p, unsigned thread, size_t which)
{
    return p->rows + (thread * (size_t)BUFFERS + which) * p->ds->d;
}

/* ---- mean and range ---- */

/* The means of a block of dimensions, row after row. */
static eb_code find_means(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const pass *p = context;
    const eb_dataset *ds = p->ds;
    double *x = buffer(p, thread, 0);
    const size_t begin = (size_t)task * BLOCK, end = end_of(begin, ds->d), bytes = eb_dtype_size(ds->dtype);
    for (size_t i = 0; i < ds->n; i++) {
        eb_to_f64(ds->dtype, eb_row(ds, i) + begin * bytes, end - begin, x);
        for (size_t k = begin; k < end; k++)
            p->mean[k] += x[k - begin] / (double)ds->n;
    }
    return EB_OK;
}

static eb_code find_greatest(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const pass *p = context;
    const eb_dataset *ds = p->ds;
    double *x = buffer(p, thread, 0), stored = 0, centred = 0;
    const size_t begin = (size_t)task * BLOCK, end = end_of(begin, ds->n);
    for (size_t i = begin; i < end; i++) {
        eb_to_f64(ds->dtype, eb_row(ds, i), ds->d, x);
        for (size_t k = 0; k < ds->d; k++) {
            const double size = fabs(x[k]), off = fabs(x[k] - p->mean[k]);
            stored = size > stored ? size : stored;
            centred = off > centred ? off : centred;
        }
    }
    p->greatest[task][0] = stored;
    p->greatest[task][1] = centred;
    return EB_OK;
}

static void choose_fits(pass *p)
{
    double greatest[2] = {0, 0};
    for (size_t b = 0; b < p->blocks; b++)
        for (int c = 0; c < 2; c++)
            greatest[c] = fmax(greatest[c], p->greatest[b][c]);
    for (size_t k = 0; k < p->count; k++) {
        const eb_number_try *try = &p->tries[k];
        const double size = greatest[try->centred], most = eb_number_type_of(try->number)->greatest;
        p->effects[k] = (eb_number_effect){.step = 1};
        if (try->fit == EB_FIT_POWER && size > 0)
            p->effects[k].power = (int)floor(log2(fmin(most, MOST_SCALED) / size));
        if (try->fit == EB_FIT_STEP && size > 0)
            p->effects[k].step = size / most;
    }
}

/* ---- rounding ---- */

static double greatest_of(const double *y, size_t d)
{
    double greatest = 0;
    for (size_t k = 0; k < d; k++)
        greatest = fabs(y[k]) > greatest ? fabs(y[k]) : greatest;
    return greatest;
}

/* Rounds the point x to `near`, in the unit of x, and adds what happens to it to `sum`. */
static void round_point(const pass *p, size_t which, const double *x, double *near, eb_number_effect *sum)
{
    const eb_number_try *try = &p->tries[which];
    const eb_number_type *type = eb_number_type_of(try->number);
    const size_t d = p->ds->d;
    double unit = try->fit == EB_FIT_POWER ? ldexp(1, -p->effects[which].power) : p->effects[which].step, square = 0;
    for (size_t k = 0; k < d; k++)
        near[k] = try->centred ? x[k] - p->mean[k] : x[k];
    if (try->fit == EB_FIT_POINT_STEPS) {
        const double greatest = greatest_of(near, d);
        unit = greatest > 0 ? greatest / type->greatest : 1;
    }
    for (size_t k = 0; unit != 1 && k < d; k++)
        near[k] /= unit;
    sum->beyond += eb_numbers_round(type, near, d, near);
    for (size_t k = 0; k < d; k++) {
        const double y = try->centred ? x[k] - p->mean[k] : x[k], off = near[k] * unit - y;
        sum->changed += off != 0;
        sum->vanished += near[k] == 0 && y != 0;
        square += off * off;
    }
    const double moved = sqrt(square);
    sum->moved_mean += moved;
    sum->moved_most = fmax(sum->moved_most, moved);
}

static eb_code round_block(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const pass *p = context;
    const eb_dataset *ds = p->ds;
    double *x = buffer(p, thread, 1), *near = buffer(p, thread, 2);
    const size_t begin = (size_t)task * BLOCK, end = end_of(begin, p->points);
    for (size_t i = begin; i < end; i++) {
        const size_t row = (size_t)((double)i * ((double)ds->n / (double)p->points));
        eb_to_f64(ds->dtype, eb_row(ds, row), ds->d, x);
        for (size_t k = 0; k < p->count; k++)
            round_point(p, k, x, near, &p->part[task * p->count + k]);
    }
    return EB_OK;
}

static void add_parts(const pass *p, eb_number_effect *out)
{
    for (size_t k = 0; k < p->count; k++) {
        out[k] = p->effects[k];
        for (size_t b = 0; b < p->rounded; b++) {
            const eb_number_effect *part = &p->part[b * p->count + k];
            out[k].changed += part->changed;
            out[k].beyond += part->beyond;
            out[k].vanished += part->vanished;
            out[k].moved_mean += part->moved_mean / (double)p->points;
            out[k].moved_most = fmax(out[k].moved_most, part->moved_most);
        }
    }
}

static eb_code run(pass *p, unsigned threads, eb_job *job, eb_status *status)
{
    EB_TRY(eb_parallel(threads, (p->ds->d + BLOCK - 1) / BLOCK, find_means, p, job, status));
    EB_TRY(eb_parallel(threads, p->blocks, find_greatest, p, job, status));
    choose_fits(p);
    return eb_parallel(threads, p->rounded, round_block, p, job, status);
}

eb_code eb_number_effects(const eb_dataset *ds, size_t points, const eb_number_try *tries, size_t count,
                          unsigned threads, eb_job *job, eb_number_effect *out, eb_status *status)
{
    const size_t blocks = (ds->n + BLOCK - 1) / BLOCK, rounded = (points + BLOCK - 1) / BLOCK;
    pass p = {.ds = ds,
              .tries = tries,
              .count = count,
              .points = points,
              .blocks = blocks,
              .rounded = rounded,
              .mean = calloc(ds->d, sizeof *p.mean),
              .greatest = calloc(blocks, sizeof *p.greatest),
              .effects = out,
              .part = calloc(rounded * count, sizeof *p.part),
              .rows = malloc((size_t)BUFFERS * threads * ds->d * sizeof *p.rows)};
    eb_job_phase(job, "rounding the points", 0);
    eb_code failed = p.mean && p.greatest && p.part && p.rows
                         ? run(&p, threads, job, status)
                         : eb_fail_memory(status, "rounding the points", rounded * count * sizeof *p.part);
    if (!failed)
        add_parts(&p, out);
    free(p.mean);
    free(p.greatest);
    free(p.part);
    free(p.rows);
    return failed;
}
