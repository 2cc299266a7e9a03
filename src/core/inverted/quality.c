#include "core/inverted/quality.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/parallel.h"
#include "core/tune/order_statistic.h"

/* Sums of one list, so that the result does not depend on the order of threads. */
typedef struct list_sums {
    double residual, lost;
} list_sums;

typedef struct looking {
    const eb_inverted_file *file;
    const eb_dataset *points;
    list_sums *sums; /* [nlist] */
    eb_job *job;
} looking;

/* Squared residual and loss of the point at a place of a list. x: [d], in the file's form. */
static list_sums look_at(const looking *q, size_t list, size_t place, const float *x)
{
    const eb_inverted_file *f = q->file;
    const uint8_t *codes = eb_block_codes(f, f->blocks[list] + place / EB_LIST_BLOCK) + place % EB_LIST_BLOCK;
    list_sums s = {0, 0};
    for (size_t k = 0; k < f->d; k++) {
        const size_t j = k / f->piece;
        const float *entry = f->books + (j * EB_BOOK_ENTRIES + codes[j * EB_LIST_BLOCK]) * f->piece;
        const double residual = (double)x[k] - (double)f->centroids[list * f->d + k],
                     lost = residual - (double)entry[k % f->piece];
        s.residual += residual * residual;
        s.lost += lost * lost;
    }
    return s;
}

static eb_code look_at_list(void *context, uint64_t list, unsigned thread, eb_status *status)
{
    const looking *q = context;
    const eb_inverted_file *f = q->file;
    double *wide = malloc(f->d * sizeof *wide);
    float *x = malloc(f->d * sizeof *x);
    eb_code failed = wide && x ? EB_OK : eb_fail_memory(status, "a point", f->d * (sizeof *wide + sizeof *x));
    (void)thread;
    for (size_t p = 0; p < f->count[list] && !failed; p++) {
        eb_inverted_row(f, q->points, f->row[f->blocks[list] * EB_LIST_BLOCK + p], wide, x);
        const list_sums one = look_at(q, list, p, x);
        q->sums[list].residual += one.residual;
        q->sums[list].lost += one.lost;
    }
    free(wide);
    free(x);
    eb_job_advance(q->job, 1);
    return failed;
}

static eb_code measure_lists(const eb_inverted_file *f, eb_inverted_quality *out, eb_status *status)
{
    const size_t nlist = f->shape.nlist;
    uint32_t *size = malloc(nlist * sizeof *size);
    if (!size)
        return eb_fail_memory(status, "the lists' sizes", nlist * sizeof *size);
    memcpy(size, f->count, nlist * sizeof *size);
    qsort(size, nlist, sizeof *size, eb_compare_u32);
    double squares = 0;
    for (size_t l = 0; l < nlist; l++) {
        squares += (double)size[l] * (double)size[l];
        out->empty += size[l] == 0;
    }
    out->least = size[0];
    out->median = size[nlist / 2];
    out->most = size[nlist - 1];
    out->imbalance = (double)nlist * squares / ((double)f->n * (double)f->n);
    free(size);
    return EB_OK;
}

eb_code eb_inverted_quality_of(const eb_inverted_file *f, const eb_dataset *points, unsigned threads, eb_job *job,
                               eb_inverted_quality *out, eb_status *status)
{
    const size_t nlist = f->shape.nlist;
    looking q = {f, points, calloc(nlist, sizeof *q.sums), job};
    *out = (eb_inverted_quality){0};
    if (!q.sums)
        return eb_fail_memory(status, "the lists' sums", nlist * sizeof *q.sums);
    eb_code failed = measure_lists(f, out, status);
    if (!failed)
        failed = eb_parallel(threads, nlist, look_at_list, &q, job, status);
    const double unit = ldexp(1, -2 * f->exponent) / (double)f->n;
    for (size_t l = 0; l < nlist; l++) {
        out->residual += q.sums[l].residual * unit;
        out->lost += q.sums[l].lost * unit;
    }
    free(q.sums);
    return failed;
}
