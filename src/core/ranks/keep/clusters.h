/* clusters: DBSCAN's two passes over the pairs of a problem that several ranks share, at one ε or on a grid. Each rank
 * gathers the pairs of its own part of the tiles (core/cluster/gather.h); rank 0 gets what they amount to, numbers of
 * points, not pairs, and merges them.
 */
#pragma once

#include "core/cluster/gather.h"

/* A pass, for problems of several ranks (eb_ranks_of). */
typedef struct eb_ranks_grid {
    const double *eps;      /* [levels] strictly ascending, ≥ 0 */
    eb_gathering *gathered; /* of rank 0, zeroed and planted; gets all ranks' */

    /* eb_ranks_gather_counts: of a point's pairs in another rank, the first `most` are counted. The others are in
     * left_out alone: [levels], both ways. */
    uint32_t most;
    uint64_t *left_out;

    /* eb_ranks_gather_core: called from several threads at once, for a point that is not core and a core point of each
     * cluster that has one within ε of it, at least once; for one level. NULL: `reach` is lowered. */
    void (*near)(void *context, uint32_t point, uint32_t core);
    void *context;
} eb_ranks_grid;

/* Counts neighbours and, if there is a forest, unites the ends of all pairs. The sets of a level may be those of the
 * smaller levels united with its own. */
eb_code eb_ranks_gather_counts(eb_opened *opened, const eb_ranks_grid *grid, eb_status *status);

/* Unites core points, likewise. */
eb_code eb_ranks_gather_core(eb_opened *opened, const eb_ranks_grid *grid, eb_status *status);
