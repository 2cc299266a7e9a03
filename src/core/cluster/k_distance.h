/* k_distance: the sorted k-distance curve (Ester et al. 1996, 4.2) of sampled points or of all, and its elbow.
 *
 * A point's core distance is the smallest ε at which the point is core: min_points points, itself included, lie within
 * it. The sampled points are drawn as for the S(ε) curve (sample/strata.h), each standing for its stratum, so the curve
 * gives the share of all points that is core at ε.
 *
 * Core distances come from the search for neighbours (knn/knn.h). Only if min_points is a large part of n, all
 * distances of the sampled points are computed. Both give the same bits.
 *
 * The elbow is where the curve, with both axes scaled to 0…1, lies farthest below the line from its first to its last
 * point (Satopaa et al. 2011, Kneedle without smoothing).
 */
#pragma once

#include "core/engine/spec.h"
#include "core/sample/strata.h"

typedef struct eb_k_distance_request {
    const eb_setup *setup;
    const eb_dataset *points;
    size_t min_points;
    size_t queries; /* points sampled; 0: some hundreds, which cost a few per cent of a pass; n or more: every point */
    uint64_t seed;
    uint64_t memory_limit;        /* host bytes beside the engine's; 0: no limit */
    const eb_strata_order *order; /* of these points and this seed; NULL: made if needed */
} eb_k_distance_request;

typedef struct eb_k_distance {
    size_t queries, n, min_points;
    double *eps;   /* [queries] core distances, ascending; that of s = ∞ if FP64 holds none */
    double *share; /* [queries] estimated share of all points that is core there; the last is 1 */
    size_t elbow;  /* index into eps */
} eb_k_distance;

/* EB_UNREACHABLE if min_points is 0 or above n; EB_NO_MEMORY if the curve does not fit the limit. Queries whose
 * neighbours do not fit are asked in batches. Free *out with eb_k_distance_free. */
eb_code eb_k_distance_find(const eb_k_distance_request *request, eb_job *job, eb_k_distance *out, eb_status *status);
void eb_k_distance_free(eb_k_distance *curve); /* frees what *curve holds */

/* The smallest sampled ε at which this share of all points is core. */
double eb_k_distance_at(const eb_k_distance *curve, double share);
