#include "core/data/rounding.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/parallel.h"
#include "core/data/scaling.h"

#define BLOCK_ROWS 256u

typedef struct scan {
    const eb_rounding *rounding;
    const eb_dataset *ds;
    double far;
    eb_rounded *block; /* [blocks] moved_mean is the sum, not the mean */
    double *row;       /* [threads][d] */
} scan;

static void note_overflow(eb_rounded *b, const double *error, size_t d, size_t row)
{
    for (size_t k = 0; k < d; k++)
        if (!isfinite(error[k]) && b->overflow++ == 0) {
            b->overflow_row = row;
            b->overflow_column = k;
        }
}

static void scan_row(const scan *s, eb_rounded *b, size_t row, double *x)
{
    const size_t d = s->ds->d;
    uint64_t subnormal = 0, inexact = 0, overflow = 0;
    eb_to_f64(s->ds->dtype, eb_row(s->ds, row), d, x);
    for (size_t k = 0; k < d; k++)
        subnormal += x[k] != 0 && fabs(x[k]) < s->rounding->least_normal;
    s->rounding->errors(x, d);
    for (size_t k = 0; k < d; k++) {
        inexact += x[k] != 0 ? 1u : 0u;
        overflow += !isfinite(x[k]) ? 1u : 0u;
    }
    b->subnormal += subnormal;
    b->inexact += inexact - overflow;
    if (overflow) {
        note_overflow(b, x, d, row);
        b->moved++;
        return;
    }
    const double moved = eb_length(x, d);
    b->moved_mean += moved;
    b->moved_most = fmax(b->moved_most, moved);
    b->moved += moved > 0 && moved >= s->far;
}

static eb_code scan_block(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const scan *s = context;
    const size_t begin = (size_t)task * BLOCK_ROWS;
    const size_t end = s->ds->n - begin < BLOCK_ROWS ? s->ds->n : begin + BLOCK_ROWS;
    for (size_t row = begin; row < end; row++)
        scan_row(s, &s->block[task], row, s->row + thread * s->ds->d);
    return EB_OK;
}

static void combine(const scan *s, size_t blocks, eb_rounded *out)
{
    for (size_t k = 0; k < blocks; k++) {
        const eb_rounded *b = &s->block[k];
        if (out->overflow == 0) {
            out->overflow_row = b->overflow_row;
            out->overflow_column = b->overflow_column;
        }
        out->overflow += b->overflow;
        out->subnormal += b->subnormal;
        out->inexact += b->inexact;
        out->moved_mean += b->moved_mean;
        out->moved_most = fmax(out->moved_most, b->moved_most);
        out->moved += b->moved;
    }
    out->moved_mean /= (double)s->ds->n;
}

eb_code eb_rounding_find(const eb_rounding *rounding, const eb_dataset *ds, double far, unsigned threads, eb_job *job,
                         eb_rounded *out, eb_status *status)
{
    const size_t blocks = (ds->n + BLOCK_ROWS - 1) / BLOCK_ROWS;
    scan s = {.rounding = rounding,
              .ds = ds,
              .far = far,
              .block = calloc(blocks, sizeof *s.block),
              .row = malloc(threads * ds->d * sizeof *s.row)};
    const eb_code failed = s.block && s.row
                               ? eb_parallel(threads, blocks, scan_block, &s, job, status)
                               : eb_fail_memory(status, "rounding the points", threads * ds->d * sizeof *s.row);
    *out = (eb_rounded){0};
    if (!failed)
        combine(&s, blocks, out);
    free(s.block);
    free(s.row);
    return failed;
}

bool eb_rounds_nothing(const eb_rounding *rounding, const eb_rounded *rounded, const eb_dataset_stats *stats)
{
    return stats->integral && rounded->overflow == 0 && rounded->inexact == 0 &&
           2 * stats->norm_max * stats->norm_max < rounding->exact_sums;
}
