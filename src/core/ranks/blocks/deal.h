/* deal: which pairs of blocks each rank joins, where rank r of P has block r, a range of rows.
 *
 * A self-join, in steps δ = 0 … ⌊P/2⌋: rank r joins its block with itself, then with block (r + δ) mod P. For even P,
 * two ranks meet in the last step: the one with the smaller number joins the first half of its block with the other's,
 * and the other one joins the second half. So no pair is joined twice, and all ranks join equally many.
 *
 * Two sets, in steps δ = 0 … P − 1: rank r joins its block of the left points with block (r + δ) mod P of the right.
 *
 * For a share of the rows, a step joins the rectangles of those pairs that have an end in them. It is a question of
 * arithmetic only, so each rank knows what the others need of its block.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct eb_rows {
    size_t begin, end; /* numbers in the whole set */
} eb_rows;

typedef struct eb_deal {
    size_t n, others; /* left points, right points */
    bool self;
    size_t row_begin, row_end; /* the share */
    unsigned ranks;
} eb_deal;

/* Left rows against right rows, all pairs once. */
typedef struct eb_rectangle {
    eb_rows left, right; /* left: of the rank's block; right: of the other's */
    unsigned ends;       /* of a pair in the share's rows: 1 or 2; two sets: 1 */
    bool turned;         /* the only end in the share's rows is the right one */
} eb_rectangle;

enum { EB_MOST_RECTANGLES = 5 };

typedef struct eb_deal_step {
    unsigned other; /* whose block */
    eb_rows needed; /* rows of it; empty: none */
    size_t count;
    eb_rectangle rectangle[EB_MOST_RECTANGLES];
} eb_deal_step;

static inline bool eb_rows_empty(eb_rows rows) { return rows.begin >= rows.end; }

eb_rows eb_block_of(size_t n, unsigned rank, unsigned ranks);

unsigned eb_deal_steps(const eb_deal *deal);

/* Step 0 of a self-join, the rank's block with itself, is no rectangle: count = 0. */
void eb_deal_at(const eb_deal *deal, unsigned rank, unsigned step, eb_deal_step *out);

/* The number of other ranks that need rows of the rank's block. */
unsigned eb_deal_takers(const eb_deal *deal, unsigned rank);
