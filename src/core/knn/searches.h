/* searches: the k nearest by an engine that looks for them itself (eb_implementation.nearest_rows), without radii. */
#pragma once

#include "core/knn/heaps.h"

/* Fills the heaps of all queries. EB_NO_ENGINE: the engine does not, or joins are faster; the heaps are then empty. */
eb_code eb_knn_by_searches(const eb_knn_request *request, eb_heaps *heaps, eb_job *job, eb_knn *out, eb_status *status);
