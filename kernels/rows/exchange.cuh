/* exchange: the members of a team, each on a GPU of its own with the pairs of its part of the tiles, exchange these so
 * that each has all pairs with an end in its rows.
 *
 *   translate   places become points, since members may order their points differently
 *   show        every member shows where its pairs are (core/team/meeting.h)
 *   gather      each reads the others' pairs, over NVLink where there is one, and keeps those with an end in its rows
 *   wait        until all have read
 *
 * A member reads 8 bytes a pair, and 4 or 8 for the squared distance: at 300 GB/s a tenth of what downloading the
 * rows of the same pairs takes.
 */
#pragma once

#include "kernels/rows/pairs.cuh"

namespace eb {

/* True if the members of one team compute all parts of the share at once. */
bool computes_all_parts(const eb_share &share);

/* Fills `own` with the pairs of all members that have an end in this member's rows, an equal part of the share's, and
 * changes their meaning to that. Points replace places in `hits`, which are of no use afterwards. */
template <class squared_type>
eb_code exchange_pairs(const pair_store<squared_type> &hits, const eb_share &share, pair_store<squared_type> &own,
                       pairs_meaning &meaning, cudaStream_t stream, const eb_context *context, eb_status *status);

/* The first of the share's rows that the k-th member of a team makes. */
inline size_t rows_before(const eb_share &share, unsigned k)
{
    return share.row_begin + (share.row_end - share.row_begin) * k / share.parts;
}

/* Progress of this member, of `rows` in all. */
inline size_t rows_of_part(size_t rows, const eb_share &share)
{
    return share.meeting ? rows * (share.part + 1) / share.parts - rows * share.part / share.parts : rows;
}

/* *waits: true if it is for any member of the share's team. */
eb_code agree_to_wait(const eb_share &share, bool *waits, eb_status *status);

/* EB_INTERNAL unless all members of the share's team cut the same number of tiles, and all or none of ordered points:
 * then their parts are all tiles. */
eb_code agree_on_tiles(const eb_share &share, uint64_t tiles, bool ordered, eb_status *status);

} // namespace eb
