/* heaps: pairs of a join on their way into the heaps of the queries that they are near to.
 *
 * Left points stand at places. Of a self-join the places [0, asking) are queries, in the order in which they are asked;
 * behind them stand all other base points. Of two sets all left points are queries. Heaps hold s: what is opened has
 * the same scaling each time. A pair counts where its distance is one that FP64 holds; ∞ and NaN are none.
 */
#pragma once

#include <stdatomic.h>

#include "core/join/streaming.h"
#include "core/knn/best.h"
#include "core/knn/request.h"

typedef struct eb_heaps {
    const eb_knn_request *request;
    size_t k;
    eb_near_row *near;           /* [queries × k] heaps, by s */
    uint32_t *count;             /* [queries] of their entries */
    _Atomic double *bound;       /* [queries] a greater s cannot be among the nearest; −∞: all are found */
    _Atomic unsigned char *busy; /* [queries] somebody is at the heap */
    const unsigned char *nobody; /* [base] rows that are nobody's neighbours; NULL: none */
    _Atomic uint64_t pairs;      /* that came */

    /* Of what is opened now. */
    const uint32_t *query; /* [asking] by place */
    size_t asking;
    const uint32_t *row; /* base row by place, of a self-join in another order; NULL: right point j is row j */
    size_t view;         /* the place where the opened self-join begins */
    size_t begin, end;   /* places of the group that is asked for */
    bool both;           /* of a self-join: the other end may be a query that is not asked yet */
    double unit, most;   /* of the scaling; s of the longest distance */
} eb_heaps;

eb_code eb_heaps_new(const eb_knn_request *request, eb_heaps *out, eb_status *status);
void eb_heaps_free(eb_heaps *heaps); /* frees what it holds; near too */

/* The query begins anew. */
void eb_heaps_reset(eb_heaps *heaps, uint32_t query);

/* eb_streaming's; context: eb_heaps. */
eb_code eb_heaps_hits(void *context, unsigned thread, const eb_share *share, const eb_hit *hits, size_t count,
                      eb_status *status);
eb_code eb_heaps_row(void *context, unsigned thread, const eb_streamed_row *row, eb_status *status);

/* From heaps of s to distances in order; EB_NO_POINT at infinity behind them. No heaps any more. */
eb_code eb_heaps_sort(eb_heaps *heaps, unsigned threads, eb_job *job, eb_status *status);

/* A query's nearest are found: pairs that come later are not looked at. */
void eb_heaps_end(eb_heaps *heaps, uint32_t query);
bool eb_heaps_ended(const eb_heaps *heaps, uint32_t query);

/* All of a query's distances: s [columns], as eb_ask_distances gives them. The query has ended then. */
void eb_heaps_all(eb_heaps *heaps, uint32_t query, const double *s, size_t columns);
