#include "kernels/inverted/cpu/index.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/base/clock.h"

eb_code eb_index_request_origin(const eb_inverted_request *q, unsigned threads, eb_job *job, eb_index_origin *out,
                                eb_status *status)
{
    const eb_inverted_training training = eb_inverted_training_of(q);
    EB_TRY(eb_index_origin_of(q->points, q->rows, q->n, threads, job, out, status));
    out->shape = q->shape;
    out->rounds = training.rounds;
    out->list_sample = training.list_sample;
    out->book_sample = training.book_sample;
    out->seed = q->seed;
    return EB_OK;
}

static void tell_provenance(const eb_dataset *points, eb_index *index)
{
    const time_t now = time(NULL);
    struct tm utc;
    (void)snprintf(index->source, sizeof index->source, "%s", points->source ? points->source : "");
    if (gmtime_r(&now, &utc))
        (void)strftime(index->built, sizeof index->built, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static eb_code build_all(const eb_inverted_request *q, unsigned threads, eb_job *job, eb_inverted_file *out,
                         eb_status *status)
{
    eb_inverted_request whole = *q;
    if (q->rows)
        return eb_inverted_build(q, threads, job, out, status);
    uint32_t *rows = malloc(q->n * sizeof *rows);
    if (!rows)
        return eb_fail_memory(status, "the rows' numbers", q->n * sizeof *rows);
    for (size_t i = 0; i < q->n; i++)
        rows[i] = (uint32_t)i;
    whole.rows = rows;
    const eb_code failed = eb_inverted_build(&whole, threads, job, out, status);
    free(rows);
    return failed;
}

eb_code eb_index_check_memory(const eb_inverted_request *q, uint64_t limit, eb_status *status)
{
    const uint64_t needed = eb_inverted_build_bytes(q);
    if (limit == 0 || needed <= limit)
        return EB_OK;
    return eb_fail(status, EB_NO_MEMORY, "the index takes %.0f MB to build, the memory limit is %.0f MB",
                   (double)needed / 1e6, (double)limit / 1e6);
}

eb_code eb_index_get(const eb_inverted_request *q, uint64_t memory_limit, unsigned threads, eb_job *job,
                     eb_index_got *out, eb_status *status)
{
    eb_index made = {.holders = 0};
    *out = (eb_index_got){NULL, true};
    EB_TRY(eb_inverted_check(&q->shape, q->n, q->points->d, status));
    EB_TRY(eb_index_request_origin(q, threads, job, &made.origin, status));
    out->index = eb_index_find(&made.origin);
    if (out->index)
        return EB_OK;
    out->kept = false;
    EB_TRY(eb_index_check_memory(q, memory_limit, status));
    const double begin_s = eb_now_s();
    EB_TRY(build_all(q, threads, job, &made.file, status));
    made.build_s = eb_now_s() - begin_s;
    tell_provenance(q->points, &made);
    const eb_code failed = eb_index_keep(&made, &out->index, status);
    if (failed)
        eb_inverted_free(&made.file);
    return failed;
}
