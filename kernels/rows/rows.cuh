/* rows: from the pairs that kernels found to what the host's sink takes: CSR rows of the neighbour table, made on the
 * device (row_maker.cuh) and brought to their places (delivery.cuh), or single hits.
 */
#pragma once

#include "kernels/rows/meaning.cuh"
#include "kernels/rows/pairs.cuh"

namespace eb {

/* Makes the rows wanted from the pairs held, columns ascending, in the places that the sink gives them; each chunk is
 * downloaded while the next is made. memory: bytes of the device's that this may take beside the pairs, where one row
 * does not need more; 0: what there is. Adds to table_s what comes before the first chunk, to download_s the rest. */
template <class squared_type>
eb_code deliver_rows(const pair_store<squared_type> &hits, const pairs_meaning &meaning, uint64_t memory,
                     const eb_sink *sink, cudaStream_t stream, const eb_context *context, eb_status *status);

/* The pairs held to sink->hits, one by one, each once. */
template <class squared_type>
eb_code deliver_hits(const pair_store<squared_type> &hits, const pairs_meaning &meaning, const eb_sink *sink,
                     cudaStream_t stream, const eb_context *context, eb_status *status);

/* How many entries the pairs held make, self pairs left out. */
template <class squared_type>
eb_code count_entries(const pair_store<squared_type> &hits, const pairs_meaning &meaning, uint64_t *entries,
                      cudaStream_t stream, eb_status *status);

} // namespace eb
