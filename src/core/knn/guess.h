/* guess: how far a query's nearest may be, up to a factor that is much the same for all queries: its distance to the
 * j-th nearest of a sample of the base points. In FP32, on the host: nothing depends on it but time.
 */
#pragma once

#include "core/knn/request.h"

/* out[q] > 0, finite, in the points' own unit. order: [queries] all of them, the farthest guess first. */
eb_code eb_knn_guess(const eb_knn_request *request, unsigned threads, eb_job *job, double *out, uint32_t *order,
                     eb_status *status);
