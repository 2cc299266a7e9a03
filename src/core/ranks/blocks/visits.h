/* visits: one question taken through the problems of a rank that holds a block: its block with itself, and its block
 * with each other one that its deal names (deal.h). A problem is open only while it is asked; meanwhile the next block
 * comes (post.h). For blocks.c.
 */
#pragma once

#include "core/engine/problem.h"
#include "core/ranks/blocks/post.h"
#include "core/ranks/part.h"
#include "core/ranks/points.h"

/* The most bytes of points that one rank has held, as stored; "held_bytes" */
extern const eb_figure eb_figure_held;

typedef struct eb_blocks_request {
    const eb_setup *setup;
    eb_problem problem; /* all points; in ranks other than 0 without rows */
    eb_dataset left, right;
    eb_post *post;
    eb_held_points *held; /* what the rank holds; NULL: the blocks alone */
} eb_blocks_request;

/* The state of the engine that blocks.h opens. */
typedef struct eb_blocks {
    eb_implementation run;
    eb_blocks_request request;
    const eb_opened *opened; /* its context has the caller's job and figures */
    eb_rows own;             /* rows of the left block */
    uint64_t number;         /* of the question */
    char description[EB_DESCRIBED];
} eb_blocks;

typedef struct eb_visits {
    eb_blocks *b;
    eb_deal deal;
    unsigned part, parts; /* of each problem */
    double waited_s;      /* for blocks */

    /* Asks one problem. of: the rectangle that it is; NULL: the rank's block with itself. */
    eb_code (*visit)(struct eb_visits *v, const eb_opened *opened, const eb_share *share, const eb_rectangle *of,
                     eb_status *status);
    void *answer; /* the visit's */
} eb_visits;

static inline unsigned eb_blocks_rank(const eb_blocks *b) { return b->request.post->transport->rank; }
static inline unsigned eb_blocks_ranks(const eb_blocks *b) { return b->request.post->transport->ranks; }

/* Of a row without a gap behind it. */
static inline size_t eb_row_bytes(const eb_dataset *points) { return points->d * eb_dtype_size(points->dtype); }

/* Rows first, … of the points. */
eb_dataset eb_blocks_slice(const eb_dataset *of, size_t first, size_t n);

/* For the share, with visit and answer set. */
eb_code eb_visit_all(eb_blocks *b, const eb_share *share, eb_visits *v, eb_status *status);

/* One problem for rows of its left set: opened, visited and closed, its figures added to the caller's. */
eb_code eb_visit_problem(eb_visits *v, const eb_problem *problem, eb_rows rows, const eb_rectangle *of,
                         eb_status *status);
