/* density: what DBSCAN (Ester et al. 1996) finds at each ε of a grid, from the pairs as they stream: where its answer
 * is stable shows before one is chosen.
 *
 * A point is core at ε when min_points points, itself among them, lie within ε; clusters are the connected components
 * of the core points; a point that is not core and has no core point within ε is noise. The first pass counts
 * neighbours and tells from which ε on each point is core; the second unites core points. With min_points 1 or 2 what
 * is core follows from the components, and one pass does. 8 bytes a point and ε are kept, no pairs.
 */
#pragma once

#include "core/engine/problem.h"

typedef struct eb_density {
    double eps;
    uint64_t pairs;    /* |R| */
    size_t components; /* of the graph in which a point hangs together with all within ε: lone points, too */
    size_t clusters;
    size_t largest; /* core points of the largest cluster */
    size_t core, noise;
} eb_density;

/* Bytes it takes for n points. UINT64_MAX where the number is beyond that. */
uint64_t eb_density_bytes(size_t n, size_t levels);

/* eps: [levels] strictly ascending; out: [levels]. EB_USAGE for a min_points of 0 and a grid that does not ascend.
 * *passes: joins it took. */
eb_code eb_density_find(eb_opened *opened, const double *eps, size_t levels, size_t min_points, eb_density *out,
                        unsigned *passes, eb_status *status);
