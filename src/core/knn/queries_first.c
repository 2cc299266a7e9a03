#include "core/knn/queries_first.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"

enum { ROWS_A_TASK = 1024 };

typedef struct copying {
    const eb_dataset *from;
    const uint32_t *row; /* [n] */
    unsigned char *to;
    size_t n, bytes; /* of a row */
} copying;

static eb_code copy_rows(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const copying *c = context;
    const size_t first = (size_t)task * ROWS_A_TASK, end = c->n - first < ROWS_A_TASK ? c->n : first + ROWS_A_TASK;
    (void)thread, (void)status;
    for (size_t i = first; i < end; i++)
        memcpy(c->to + i * c->bytes, eb_row(c->from, c->row[i]), c->bytes);
    return EB_OK;
}

eb_code eb_pick_rows(const eb_dataset *from, const uint32_t *row, size_t n, unsigned threads, eb_job *job,
                     eb_dataset *out, eb_status *status)
{
    copying c = {.from = from, .row = row, .n = n, .bytes = from->d * eb_dtype_size(from->dtype)};
    c.to = malloc(n * c.bytes);
    if (!c.to)
        return eb_fail_memory(status, "points picked", n * c.bytes);
    *out = *from;
    out->n = n;
    out->rows = c.to;
    out->stride = c.bytes;
    out->sha256[0] = '\0'; /* other points: who keeps the whole set's must not take them for these */
    return eb_parallel(threads, (n + ROWS_A_TASK - 1) / ROWS_A_TASK, copy_rows, &c, job, status);
}

/* Appends all rows that are not among the first `asking` rows. */
static eb_code list_others(size_t n, size_t asking, uint32_t *row, eb_status *status)
{
    unsigned char *asks = calloc(n, 1);
    size_t at = asking;
    if (!asks)
        return eb_fail_memory(status, "the order of the points", n);
    for (size_t p = 0; p < asking; p++)
        asks[row[p]] = 1;
    for (size_t i = 0; i < n; i++)
        if (!asks[i])
            row[at++] = (uint32_t)i;
    free(asks);
    return EB_OK;
}

eb_code eb_queries_first_make(const eb_knn_request *request, bool self, const uint32_t *query, size_t asking,
                              unsigned threads, eb_job *job, eb_queries_first *out, eb_status *status)
{
    const eb_dataset *from = request->queries ? request->queries : request->base;
    const size_t n = self ? request->base->n : asking;
    uint32_t *row = calloc(n, sizeof *row);
    *out = (eb_queries_first){.self = self, .right = self ? NULL : request->base};
    if (!row)
        return eb_fail_memory(status, "the order of the points", n * sizeof *row);
    for (size_t p = 0; p < asking; p++)
        row[p] = request->queries ? query[p] : eb_knn_query_row(request, query[p]);
    eb_code failed = self ? list_others(n, asking, row, status) : EB_OK;
    if (!failed)
        failed = eb_pick_rows(from, row, n, threads, job, &out->left, status);
    if (self && !failed)
        out->row = row;
    else
        free(row);
    if (failed)
        eb_queries_first_free(out);
    return failed;
}

void eb_queries_first_free(eb_queries_first *ordered)
{
    free((void *)(uintptr_t)ordered->left.rows);
    free(ordered->row);
    *ordered = (eb_queries_first){.right = NULL};
}
