/* fill: from the masks of pairs of leaves to entries: those of a range of rows each into its row, in no order; or to
 * single hits. s is computed once more, for what is near alone.
 */
#pragma once

#include "kernels/boxes/cuda/verdicts.cuh"
#include "kernels/parts/hits.cuh"

namespace eb {

/* Rows as points are stored: a point's lie at its number, whatever its place. */
struct fill_work {
    leaf_view leaves;
    const uint2 *pair;
    const uint32_t *mask;
    uint64_t pairs;
    size_t row_begin, row_end;        /* the range */
    const unsigned long long *offset; /* of the range's first row: where rows begin, the first at any number */
    uint32_t *filled;                 /* entries of each row of the range so far */
    uint32_t *column;
    double *squared;         /* nullptr: none are wanted */
    unsigned long long *bad; /* the least row that has more than was counted; else as it was */
    uint64_t bad_base;       /* added to it */
};

/* Enqueues it. */
eb_code fill_entries(const fill_work &work, cudaStream_t stream, eb_status *status);

/* Each pair i ≠ j once. There is room for all of them. */
eb_code append_hits(const leaf_view &leaves, const uint2 *pair, const uint32_t *mask, uint64_t pairs,
                    const hit_buffer<double> &hits, cudaStream_t stream, eb_status *status);

} // namespace eb
