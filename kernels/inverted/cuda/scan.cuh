/* scan: finds the points near to queries in the queries' lists. A block takes a list and up to four of its queries,
 * makes their tables in shared memory, and sums entries for the list's points, a lane for each point. Points whose
 * distance is within their query's limit are written to the output.
 */
#pragma once

#include "kernels/inverted/cuda/scan_task.cuh"

namespace eb {

/* The kernel for a question, and its launch configuration. */
struct scan_shape {
    void (*kernel)(scan_task);
    unsigned side_by_side; /* queries of an item */
    size_t shared_bytes;
    unsigned threads, blocks; /* threads per block; blocks per SM */
};

/* EB_USAGE if a block has no room for the tables. */
eb_code scan_shape_for(const eb_inverted_question &question, bool packed, const file_view &file, scan_shape *out,
                       eb_status *status);
eb_code launch_scan(const scan_shape &shape, const scan_task &task, unsigned units, eb_status *status);

/* ---- keeping the nearest points ---- */

/* Writes to `to` the k nearest of the points kept before and those found since, or all of them if there are fewer; in
 * order if they are few. limit: distance of the k-th point, +Inf if there are fewer. Queries whose nearest list is
 * longer than `scanned` keep nothing, because that list is scanned again. overflow: the most points for which a query
 * lacked room. */
struct keep_task {
    near_points found;
    const near_key *kept; /* [queries × k] */
    const uint32_t *kept_count;
    near_key *to; /* [queries × k] */
    uint32_t *to_count;
    float *limit;
    uint32_t *overflow;
    unsigned k;
    const uint32_t *chosen, *counts; /* NULL: no list is scanned again */
    unsigned nprobe, scanned;
};
eb_code launch_keep(const keep_task &task, size_t queries, eb_status *status);

} // namespace eb
