/* scan: what is near to queries in the lists that they look at. A block takes a list and up to four of its queries,
 * makes their tables in shared memory, and sums entries for the list's points, a point a lane. Points whose distance is
 * within their query's limit are written down.
 */
#pragma once

#include "kernels/inverted/cuda/scan_task.cuh"

namespace eb {

/* How it runs for a question. */
struct scan_shape {
    void (*kernel)(scan_task);
    unsigned side_by_side; /* queries of an item */
    size_t shared_bytes;
    unsigned threads, blocks; /* of a block; of an SM */
};

/* EB_USAGE where a block has no room for the tables. */
eb_code scan_shape_for(const eb_inverted_question &question, bool packed, const file_view &file, scan_shape *out,
                       eb_status *status);
eb_code launch_scan(const scan_shape &shape, const scan_task &task, unsigned units, eb_status *status);

/* ---- the nearest of those found ---- */

/* The k nearest of what was kept before and what was found since, or all of them: into `to`, in their order where there
 * are few. limit: how far the k-th is, +Inf where there are fewer. Lists longer than `scanned` will be looked at again:
 * of their queries nothing is kept. overflow: the most points that a query had no room for. */
struct keep_task {
    near_points found;
    const near_key *kept; /* [queries × k] */
    const uint32_t *kept_count;
    near_key *to; /* [queries × k] */
    uint32_t *to_count;
    float *limit;
    uint32_t *overflow;
    unsigned k;
    const uint32_t *chosen, *counts; /* NULL: no list will be looked at again */
    unsigned nprobe, scanned;
};
eb_code launch_keep(const keep_task &task, size_t queries, eb_status *status);

} // namespace eb
