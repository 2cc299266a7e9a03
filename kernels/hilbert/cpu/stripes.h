/* stripes: of each block of rows, where in the columns' epsilon grid order points within ε can be.
 *
 * Of the first k dimensions each stripe has one offset −1, 0, 1 in all but the last, and takes −1 … 1 in that: the
 * cells between are one stretch of a lexicographic order. A row block's stretch is from its first point's to its last
 * one's; both grow with the row block, so that those of many row blocks together are the same two look-ups.
 */
#ifndef EB_KERNELS_HILBERT_CPU_STRIPES_H
#define EB_KERNELS_HILBERT_CPU_STRIPES_H

#include "kernels/grid_order/ranges.h"

#define EB_STRIPED 4 /* dimensions, at most; as published: 27 stripes, of which their self-join's triangle has 14 */

typedef struct eb_stretch {
    uint32_t begin, end; /* column blocks */
} eb_stretch;

typedef struct eb_stripes {
    size_t count, rows;  /* 3^(k−1) stripes, row blocks */
    eb_stretch *stretch; /* [count][rows] of a row block both ends not below those of the one before */
} eb_stripes;

/* Of the first `dimensions` of 1 … EB_STRIPED dimensions, or of all where there are fewer. */
eb_code eb_stripes_make(const eb_eps_grid *grid, size_t dimensions, eb_stripes *out, eb_status *status);
void eb_stripes_free(eb_stripes *stripes); /* frees what it holds */

static inline eb_stretch eb_stripe_of(const eb_stripes *stripes, size_t stripe, size_t row)
{
    return stripes->stretch[stripe * stripes->rows + row];
}

/* Whether any stripe may have a column block of b … b_end for a row block of a … a_end. */
bool eb_stripes_meet(const eb_stripes *stripes, const eb_ranges *ranges);

#endif
