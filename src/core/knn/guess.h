/* guess: estimates how far a query's nearest neighbours are, up to a factor that is similar for all queries: the
 * distance to the j-th nearest of a sample of the base points. Computed in FP32 on the host. Only the time of the
 * search depends on it, never the result.
 */
#pragma once

#include "core/knn/request.h"

/* out[q] > 0, finite, in the points' own unit. order: [queries] all queries, the largest guess first. */
eb_code eb_knn_guess(const eb_knn_request *request, unsigned threads, eb_job *job, double *out, uint32_t *order,
                     eb_status *status);
