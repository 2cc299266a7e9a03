/* dbscan: DBSCAN's labels at one ε, from the pairs as they stream.
 *
 * Numbered as scikit-learn numbers them: clusters by their first core point; a point that is not core goes to the first
 * of the clusters that have a core point within ε of it. So labels are the same to the point, whatever order the pairs
 * came in. Two passes (density.h says what each is for). Kept are 28 bytes a point, and of points that are not core
 * their core neighbours: fewer than min_points each.
 */
#pragma once

#include "core/engine/problem.h"

#define EB_NOISE (-1) /* a label */

typedef struct eb_dbscan {
    size_t n, min_points;
    double eps;
    int32_t *label;       /* [n] from 0; EB_NOISE */
    uint32_t *neighbours; /* [n] other points within ε */
    size_t clusters, core, border, noise;
    uint64_t pairs;  /* |R| */
    unsigned passes; /* joins it took */
} eb_dbscan;

static inline bool eb_dbscan_is_core(const eb_dbscan *found, size_t i)
{
    return (size_t)found->neighbours[i] + 1 >= found->min_points;
}

/* memory_limit: bytes for what is kept, 0: none; EB_NO_MEMORY with a sentence beyond it. The caller frees what *out
 * holds. */
eb_code eb_dbscan_find(eb_opened *opened, double eps, size_t min_points, uint64_t memory_limit, eb_dbscan *out,
                       eb_status *status);
void eb_dbscan_free(eb_dbscan *found);

/* How many other points each has within ε, alone, in one pass: [n]. */
eb_code eb_neighbour_counts(eb_opened *opened, double eps, uint32_t *counts, eb_status *status);
