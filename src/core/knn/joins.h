/* joins: finds the k nearest of each query among n base points by joins, exact by the engine's distances.
 *
 * If a join at ε gives a query k or more neighbours, its k nearest are among them. So every query gets a radius: its
 * guess (eb_knn_guess) times a factor. The factor comes from a few queries whose distances to all points are computed.
 * Queries are grouped by similar radii, the largest first; each group is a range of rows for one join. Pairs go into a
 * heap of k per query and are not stored (core/join/streaming.h). Queries that found fewer than k are asked again with
 * a larger radius. When only a few queries are left, all their distances are computed.
 *
 * "Near" means the engine's own s, before a root is rounded; of rows with equal s the smaller is nearer. A query has
 * fewer than k neighbours if the engine finds no more at any ε: ivfpq searches only some of its lists, FP32 sums
 * overflow, and a distance that FP64 cannot hold is dropped. The result depends on no radius, thread, device or order,
 * with one exception: engines whose sums differ from question to question (FP32 sums over dimensions in an order that ε
 * determines) give the result of the sums that they happened to compute.
 */
#pragma once

#include "core/knn/request.h"

/* Fills out->near, or out->reach if that is asked for, and the effort. The caller has checked the request and filled k
 * and queries of *out. On failure both stay NULL. */
eb_code eb_knn_by_joins(const eb_knn_request *request, eb_job *job, eb_knn *out, eb_status *status);

/* Host bytes beside the engine's: heaps, and a copy of the points in the order of radii. */
uint64_t eb_knn_bytes(const eb_knn_request *request);
