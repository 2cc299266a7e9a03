/* request: what is asked of a search for neighbours, and what it answers (knn.h). */
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
        *queries;         /* a set of their own, of base's d and type; NULL: rows of base, none its own neighbour */
    const uint32_t *rows; /* [count] of base, distinct: the queries; NULL: all of base, or of `queries` */
    size_t count;         /* of rows */
    size_t taken_out;     /* so many of `rows`, count or more, are nobody's neighbours; 0: none is */
    size_t k;
    uint64_t seed; /* of the sample: how long it takes depends on it, the answer does not */
} eb_knn_request;

/* How it went. */
typedef struct eb_knn_effort {
    unsigned rounds, joins; /* asking, once and again; groups asked for */
    size_t measured;        /* queries whose distances to all points were computed */
    uint64_t pairs;         /* within the radii, as they came */
    double guess_s, measure_s, join_s;
} eb_knn_effort;

typedef struct eb_knn {
    size_t queries, k;
    eb_near_row *near; /* [queries × k] nearest first; far: the distance, in the points' own unit; row: of base. Behind
                        * the last that was found far is ∞ and row EB_NO_POINT */
    size_t lacking, least; /* queries with fewer than k neighbours; how many each has at least */
    eb_knn_effort effort;
    eb_figures figures; /* of all that was opened */
} eb_knn;

/* EB_USAGE, as eb_knn_find. */
eb_code eb_knn_check(const eb_knn_request *request, eb_status *status);

/* Closes it; what it took is added to the answer's figures. */
void eb_knn_close(eb_knn *out, eb_opened *opened);

/* How many queries a request has, and how many points each may have for neighbours. */
size_t eb_knn_queries(const eb_knn_request *request);
size_t eb_knn_others(const eb_knn_request *request);

/* The base row that a query is; EB_NO_POINT: none. */
uint32_t eb_knn_query_row(const eb_knn_request *request, uint32_t query);

/* rows: [n] out: so many drawn without favour, then all others, each part ascending. The same seed, the same rows. */
eb_code eb_knn_draw(size_t n, size_t queries, uint64_t seed, uint32_t *rows, eb_status *status);
