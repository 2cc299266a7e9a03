/* dense: squared distances from a few points to all of them, by the truth's sums. */
#pragma once

#include "kernels/boxes/cuda/leaves.cuh"

namespace eb {

/* out[q · n + j] of query q, a row of d coordinates, and point j of n. Enqueues it. */
eb_code find_distances(const leaf_view &leaves, const double *queries, size_t count, size_t n, double *out,
                       cudaStream_t stream, eb_status *status);

} // namespace eb
