#include "core/knn/request.h"
#include "core/base/random.h"
#include <stdlib.h>

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
        return EB_NO_POINT;
    return request->rows ? request->rows[query] : query;
}

eb_code eb_knn_check(const eb_knn_request *request, eb_status *status)
{
    const size_t others = eb_knn_others(request), queries = eb_knn_queries(request);
    if (queries >= 1 && request->k >= 1 && request->k <= others && others <= EB_MAX_POINTS)
        return EB_OK;
    return eb_fail(status, EB_USAGE, "k = %zu is too large: each of %zu queries has only %zu possible neighbours",
                   request->k, queries, others);
}

/* ---- drawing queries ---- */

/* Shuffles only the first `queries` places. */
eb_code eb_knn_draw(size_t n, size_t queries, uint64_t seed, uint32_t *rows, eb_status *status)
{
    unsigned char *drawn = calloc(n ? n : 1, 1);
    if (!drawn)
        return eb_fail_memory(status, "queries", n);
    for (size_t i = 0; i < n; i++)
        rows[i] = (uint32_t)i;
    for (size_t i = 0; i < queries && i < n; i++) {
        const size_t at = i + eb_random_below(&seed, n - i);
        const uint32_t row = rows[at];
        rows[at] = rows[i];
        rows[i] = row;
        drawn[row] = 1;
    }
    size_t query = 0, other = queries;
    for (size_t i = 0; i < n; i++)
        rows[drawn[i] ? query++ : other++] = (uint32_t)i;
    free(drawn);
    return EB_OK;
}

void eb_knn_close(eb_knn *out, eb_opened *opened)
{
    eb_problem_close(opened);
    for (size_t k = 0; k < opened->figures.count; k++)
        if (opened->figures.figure[k].role == EB_FIGURE_PART)
            eb_figures_add(&out->figures, &opened->figures.figure[k], opened->figures.figure[k].value);
}
