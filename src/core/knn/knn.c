#include "core/knn/knn.h"

#include <math.h>
#include <stdlib.h>

#define BATCH_BYTES ((size_t)64 << 20)

/* ---- with the engine's own search ---- */

/* `most` queries at a time; rows and far have room for their answers. */
static eb_code ask_batches(const eb_opened *opened, size_t most, uint32_t *rows, double *far, eb_knn *out,
                           eb_status *status)
{
    const eb_nearest_question question = {.k = out->k};
    for (size_t first = 0; first < out->queries; first += most) {
        const size_t count = out->queries - first < most ? out->queries - first : most;
        EB_TRY(eb_ask_nearest(opened, &question, first, count, rows, far, status));
        for (size_t at = 0; at < count * out->k; at++)
            out->near[first * out->k + at] =
                isinf(far[at]) ? (eb_near_row){(double)INFINITY, EB_NO_POINT} : (eb_near_row){far[at], rows[at]};
    }
    return EB_OK;
}

static eb_code find_by_engine(const eb_knn_request *request, eb_job *job, eb_knn *out, eb_status *status)
{
    const eb_problem problem = {.left = request->queries, .right = request->base};
    const size_t fit = BATCH_BYTES / (out->k * (sizeof(uint32_t) + sizeof(double)));
    const size_t most = fit < 1 ? 1 : fit < out->queries ? fit : out->queries;
    eb_opened opened;
    EB_TRY(eb_problem_open(request->setup, &problem, job, &opened, status));
    uint32_t *rows = malloc(most * out->k * sizeof *rows);
    double *far = malloc(most * out->k * sizeof *far);
    out->near = malloc(out->queries * out->k * sizeof *out->near);
    eb_job_phase(job, "nearest", out->queries);
    const eb_code failed = rows && far && out->near
                               ? ask_batches(&opened, most, rows, far, out, status)
                               : eb_fail_memory(status, "the nearest", out->queries * out->k * sizeof *out->near);
    eb_knn_close(out, &opened);
    free(rows);
    free(far);
    out->effort.rounds = 1;
    return failed;
}

/* ---- the search ---- */

static void count_lacking(eb_knn *out)
{
    out->least = out->k;
    for (size_t q = 0; q < out->queries; q++) {
        size_t found = out->k;
        while (found > 0 && out->near[q * out->k + found - 1].row == EB_NO_POINT)
            found--;
        out->lacking += found < out->k;
        out->least = found < out->least ? found : out->least;
    }
}

/* An engine has one answer for both ends of a self-join's pair, which may differ from what its search finds from either
 * end. So only queries that are a set of their own use `nearest`; all others are joined. */
eb_code eb_knn_find(const eb_knn_request *request, eb_job *job, eb_knn *out, eb_status *status)
{
    *out = (eb_knn){.k = request->k};
    EB_TRY(eb_knn_check(request, status));
    out->queries = eb_knn_queries(request);
    const bool searches = request->queries && request->setup->run->nearest && !request->reach;
    const eb_code failed = (searches ? find_by_engine : eb_knn_by_joins)(request, job, out, status);
    if (failed)
        eb_knn_free(out);
    else if (!request->reach)
        count_lacking(out);
    return failed;
}

void eb_knn_free(eb_knn *nearest)
{
    free(nearest->near);
    free(nearest->reach);
    *nearest = (eb_knn){.near = NULL};
}
