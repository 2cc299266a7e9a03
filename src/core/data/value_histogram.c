#include "core/data/value_histogram.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/parallel.h"

#define BLOCK_ROWS 256u
#define PIECE 1024u /* values converted at a time: they stay in the cache */

typedef struct binning {
    const eb_dataset *ds;
    size_t bins;
    double origin, scale; /* of halved values, whose differences do not overflow: bin = (x/2 − origin) · scale */
    uint64_t (*count)[EB_VALUE_BINS]; /* [threads] */
} binning;

static void count_values(const binning *b, const double *x, size_t count, uint64_t *bin)
{
    double last = (double)(b->bins - 1);
    for (size_t k = 0; k < count; k++) {
        double at = (x[k] / 2 - b->origin) * b->scale;
        at = at > 0 ? at : 0; /* comparisons, for fmin and fmax are calls */
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

/* Bins of whole numbers begin half below one and hold as many of them each; the last may reach beyond max. */
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
