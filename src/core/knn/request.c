#include "core/knn/request.h"

size_t eb_knn_queries(const eb_knn_request *request)
{
    if (request->queries)
        return request->queries->n;
    return request->rows ? request->count : request->base->n;
}

size_t eb_knn_others(const eb_knn_request *request)
{
    const size_t n = request->base->n;
    if (request->queries)
        return n;
    return n - (request->taken_out ? request->taken_out : 1);
}

uint32_t eb_knn_query_row(const eb_knn_request *request, uint32_t query)
{
    if (request->queries)
        return UINT32_MAX;
    return request->rows ? request->rows[query] : query;
}

eb_code eb_knn_check(const eb_knn_request *request, eb_status *status)
{
    const size_t others = eb_knn_others(request), queries = eb_knn_queries(request);
    if (queries >= 1 && request->k >= 1 && request->k <= others && others <= EB_MAX_POINTS)
        return EB_OK;
    return eb_fail(status, EB_USAGE, "k = %zu nearest are too many: each of %zu queries has %zu points for neighbours",
                   request->k, queries, others);
}
