/* density: what DBSCAN (Ester et al. 1996) finds at each ε of a grid, from pairs that are not stored, to show where the
 * clustering is stable before an ε is chosen.
 *
 * A point is core at ε if min_points points, itself included, lie within ε. Clusters are the connected components of
 * the core points. A point that is not core and has no core point within ε is noise. The first pass counts neighbours,
 * which gives the ε from which on each point is core. The second unites core points. With min_points 1 or 2 the
 * components determine which points are core, and one pass is enough. Memory: 8 bytes a point and ε, in each rank.
 */
#pragma once

#include "core/engine/problem.h"

typedef struct eb_density {
    double eps;
    uint64_t pairs;    /* |R| */
    size_t components; /* connected components of the graph of all pairs within ε, lone points included */
    size_t clusters;
    size_t largest; /* core points of the largest cluster */
    size_t core, noise;
} eb_density;

/* Bytes needed for n points; UINT64_MAX if the number does not fit. */
uint64_t eb_density_bytes(size_t n, size_t levels);

/* eps: [levels] strictly ascending; out: [levels]. EB_USAGE if min_points is 0 or the grid does not ascend. *passes:
 * joins made. */
eb_code eb_density_find(eb_opened *opened, const double *eps, size_t levels, size_t min_points, eb_density *out,
                        unsigned *passes, eb_status *status);
