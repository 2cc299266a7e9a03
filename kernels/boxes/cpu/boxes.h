/* boxes: an exact join on the CPU that computes distances only between near leaves. The points are ordered and cut into
 * leaves (core/order). For each leaf the search lists the leaves whose boxes are within ε of its own. Each point of the
 * leaf is a query. The query tests the boxes of the listed leaves. If a box is within ε of it, its distances to that
 * leaf's points are computed by the exact engine's own chain.
 */
#pragma once

#include "core/engine/way.h"
#include "kernels/boxes/cpu/kernels.h"
#include "kernels/walk/collect.h"

typedef struct eb_boxes {
    eb_finder finder; /* must be the first member */
    const eb_boxes_kernels *kernels;
    eb_leaves leaves;
    char description[96];
} eb_boxes;

/* The buffers of one thread. */
typedef struct eb_boxes_thread {
    eb_near near;
    double *query; /* [d] */
    eb_mark *marks;
    size_t mark_room;
    uint32_t *columns, *sorted_columns, *rank; /* [row_room + EB_ROW_SLACK] each */
    double *s, *sorted_s;
    void *sort_room; /* row_sort.h */
    size_t row_room;
    eb_effort effort;
} eb_boxes_thread;

/* The queries of a leaf with their marks. */
typedef struct eb_leaf_marks {
    uint32_t leaf;
    uint32_t queries;
    uint8_t lane[EB_LEAF];       /* [queries] */
    uint32_t begin[EB_LEAF + 1]; /* [queries + 1] the marks of query q are [begin[q], begin[q + 1]) */
    uint32_t points[EB_LEAF];    /* [queries] number of points marked for the query */
    eb_mark *marks;
} eb_leaf_marks;

/* One search over an opened engine. */
typedef struct eb_boxes_search {
    const eb_boxes *boxes;
    double limit;
    eb_share share; /* its rows are the queries; a part has every parts-th leaf */
    bool halves;   /* true: each pair i ≠ j once, for a share of all rows; false: whole rows, with the query itself */
    bool sampled;  /* only the first query of each leaf */
    bool followed; /* rows are made afterwards, so that the search is only half of the progress */
    eb_boxes_thread *threads;
} eb_boxes_search;

typedef eb_code (*eb_marks_callback)(void *context, unsigned thread, const eb_leaf_marks *found, eb_status *status);

eb_code eb_boxes_begin(const eb_boxes *boxes, double eps, const eb_share *share, eb_boxes_search *out,
                       eb_status *status);
void eb_boxes_end(eb_boxes_search *search); /* adds the threads' effort to the figures */

/* Searches all leaves of the share with all threads. The marks are valid until callback returns. */
eb_code eb_boxes_find(const eb_boxes_search *search, eb_marks_callback callback, void *context, eb_status *status);

/* Searches one leaf. The marks are valid until the thread's next search. */
eb_code eb_boxes_find_leaf(const eb_boxes_search *search, unsigned thread, uint32_t leaf, eb_leaf_marks *out,
                           eb_status *status);

/* Writes a query's points and their squared distances to the thread's `columns` and `s`. */
eb_code eb_boxes_take(const eb_boxes_search *search, unsigned thread, const eb_leaf_marks *found, uint32_t query,
                      eb_status *status);

static inline uint32_t eb_query_point(const eb_boxes *boxes, const eb_leaf_marks *found, uint32_t query)
{
    return boxes->leaves.point[(size_t)found->leaf * EB_LEAF + found->lane[query]];
}

/* Writes whole rows to a sink's places (rows.c). */
eb_code eb_boxes_rows(eb_boxes_search *search, const eb_sink *sink, eb_status *status);

/* nearest_rows of eb_implementation (nearest.c). state: eb_boxes. */
eb_code eb_boxes_nearest(void *state, const eb_nearest_rows *question, eb_status *status);

/* query: [d] out, the coordinates of a leaf's point. */
static inline void eb_boxes_query(const eb_leaves *leaves, uint32_t leaf, unsigned lane, double *query)
{
    const double *values = eb_leaf_values(leaves, leaf) + lane;
    for (size_t k = 0; k < leaves->d; k++)
        query[k] = values[k * EB_LEAF];
}

extern const eb_implementation eb_boxes_cpu;
extern const eb_way eb_way_boxes_cpu;
