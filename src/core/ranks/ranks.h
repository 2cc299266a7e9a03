/* ranks: several processes that share each question, as rank 0 sees them. Rank 0 has the session; the others serve
 * (server.h).
 *
 * Once started, every problem that is opened in this process is opened by the other ranks too when the first question
 * that can be shared is asked. Of P ranks, rank r gets part r of P of a share (core/engine/engine.h): counting, joining
 * and distance passes; of queries (bins, distances) it gets the r-th of P ranges of rows. All else is answered by rank
 * 0 alone, as are problems with an order or with a loaded index.
 *
 * A question is answered by every rank exactly once, after a failure or a cancel too. If a rank is lost, the present
 * question and all later ones fail.
 */
#pragma once

#include "core/engine/problem.h"
#include "core/ranks/transport.h"

typedef struct eb_ranks eb_ranks;

/* What the person may see of a rank. */
typedef struct eb_rank_info {
    eb_rank_place place;
    char model[128]; /* of its processor */
} eb_rank_info;

typedef struct eb_ranks_request {
    eb_transport *transport; /* must outlive the ranks */
    /* Called once, from a thread of its own, when another rank is lost; NULL: not needed. */
    void (*lost)(void *context, const char *sentence);
    void *context;
    bool eager; /* for tests: queries are shared even if that is not worth the messages */
} eb_ranks_request;

/* Waits for the other ranks to report, and sets the sharing of problems. */
eb_code eb_ranks_start(const eb_ranks_request *request, eb_ranks **out, eb_status *status);

/* Ends the other ranks, while no problem is open. Returns false if one was lost, so that nothing can be sent. */
bool eb_ranks_stop(eb_ranks *ranks); /* NULL is fine */

unsigned eb_ranks_count(const eb_ranks *ranks);                       /* NULL: 1 */
const eb_rank_info *eb_ranks_at(const eb_ranks *ranks, unsigned rank); /* below the count */
