/* k_distance: the sorted k-distance curve (Ester et al. 1996, 4.2) from sampled points, and its elbow.
 *
 * A point's core distance is the least ε at which it is core: min_points points, itself among them, within it. Sampled
 * are the query points of the S(ε) curve's kind (sample/strata.h), each standing for its stratum, so the curve says
 * which share of all points is core at ε.
 *
 * The elbow is where the curve, both axes brought to 0…1, lies farthest below the line from its first to its last point
 * (Satopaa et al. 2011, Kneedle without smoothing).
 */
#pragma once

#include "core/engine/problem.h"

typedef struct eb_k_distance {
    size_t queries, n, min_points;
    double *eps;   /* [queries] core distances, ascending */
    double *share; /* [queries] of all points that are core there, estimated; the last is 1 */
    size_t elbow;  /* which of them */
} eb_k_distance;

/* queries 0: some hundreds, so that it costs a few per cent of a pass. EB_UNREACHABLE for a min_points beyond n. */
eb_code eb_k_distance_sample(eb_opened *opened, size_t min_points, size_t queries, uint64_t seed, eb_k_distance *out,
                             eb_status *status);
void eb_k_distance_free(eb_k_distance *curve); /* frees what it holds */

/* The least sampled ε at which this share of all points is core. */
double eb_k_distance_at(const eb_k_distance *curve, double share);
