/* rounds: one question to all ranks at a time, its answers, and what comes in between. For ranks.c and shared.c. */
#pragma once

#include "core/ranks/message.h"
#include "core/ranks/ranks.h"

typedef struct eb_round {
    uint32_t kind; /* EB_ASK_… */
    eb_packet packet;
    eb_job *job; /* of the person; NULL: none */

    /* Rank 0's own part, in a job of its own, which ends early if another rank fails. */
    eb_code (*own)(void *context, eb_job *job, eb_status *status);

    /* Called by one thread at a time, during own() too: a message that belongs to the question, and the end of a
     * rank's answer. */
    eb_code (*take)(void *context, const eb_message *message, eb_status *status);
    eb_code (*answer)(void *context, unsigned from, eb_packet *packet, eb_status *status);
    void *context;
} eb_round;

/* Asks, waits for all answers. Fails with the first failure; of another rank, its number begins the sentence. */
eb_code eb_ranks_ask(eb_ranks *ranks, eb_round *round, eb_status *status);

/* Sends a request that has no answer of its own. */
eb_code eb_ranks_tell(eb_ranks *ranks, uint32_t kind, eb_packet *packet, eb_status *status);

/* Bytes that all ranks have sent since the last call. */
uint64_t eb_ranks_sent(eb_ranks *ranks);

/* ---- points ---- */

/* Makes sure that all ranks have the points, or will have them before they open a problem: *number. They keep them
 * until eb_points_leave, and a while longer. */
eb_code eb_points_share(eb_ranks *ranks, const eb_dataset *points, eb_job *job, uint64_t *number, eb_status *status);
void eb_points_leave(eb_ranks *ranks, uint64_t number);

bool eb_ranks_eager(const eb_ranks *ranks);
struct eb_points_told;
struct eb_points_told *eb_ranks_points(eb_ranks *ranks);
eb_transport *eb_ranks_transport(eb_ranks *ranks);
