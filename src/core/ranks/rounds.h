/* rounds: one question to all ranks at a time, its answers, and what comes in between. The basis of ranks.h, which is
 * for others. */
#pragma once

#include "core/engine/problem.h"
#include "core/ranks/letter.h"

typedef struct eb_ranks eb_ranks;

/* What the person may see of a rank. */
typedef struct eb_rank_info {
    eb_rank_place place;
    char model[128]; /* of its processor */
} eb_rank_info;

typedef struct eb_ranks_request {
    eb_transport *transport; /* must outlive the ranks */
    /* Called when another rank is lost while nothing is asked, from another thread; NULL: not needed. */
    void (*lost)(void *context, const char *sentence);
    void *context;
    bool eager; /* for tests: queries are shared even if that is not worth the messages */
} eb_ranks_request;

unsigned eb_ranks_count(const eb_ranks *ranks);                        /* NULL: 1 */
const eb_rank_info *eb_ranks_at(const eb_ranks *ranks, unsigned rank); /* below the count */
unsigned eb_ranks_on_a_host(const eb_ranks *ranks); /* that divide the memory of the fullest host. NULL: 1 */

typedef struct eb_round {
    uint32_t kind; /* EB_ASK_… */
    eb_packet packet;
    eb_job *job; /* of the person; NULL: none */

    /* Rank 0's own part, in a job of its own, which ends early if another rank fails. */
    eb_code (*own)(void *context, eb_job *job, eb_status *status);

    /* Called by one thread at a time, during own() too: a message that belongs to the question, and the end of a
     * rank's answer. */
    eb_code (*take)(void *context, const eb_letter *message, eb_status *status);
    eb_code (*answer)(void *context, unsigned from, eb_packet *packet, eb_status *status);
    void *context;
    uint64_t number; /* out, before own() */
} eb_round;

/* Asks, waits for all answers. Fails with the first failure; of another rank, its number begins the sentence. */
eb_code eb_ranks_ask(eb_ranks *ranks, eb_round *round, eb_status *status);

/* Sends a request that has no answer of its own. */
eb_code eb_ranks_tell(eb_ranks *ranks, uint32_t kind, eb_packet *packet, eb_status *status);

/* Bytes that all ranks have sent since the last call. */
uint64_t eb_ranks_sent(eb_ranks *ranks);

/* ---- for the other files of this folder ---- */

bool eb_ranks_eager(const eb_ranks *ranks);
void *eb_ranks_kept(eb_ranks *ranks); /* what was given to eb_rounds_begin */
eb_transport *eb_ranks_transport(eb_ranks *ranks);

/* Waits for the other ranks to report; ends them. False: a rank was lost, so that nothing can be sent. */
eb_code eb_rounds_begin(const eb_ranks_request *request, void *keep, eb_ranks **out, eb_status *status);
bool eb_rounds_end(eb_ranks *ranks);
