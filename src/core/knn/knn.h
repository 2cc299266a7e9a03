/* knn: the k nearest of each query among n base points, by any engine, exact by that engine's distances.
 *
 * An engine that answers `nearest` (engine.h) is asked for queries that are a set of their own; all else is found by
 * joins (joins.h). Near means the engine's own s; of rows with equal s the smaller is nearer. A query has fewer than k
 * where the engine finds no more.
 */
#pragma once

#include "core/knn/joins.h"

/* EB_USAGE where a query has fewer than k points for neighbours; what engines refuse. Progress: one unit a query. The
 * caller frees with eb_knn_free. */
eb_code eb_knn_find(const eb_knn_request *request, eb_job *job, eb_knn *out, eb_status *status);
void eb_knn_free(eb_knn *nearest); /* frees what it holds */
