/* dbscan: DBSCAN's labels at one ε, from pairs that are not stored.
 *
 * Labels are as scikit-learn's: clusters are numbered by their first core point; a point that is not core joins the
 * first cluster with a core point within ε. So the labels are the same whatever order the pairs come in. Two passes, as
 * in density.h. Memory: 28 bytes a point, and for points that are not core their core neighbours, fewer than min_points
 * each.
 */
#pragma once

#include "core/engine/problem.h"

#define EB_NOISE (-1) /* label of noise points */

typedef struct eb_dbscan {
    size_t n, min_points;
    double eps;
    int32_t *label;       /* [n] cluster from 0, or EB_NOISE */
    uint32_t *neighbours; /* [n] other points within ε */
    size_t clusters, core, border, noise;
    uint64_t pairs;  /* |R| */
    unsigned passes; /* joins made */
} eb_dbscan;

static inline bool eb_dbscan_is_core(const eb_dbscan *found, size_t i)
{
    return (size_t)found->neighbours[i] + 1 >= found->min_points;
}

/* memory_limit: limit in bytes for the data kept, 0: no limit; EB_NO_MEMORY beyond it. The caller frees with
 * eb_dbscan_free. */
eb_code eb_dbscan_find(eb_opened *opened, double eps, size_t min_points, uint64_t memory_limit, eb_dbscan *out,
                       eb_status *status);
void eb_dbscan_free(eb_dbscan *found);

/* Only counts each point's other points within ε, in one pass: [n]. */
eb_code eb_neighbour_counts(eb_opened *opened, double eps, uint32_t *counts, eb_status *status);
