/* knn: finds the k nearest of each query among n base points by any engine, exact by that engine's distances.
 *
 * An engine with `nearest` (engine.h) is asked directly if the queries are a set of their own, one with `nearest_rows`
 * wherever it expects to be faster (searches.h); otherwise joins find the neighbours (joins.h). "Near" means the
 * engine's own s; of rows with equal s the smaller is nearer. A query has fewer than k neighbours if the engine finds
 * no more.
 */
#pragma once

#include "core/knn/joins.h"

/* EB_USAGE if a query has fewer than k possible neighbours; other errors are the engine's. Progress: one unit a query.
 * The caller frees with eb_knn_free. */
eb_code eb_knn_find(const eb_knn_request *request, eb_job *job, eb_knn *out, eb_status *status);
void eb_knn_free(eb_knn *nearest); /* frees what *nearest holds */
