/* blocks: an engine that answers for one rank which holds a block of the points only. The pairs of two blocks are a
 * join of two sets, which the engine itself answers; the other blocks pass by while it computes (deal.h, post.h).
 *
 * Only for engines that give the truth: their answer for a pair depends on nothing but its two points, so the pairs and
 * distances are those of all points in one piece, bit for bit.
 *
 * In memory are, as stored: the rank's block and at most two others, the one that is joined and the next one; and what
 * the engine needs for two blocks.
 */
#pragma once

#include "core/ranks/blocks/visits.h"

/* left, right: the rank's blocks (deal.h). What the request points to must outlive *out. The engine is opened for each
 * pair of blocks when a question comes, so that a failure to open it is one of the question. Shares are parts of as
 * many ranks (part.h). In rank 0, `distances` and `pairs` answer too, from all points. */
eb_code eb_blocks_open(const eb_blocks_request *request, eb_job *job, eb_opened *out, eb_status *status);

/* True for what eb_blocks_open has opened. */
bool eb_is_in_blocks(const eb_opened *opened);

/* Before a question: its number, by which letters find it. Does nothing for what was opened otherwise. */
void eb_blocks_number(eb_opened *opened, uint64_t number);
