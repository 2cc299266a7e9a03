#include "core/engine/bins.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/parallel.h"
#include "core/engine/problem.h"

#define BATCH_BYTES ((size_t)64 << 20)

eb_code eb_bins_make(size_t queries, uint32_t low, uint32_t high, eb_bins *out, eb_status *status)
{
    *out = (eb_bins){.queries = queries, .low = low, .high = high};
    size_t counts = queries * eb_bins_width(out);
    out->zeros = calloc(queries ? queries : 1, sizeof *out->zeros);
    out->count = counts ? calloc(counts, sizeof *out->count) : NULL;
    if (out->zeros && (out->count || counts == 0))
        return EB_OK;
    eb_bins_free(out);
    return eb_fail_memory(status, "the queries' bins", (queries + counts) * sizeof *out->count);
}

void eb_bins_free(eb_bins *bins)
{
    free(bins->zeros);
    free(bins->count);
    *bins = (eb_bins){.low = 1};
}

/* ---- of an engine that counts none itself ---- */

/* One query's, over all bins there are: what no distance falls into is never touched. */
typedef struct counted {
    uint32_t *count; /* [EB_BINS] */
    uint32_t low, high, zeros;
} counted;

typedef struct counting {
    const double *s; /* [queries][n] */
    size_t n;
    const uint32_t *self; /* [queries] left out; NULL: nobody */
    counted *query;
} counting;

static void leave_out(double s, counted *q)
{
    if (s > 0 && !isinf(s))
        q->count[eb_bin_of(s)]--;
    else
        q->zeros -= s <= 0;
}

static eb_code count_query(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    (void)status;
    const counting *c = context;
    const double *s = c->s + task * c->n;
    counted *q = &c->query[task];
    uint32_t zeros = 0, low = EB_BINS, high = 0;
    for (size_t j = 0; j < c->n; j++) {
        if (s[j] > 0 && !isinf(s[j])) {
            uint32_t bin = eb_bin_of(s[j]);
            q->count[bin]++;
            low = bin < low ? bin : low;
            high = bin > high ? bin : high;
        } else {
            zeros += s[j] <= 0;
        }
    }
    q->low = low;
    q->high = high;
    q->zeros = zeros;
    if (c->self)
        leave_out(s[c->self[task]], q);
    return EB_OK;
}

static eb_code count_all(const eb_opened *opened, const uint32_t *rows, size_t m, counted *query, eb_status *status)
{
    size_t n = opened->problem.right->n, bytes = n * sizeof(double);
    size_t fitting = bytes < BATCH_BYTES ? BATCH_BYTES / bytes : 1, batch = fitting < m ? fitting : m;
    double *s = calloc(batch ? batch : 1, bytes);
    if (!s)
        return eb_fail_memory(status, "the queries' distances", batch * bytes);
    eb_code failed = EB_OK;
    for (size_t first = 0; first < m && !failed; first += batch) {
        size_t queries = m - first < batch ? m - first : batch;
        counting c = {s, n, eb_is_self_join(&opened->problem) ? rows + first : NULL, query + first};
        failed = eb_ask_distances(opened, rows + first, queries, s, status);
        if (!failed)
            failed = eb_parallel(opened->context.threads, queries, count_query, &c, opened->context.job, status);
    }
    free(s);
    return failed;
}

static eb_code gather(const counted *query, size_t m, eb_bins *out, eb_status *status)
{
    uint32_t low = EB_BINS, high = 0;
    for (size_t q = 0; q < m; q++) {
        low = query[q].low < low ? query[q].low : low;
        high = query[q].high > high ? query[q].high : high;
    }
    EB_TRY(eb_bins_make(m, low, high, out, status));
    size_t width = eb_bins_width(out);
    for (size_t q = 0; q < m; q++) {
        out->zeros[q] = query[q].zeros;
        if (out->count)
            memcpy(out->count + q * width, query[q].count + low, width * sizeof *out->count);
    }
    return EB_OK;
}

static eb_code bins_of_distances(const eb_opened *opened, const uint32_t *rows, size_t m, eb_bins *out,
                                 eb_status *status)
{
    counted *query = calloc(m ? m : 1, sizeof *query);
    uint32_t *count = calloc(m ? m : 1, EB_BINS * sizeof *count);
    eb_code failed;
    if (query && count) {
        for (size_t q = 0; q < m; q++)
            query[q].count = count + q * EB_BINS;
        failed = count_all(opened, rows, m, query, status);
        if (!failed)
            failed = gather(query, m, out, status);
    } else {
        failed = eb_fail_memory(status, "the queries' bins", m * EB_BINS * sizeof *count);
    }
    free(query);
    free(count);
    return failed;
}

eb_code eb_ask_bins(const eb_opened *opened, const uint32_t *rows, size_t m, eb_bins *out, eb_status *status)
{
    *out = (eb_bins){.low = 1};
    eb_code failed = opened->setup->run->bins ? opened->setup->run->bins(opened->state, rows, m, out, status)
                                              : bins_of_distances(opened, rows, m, out, status);
    if (failed)
        eb_bins_free(out);
    return failed;
}
