/* rows: converts the pairs that kernels found to what the host's sink takes: CSR rows of the neighbour table, made on
 * the device (row_maker.cuh) and downloaded (delivery.cuh), or single hits. */
#pragma once

#include "kernels/rows/pairs.cuh"

namespace eb {

/* Makes the rows wanted from the pairs held, columns ascending, in the places that the sink returns. Each chunk is
 * downloaded while the next is made. memory: bytes of device memory for this beside the pairs, unless one row needs
 * more; 0: all that is free. Adds the time before the first chunk to table_s, the rest to download_s. */
template <class squared_type>
eb_code deliver_rows(const pair_store<squared_type> &hits, const pairs_meaning &meaning, uint64_t memory,
                     const eb_sink *sink, cudaStream_t stream, const eb_context *context, eb_status *status);

/* Passes each pair held to sink->hits, once. */
template <class squared_type>
eb_code deliver_hits(const pair_store<squared_type> &hits, const pairs_meaning &meaning, const eb_sink *sink,
                     cudaStream_t stream, const eb_context *context, eb_status *status);

/* Delivers the pairs of a share: rows of all pairs if it is whole, single hits if it is a part. Members of a team that
 * compute all parts exchange their pairs first (exchange.cuh), and each makes the rows of an equal part of the rows. */
template <class squared_type>
eb_code deliver_share(const pair_store<squared_type> &hits, const pairs_meaning &meaning, const eb_share &share,
                      uint64_t memory, const eb_sink *sink, cudaStream_t stream, const eb_context *context,
                      eb_status *status);

/* Counts the entries that the pairs held make, self pairs left out. */
template <class squared_type>
eb_code count_entries(const pair_store<squared_type> &hits, const pairs_meaning &meaning, uint64_t *entries,
                      cudaStream_t stream, eb_status *status);

} // namespace eb
