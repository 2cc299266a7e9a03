/* queries: a few left points against the right points, where each rank holds a block (blocks.h). Bins are counted by
 * every rank, of its own block; rank 0, which has all points at hand, answers the rest alone, block by block.
 */
#pragma once

#include "core/ranks/blocks/visits.h"

/* `distances` and `pairs` of eb_implementation, in rank 0; the state is an eb_blocks. */
eb_code eb_blocks_distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status);
eb_code eb_blocks_pairs(void *state, const uint32_t *rows, const uint32_t *columns, size_t number, double *s,
                        eb_status *status);

/* Rank 0 writes left points with their coordinates; each rank reads them and bins their distances to its block, those
 * of a self-join without the distance to itself. The packet must outlive the call. Free *out with eb_bins_free. */
eb_code eb_blocks_pack(const eb_dataset *left, const uint32_t *rows, size_t m, eb_packet *packet, eb_status *status);
eb_code eb_blocks_bins(const eb_opened *opened, eb_packet *packet, eb_bins *out, eb_status *status);

/* The sum of the ranks' bins of m queries. */
eb_code eb_blocks_sum(const eb_bins *bins, unsigned ranks, size_t m, eb_bins *out, eb_status *status);
