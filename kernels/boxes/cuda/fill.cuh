/* fill: turns the masks of pairs of leaves into table entries or single hits. The entries of a range of rows are
 * written to their rows in any order. s is computed again, but only for the pairs found.
 */
#pragma once

#include "kernels/boxes/cuda/verdicts.cuh"
#include "kernels/parts/hits.cuh"

namespace eb {

/* Rows are numbered by points, not by the points' places. */
struct fill_work {
    leaf_view leaves;
    const uint2 *pair;
    const uint32_t *mask;
    uint64_t pairs;
    size_t row_begin, row_end;        /* the range */
    const unsigned long long *offset; /* [rows + 1] where rows begin, from the range's first row on; any first value */
    uint32_t *filled;                 /* entries of each row of the range so far */
    uint32_t *column;
    double *squared;         /* nullptr: not wanted */
    unsigned long long *bad; /* set to the least row with more entries than counted, if there is one */
    uint64_t bad_base;       /* added to the row's number in the range */
};

/* Enqueues the kernel. */
eb_code fill_entries(const fill_work &work, cudaStream_t stream, eb_status *status);

/* Appends each pair i ≠ j once. The buffer has room for all of them. */
eb_code append_hits(const leaf_view &leaves, const uint2 *pair, const uint32_t *mask, uint64_t pairs,
                    const hit_buffer<double> &hits, cudaStream_t stream, eb_status *status);

} // namespace eb
