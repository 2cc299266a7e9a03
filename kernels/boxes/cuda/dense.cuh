/* dense: computes squared distances from a few query points to all points, by the exact engine's sums. */
#pragma once

#include "kernels/boxes/cuda/leaves.cuh"

namespace eb {

/* Enqueues the kernel that writes out[q · n + j], the squared distance of query q and point j of n. queries:
 * [count][d].
 */
eb_code find_distances(const leaf_view &leaves, const double *queries, size_t count, size_t n, double *out,
                       cudaStream_t stream, eb_status *status);

} // namespace eb
