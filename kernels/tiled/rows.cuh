/* rows: from the pairs that kernels found to what the host's sink takes: CSR rows of the neighbour table, built on the
 * device, or single hits.
 */
#ifndef EB_KERNELS_TILED_ROWS_CUH
#define EB_KERNELS_TILED_ROWS_CUH

#include "kernels/tiled/pairs.cuh"

namespace eb {

/* What pairs of places mean as entries of a table. */
struct pairs_meaning {
    size_t rows_of_all, columns; /* left and right points */
    bool self;                   /* a self-join: self pairs are added */
    bool mirrored;               /* a pair (i, j) also stands for (j, i) */
    uint32_t first_column;       /* the number that kernels give the first right point */
    const uint32_t *point;       /* on the device: which point stands at a place; nullptr: place k holds point k */
    size_t row_begin, row_end;   /* the rows wanted; pairs without an end there are left out */
};

/* Builds the rows wanted from the pairs held, columns ascending, and hands them to sink->rows in order. Adds to table_s
 * and download_s. */
template <class squared_type>
eb_code deliver_rows(const pair_store<squared_type> &hits, const pairs_meaning &meaning, const eb_sink *sink,
                     cudaStream_t stream, const eb_context *context, eb_status *status);

/* The pairs held to sink->hits, one by one, each once. */
template <class squared_type>
eb_code deliver_hits(const pair_store<squared_type> &hits, const pairs_meaning &meaning, const eb_sink *sink,
                     cudaStream_t stream, const eb_context *context, eb_status *status);

/* How many entries the pairs held make, self pairs left out. */
template <class squared_type>
eb_code count_entries(const pair_store<squared_type> &hits, const pairs_meaning &meaning, uint64_t *entries,
                      cudaStream_t stream, eb_status *status);

} // namespace eb

#endif
