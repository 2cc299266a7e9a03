#include "core/data/dataset_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/data/scaling.h"

#define BLOCK_ROWS 256u

typedef struct scan {
    const eb_dataset *ds;
    eb_dataset_stats *block; /* of each block of rows; the means are sums */
    double *buffer;          /* [threads][d] */
} scan;

static const eb_dataset_stats no_values = {.min = INFINITY, .max = -INFINITY, .norm_min = INFINITY, .integral = true};

static void scan_row(const scan *s, eb_dataset_stats *b, size_t row, double *x)
{
    const eb_dataset *ds = s->ds;
    eb_to_f64(ds->dtype, eb_row(ds, row), ds->d, x);
    double norm = eb_length(x, ds->d);
    for (size_t k = 0; k < ds->d; k++) {
        double v = x[k];
        b->min = fmin(b->min, v);
        b->max = fmax(b->max, v);
        b->mean += v;
        b->zeros += v == 0;
        b->integral = b->integral && v == rint(v);
    }
    b->norm_min = fmin(b->norm_min, norm);
    b->norm_max = fmax(b->norm_max, norm);
    b->norm_mean += norm;
}

static eb_code scan_block(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const scan *s = context;
    eb_dataset_stats *b = &s->block[task];
    *b = no_values;
    size_t begin = (size_t)task * BLOCK_ROWS;
    size_t end = begin + BLOCK_ROWS < s->ds->n ? begin + BLOCK_ROWS : s->ds->n;
    for (size_t row = begin; row < end; row++)
        scan_row(s, b, row, s->buffer + thread * s->ds->d);
    return EB_OK;
}

/* Combines the blocks in order, so that the result does not depend on the number of threads. */
static void combine(const scan *s, size_t blocks, eb_dataset_stats *out)
{
    *out = no_values;
    for (size_t k = 0; k < blocks; k++) {
        const eb_dataset_stats *b = &s->block[k];
        out->min = fmin(out->min, b->min);
        out->max = fmax(out->max, b->max);
        out->norm_min = fmin(out->norm_min, b->norm_min);
        out->norm_max = fmax(out->norm_max, b->norm_max);
        out->zeros += b->zeros;
        out->mean += b->mean;
        out->norm_mean += b->norm_mean;
        out->integral = out->integral && b->integral;
    }
    out->mean /= (double)s->ds->n * (double)s->ds->d;
    out->norm_mean /= (double)s->ds->n;
}

eb_code eb_dataset_stats_compute(const eb_dataset *ds, uint64_t room, unsigned threads, eb_job *job,
                                 eb_dataset_stats *out, eb_status *status)
{
    const size_t blocks = (ds->n + BLOCK_ROWS - 1) / BLOCK_ROWS;
    scan s = {
        .ds = ds,
        .block = calloc(blocks, sizeof *s.block),
        .buffer = calloc((size_t)threads * ds->d, sizeof *s.buffer),
    };
    eb_code failed = s.block && s.buffer ? eb_parallel(threads, blocks, scan_block, &s, job, status)
                                         : eb_fail_memory(status, "the dataset's statistics", blocks * sizeof *s.block);
    if (!failed)
        combine(&s, blocks, out);
    free(s.block);
    free(s.buffer);
    return failed ? failed : eb_count_duplicates(ds, room, threads, job, &out->duplicate_rows, status);
}

/* ---- the histogram of values ---- */

#define PIECE 1024u /* values converted at a time, few enough for the cache */

typedef struct binning {
    const eb_dataset *ds;
    size_t bins;
    double origin, scale; /* bin = (x/2 − origin) · scale; differences of halved values do not overflow */
    uint64_t (*count)[EB_VALUE_BINS]; /* [threads] */
} binning;

static void count_values(const binning *b, const double *x, size_t count, uint64_t *bin)
{
    double last = (double)(b->bins - 1);
    for (size_t k = 0; k < count; k++) {
        double at = (x[k] / 2 - b->origin) * b->scale;
        at = at > 0 ? at : 0; /* a comparison, because fmin and fmax are function calls */
        bin[(int32_t)(at < last ? at : last)]++;
    }
}

static eb_code count_block(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const binning *b = context;
    const eb_dataset *ds = b->ds;
    double x[PIECE];
    size_t begin = (size_t)task * BLOCK_ROWS, size = eb_dtype_size(ds->dtype);
    size_t end = ds->n - begin < BLOCK_ROWS ? ds->n : begin + BLOCK_ROWS;
    for (size_t i = begin; i < end; i++)
        for (size_t k = 0; k < ds->d; k += PIECE) {
            size_t count = ds->d - k < PIECE ? ds->d - k : PIECE;
            eb_to_f64(ds->dtype, eb_row(ds, i) + k * size, count, x);
            count_values(b, x, count, b->count[thread]);
        }
    return EB_OK;
}

/* Bins of whole numbers: each holds equally many numbers and begins 0.5 below the first. The last may end above max. */
static void whole_bins(double min, double max, binning *b, eb_value_histogram *out)
{
    double numbers = max - min + 1, each = ceil(numbers / EB_VALUE_BINS);
    out->bins = b->bins = (size_t)ceil(numbers / each);
    b->origin = (min - 0.5) / 2;
    b->scale = 2 / each;
    for (size_t k = 0; k < b->bins; k++)
        out->centre[k] = min + (double)k * each + (each - 1) / 2;
}

static void even_bins(double min, double max, binning *b, eb_value_histogram *out)
{
    double half_span = max / 2 - min / 2;
    bool one = !(half_span > 0) || !isfinite(EB_VALUE_BINS / half_span);
    out->bins = b->bins = one ? 1 : EB_VALUE_BINS;
    b->origin = min / 2;
    b->scale = one ? 0 : EB_VALUE_BINS / half_span;
    for (size_t k = 0; k < b->bins; k++) {
        double share = ((double)k + 0.5) / (double)b->bins;
        out->centre[k] = min * (1 - share) + max * share;
    }
}

eb_code eb_value_histogram_compute(const eb_dataset *ds, double min, double max, unsigned threads, eb_job *job,
                                   eb_value_histogram *out, eb_status *status)
{
    binning b = {.ds = ds};
    *out = (eb_value_histogram){.bins = 0};
    if (eb_dtype_is_float(ds->dtype))
        even_bins(min, max, &b, out);
    else
        whole_bins(min, max, &b, out);
    b.count = calloc(threads, sizeof *b.count);
    if (!b.count)
        return eb_fail_memory(status, "the values' histogram", threads * sizeof *b.count);
    eb_code failed = eb_parallel(threads, (ds->n + BLOCK_ROWS - 1) / BLOCK_ROWS, count_block, &b, job, status);
    for (unsigned t = 0; t < threads; t++)
        for (size_t k = 0; k < b.bins; k++)
            out->count[k] += b.count[t][k];
    free(b.count);
    return failed;
}
