#include "core/knn/searches.h"

#include <stdlib.h>

#include "core/base/clock.h"
#include "core/team/team.h"

/* On a CPU, engines search self-joins alone; ranks share the queries. */
static bool searches(const eb_knn_request *request)
{
    const eb_setup *setup = request->setup;
    if (!setup->run->nearest_rows)
        return false;
    return setup->device.kind == EB_DEVICE_CPU ? !request->queries && !eb_is_team(&setup->device)
                                               : eb_problem_answered_whole(setup);
}

/* [n of base] the query that each row is. */
static eb_code list_queries(const eb_knn_request *request, uint32_t **out, eb_status *status)
{
    const size_t n = request->base->n, queries = eb_knn_queries(request);
    uint32_t *query = malloc(n * sizeof *query);
    if (!query)
        return eb_fail_memory(status, "the queries", n * sizeof *query);
    for (size_t i = 0; i < n; i++)
        query[i] = EB_NO_POINT;
    for (size_t q = 0; q < queries; q++)
        query[eb_knn_query_row(request, (uint32_t)q)] = (uint32_t)q;
    *out = query;
    return EB_OK;
}

static eb_code ask(const eb_knn_request *request, const uint32_t *query, eb_heaps *heaps, eb_job *job, eb_knn *out,
                   eb_status *status)
{
    const double start = eb_now_s();
    eb_opened opened;
    EB_TRY(
        eb_heaps_open(heaps, request->queries ? request->queries : request->base, request->base, job, &opened, status));
    const eb_nearest_rows question = {.k = heaps->k,
                                      .queries = eb_knn_queries(request),
                                      .rows = request->rows,
                                      .taken = request->taken_out,
                                      .query = query,
                                      .nobody = heaps->nobody,
                                      .most = heaps->most,
                                      .near = heaps->near,
                                      .count = heaps->count};
    eb_job_phase(job, "nearest", question.queries);
    const eb_code failed = opened.run->nearest_rows /* not of ranks that hold blocks */
                               ? opened.run->nearest_rows(opened.state, &question, status)
                               : eb_fail(status, EB_NO_ENGINE, "joins are needed");
    eb_knn_close(out, &opened);
    out->effort.join_s += eb_now_s() - start;
    return failed;
}

eb_code eb_knn_by_searches(const eb_knn_request *request, eb_heaps *heaps, eb_job *job, eb_knn *out, eb_status *status)
{
    uint32_t *query = NULL;
    if (!searches(request))
        return EB_NO_ENGINE;
    if (request->setup->device.kind == EB_DEVICE_CPU)
        EB_TRY(list_queries(request, &query, status));
    const eb_code failed = ask(request, query, heaps, job, out, status);
    free(query);
    if (failed == EB_NO_ENGINE)
        for (size_t q = 0; q < eb_knn_queries(request); q++)
            eb_heaps_reset(heaps, (uint32_t)q);
    out->effort.rounds += failed == EB_OK;
    return failed;
}
