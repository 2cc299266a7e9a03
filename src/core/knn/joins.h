/* joins: the k nearest of each query among n base points by joins, exact by the engine's distances.
 *
 * A query's k nearest are all within ε where a join at ε gives it k or more. So every query gets a radius: how far some
 * nearest of a sample are (guess.h), times a factor that a few queries tell whose distances to all points are computed.
 * Queries go in groups of like radii, the largest first, each a range of rows that a join is asked for; pairs pass a
 * heap of k a query and are kept nowhere (core/join/streaming.h). Those that found fewer are asked again with more;
 * when only a few are left, their distances to all points decide.
 *
 * Near means the engine's own s, before a root is rounded; of rows with equal s the smaller is nearer. A query has
 * fewer than k where the engine finds no more at any ε: ivfpq looks at some of its lists only, FP32 sums overflow, and
 * a distance that FP64 does not hold is none. The answer depends on no radius, thread, device or order; but for engines
 * whose sums differ from question to question (FP32 sums over dimensions in an order of ε's): of these it is that of
 * the sums they happened to give.
 */
#pragma once

#include "core/knn/request.h"

/* The caller has checked the request and filled k and queries of *out. Fills the nearest; on failure there are none. */
eb_code eb_knn_by_joins(const eb_knn_request *request, eb_job *job, eb_knn *out, eb_status *status);

/* Bytes of the host that it takes beside the engine: heaps, and a copy of the points in the order of radii. */
uint64_t eb_knn_bytes(const eb_knn_request *request);
