/* boxes: the truth, looked for only where it can be. Points stand in leaves of an order (core/order); a leaf is held
 * against the leaves whose boxes are within ε of its own, each of its points, a query, against those whose boxes are
 * within ε of the point, and what is left is computed by the truth's own chain.
 */
#pragma once

#include "core/engine/way.h"
#include "kernels/boxes/cpu/kernels.h"
#include "kernels/walk/collect.h"

typedef struct eb_boxes {
    eb_finder finder; /* first */
    const eb_boxes_kernels *kernels;
    eb_leaves leaves;
    char description[96];
} eb_boxes;

/* One thread's room: nobody else touches it. */
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
    uint32_t begin[EB_LEAF + 1]; /* [queries + 1] the marks of query q are [begin[q], begin[q + 1]), */
    uint32_t points[EB_LEAF];    /* [queries] and so many points are marked */
    eb_mark *marks;
} eb_leaf_marks;

/* What is looked for. */
typedef struct eb_boxes_search {
    const eb_boxes *boxes;
    double limit;
    eb_share share; /* queries are its rows; a part is leaves by turns */
    bool halves;   /* of all rows: each pair i ≠ j once, no self pairs; else every query's whole row, self included */
    bool sampled;  /* of a leaf's queries the first alone */
    bool followed; /* by the making of rows, which is the other half of the progress */
    eb_boxes_thread *threads;
} eb_boxes_search;

typedef eb_code (*eb_marks_callback)(void *context, unsigned thread, const eb_leaf_marks *found, eb_status *status);

eb_code eb_boxes_begin(const eb_boxes *boxes, double eps, const eb_share *share, eb_boxes_search *out,
                       eb_status *status);
void eb_boxes_end(eb_boxes_search *search); /* adds what the threads did to the figures */

/* All leaves of the share, on all threads. What is found lasts until callback returns. */
eb_code eb_boxes_find(const eb_boxes_search *search, eb_marks_callback callback, void *context, eb_status *status);

/* One leaf. */
eb_code eb_boxes_find_leaf(const eb_boxes_search *search, unsigned thread, uint32_t leaf, eb_leaf_marks *out,
                           eb_status *status);

/* A query's points and their s into the thread's columns and s. */
eb_code eb_boxes_take(const eb_boxes_search *search, unsigned thread, const eb_leaf_marks *found, uint32_t query,
                      eb_status *status);

static inline uint32_t eb_query_point(const eb_boxes *boxes, const eb_leaf_marks *found, uint32_t query)
{
    return boxes->leaves.point[(size_t)found->leaf * EB_LEAF + found->lane[query]];
}

/* rows.c: whole rows into a sink's places; row_write.c: the thread's row, sorted, from entry `at` of the places on. */
eb_code eb_boxes_rows(eb_boxes_search *search, const eb_sink *sink, eb_status *status);
void eb_boxes_write_row(const eb_boxes *boxes, const eb_boxes_thread *mine, size_t count, const eb_row_places *places,
                        uint64_t at);

/* cost.c: what a question takes, by a sample of the points alone, and by some leaves (way.h). */
double eb_boxes_cost(const eb_estimate *estimate, const eb_context *context);
eb_code eb_boxes_look(void *state, const eb_question *question, double *seconds, eb_status *status);

extern const eb_implementation eb_boxes_cpu;
extern const eb_way eb_way_boxes_cpu;
