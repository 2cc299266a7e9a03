/* clusters: DBSCAN's two passes over the pairs of a problem that several ranks share. Each rank looks at the pairs of
 * its own part of the tiles; rank 0 gets numbers of points, not pairs, and merges them.
 */
#pragma once

#include "core/cluster/forest.h"
#include "core/engine/problem.h"

/* For problems of several ranks (eb_ranks_of). The other points within ε of each point: [n]. */
eb_code eb_ranks_count_neighbours(eb_opened *opened, double eps, uint32_t *counts, eb_status *status);

/* near(): called from several threads at once, for a point that is not core and a core point of each cluster that has
 * one within ε of it, at least once. */
typedef struct eb_ranks_union {
    double eps;
    const unsigned char *core; /* [n / 8 + 1] bit i % 8 of byte i / 8: point i is core */
    eb_tree *forest;           /* [n] planted; core points within ε of each other are united */
    void (*near)(void *context, uint32_t point, uint32_t core);
    void *context;
} eb_ranks_union;

eb_code eb_ranks_unite(eb_opened *opened, const eb_ranks_union *with, eb_status *status);
