/* heaps: puts the pairs of a join into the heaps of the queries that they belong to.
 *
 * Left points have places. In a self-join the places [0, asking) are queries, in the order in which they are asked; all
 * other base points follow. With two sets all left points are queries. Heaps hold s, because every problem opened has
 * the same scaling. Pairs whose distance FP64 cannot hold (∞, NaN) are dropped.
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
    uint32_t *count;             /* [queries] entries of each heap */
    _Atomic double *bound;       /* [queries] a larger s changes nothing; −∞: the query is finished */
    _Atomic unsigned char *busy; /* [queries] lock of the heap */
    const unsigned char *nobody; /* [base] 1: the row is never a neighbour; NULL: every row may be one */
    _Atomic uint64_t pairs;      /* pairs received */

    /* the problem opened now */
    const uint32_t *query; /* [asking] query at each place */
    size_t asking;
    const uint32_t *row; /* base row at each place of a reordered self-join; NULL: right point j is row j */
    size_t view;         /* place of the opened self-join's first point */
    size_t begin, end;   /* places of the group asked now */
    bool both;           /* self-join: the other end of a pair may be a query not asked yet */
    int exponent;        /* of the scaling */
    double unit, most;   /* of the scaling; s of the largest distance */
} eb_heaps;

/* Room for the k nearest of queries, 1 or more, in whole large pages where they are worth it. The caller frees it with
 * free(). NULL: out of memory. */
eb_near_row *eb_near_room(size_t queries, size_t k);

eb_code eb_heaps_new(const eb_knn_request *request, eb_heaps *out, eb_status *status);
void eb_heaps_free(eb_heaps *heaps); /* frees what *heaps holds, `near` included */

/* Opens a problem, with its scaling for the heaps. */
eb_code eb_heaps_open(eb_heaps *heaps, const eb_dataset *left, const eb_dataset *right, eb_job *job, eb_opened *out,
                      eb_status *status);

/* Empties the query's heap, to ask it again. */
void eb_heaps_reset(eb_heaps *heaps, uint32_t query);

/* Callbacks of eb_streaming; context: eb_heaps. */
eb_code eb_heaps_hits(void *context, unsigned thread, const eb_share *share, const eb_hit *hits, size_t count,
                      eb_status *status);
eb_code eb_heaps_row(void *context, unsigned thread, const eb_streamed_row *row, eb_status *status);

/* Turns heaps of s into distances in order, filled up with EB_NO_POINT at infinity. Afterwards they are not heaps. */
eb_code eb_heaps_sort(eb_heaps *heaps, unsigned threads, eb_job *job, eb_status *status);

/* out: [queries] smallest ε that includes the query's k nearest by the pair test; that of s = ∞ if its heap is not
 * full.
 */
eb_code eb_heaps_reach(const eb_heaps *heaps, unsigned threads, double *out, eb_job *job, eb_status *status);

/* Marks the query as finished: later pairs are dropped. */
void eb_heaps_end(eb_heaps *heaps, uint32_t query);
bool eb_heaps_ended(const eb_heaps *heaps, uint32_t query);

/* Offers all of a query's distances and finishes the query. s: [columns], as from eb_ask_distances. */
void eb_heaps_all(eb_heaps *heaps, uint32_t query, const double *s, size_t columns);
