/* request: the input and the result of a search for neighbours (knn.h). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"
#include "core/engine/problem.h"
#include "core/knn/best.h"

typedef struct eb_knn_request {
    const eb_setup *setup;
    const eb_dataset *base;
    const eb_dataset
        *queries;         /* a set of their own with base's d and type; NULL: rows of base, no row its own neighbour */
    const uint32_t *rows; /* [count] distinct rows of base: the queries; NULL: all of base, or of `queries` */
    size_t count;         /* of rows */
    size_t
        taken_out; /* the first `taken_out` of `rows` (count or more) are never neighbours; 0: every row may be one */
    size_t k;
    bool reach;    /* only how far each query's k-th nearest is, not which points are near */
    uint64_t seed; /* of the sample: affects the time, not the result */
} eb_knn_request;

/* Statistics of a search. */
typedef struct eb_knn_effort {
    unsigned rounds, joins; /* rounds of asking; groups joined */
    size_t measured;        /* queries whose distances to all points were computed */
    uint64_t pairs;         /* within the radii, as received */
    double guess_s, measure_s, join_s;
} eb_knn_effort;

typedef struct eb_knn {
    size_t queries, k;
    double *reach;     /* [queries] if `reach` is asked for: the smallest ε that gives the query its k nearest; that of
                          s = ∞ if it finds fewer */
    eb_near_row *near; /* otherwise [queries × k] nearest first; far: distance in the points' own unit; row: of base.
                          Unused entries have far ∞ and row EB_NO_POINT */
    size_t lacking, least; /* queries with fewer than k neighbours; fewest neighbours of a query; only with `near` */
    eb_knn_effort effort;
    eb_figures figures; /* parts of time of all problems opened */
} eb_knn;

/* Errors as in eb_knn_find. */
eb_code eb_knn_check(const eb_knn_request *request, eb_status *status);

/* Closes the problem and adds its figures to the result's. */
void eb_knn_close(eb_knn *out, eb_opened *opened);

/* Number of queries, and number of possible neighbours of each. */
size_t eb_knn_queries(const eb_knn_request *request);
size_t eb_knn_others(const eb_knn_request *request);

/* The base row of a query; EB_NO_POINT if queries are a set of their own. */
uint32_t eb_knn_query_row(const eb_knn_request *request, uint32_t query);

/* rows: [n] out: first `queries` rows drawn uniformly, then all others, each part ascending. The same seed gives the
 * same rows. */
eb_code eb_knn_draw(size_t n, size_t queries, uint64_t seed, uint32_t *rows, eb_status *status);

/* Estimates how far a query's nearest neighbours are, up to a factor that is similar for all queries: the distance to
 * the j-th nearest of a sample of the base points. Computed in FP32 on the host. Only the time of the search depends on
 * it, never the result. out[q] > 0, finite, in the points' own unit. order: [queries] all queries, the largest guess
 * first. */
eb_code eb_knn_guess(const eb_knn_request *request, unsigned threads, eb_job *job, double *out, uint32_t *order,
                     eb_status *status);
