/* shared_pairs: counts and joins of which each rank has a part. If the join's sink would take whole rows, each rank
 * makes the rows that it owns (owner.h); otherwise all hits go to rank 0 as they are found. */
#pragma once

#include "core/ranks/shared.h"

/* Writes a question of pairs for the other ranks (server/asked.h reads it). */
void eb_put_question(eb_packet *packet, const eb_question *question, const eb_share *share);

/* `count` and `join` of eb_implementation; the state is an eb_shared. */
eb_code eb_shared_count(void *state, const eb_question *question, const eb_share *share, uint64_t *entries,
                        eb_status *status);
eb_code eb_shared_join(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                       eb_status *status);
