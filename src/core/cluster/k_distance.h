/* k_distance: the sorted k-distance curve (Ester et al. 1996, 4.2) from sampled points, and its elbow.
 *
 * A point's core distance is the smallest ε at which the point is core: min_points points, itself included, lie within
 * it. The sampled points are drawn as for the S(ε) curve (sample/strata.h), each standing for its stratum, so the curve
 * gives the share of all points that is core at ε.
 *
 * The elbow is where the curve, with both axes scaled to 0…1, lies farthest below the line from its first to its last
 * point (Satopaa et al. 2011, Kneedle without smoothing).
 */
#pragma once

#include "core/engine/problem.h"

typedef struct eb_k_distance {
    size_t queries, n, min_points;
    double *eps;   /* [queries] core distances, ascending */
    double *share; /* [queries] estimated share of all points that is core there; the last is 1 */
    size_t elbow;  /* index into eps */
} eb_k_distance;

/* queries 0: some hundreds, which cost a few per cent of a pass. EB_UNREACHABLE if min_points is 0 or above n. */
eb_code eb_k_distance_sample(eb_opened *opened, size_t min_points, size_t queries, uint64_t seed, eb_k_distance *out,
                             eb_status *status);
void eb_k_distance_free(eb_k_distance *curve); /* frees what *curve holds */

/* The smallest sampled ε at which this share of all points is core. */
double eb_k_distance_at(const eb_k_distance *curve, double share);
