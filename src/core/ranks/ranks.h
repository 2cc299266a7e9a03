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

#include "core/ranks/rounds.h"

/* Waits for the other ranks to report, and sets the sharing of problems. */
eb_code eb_ranks_start(const eb_ranks_request *request, eb_ranks **out, eb_status *status);

/* The ranks that answer questions to this problem. 1: this process alone. */
unsigned eb_ranks_of(const eb_opened *opened);

/* What an engine says of itself after a question, without the number of ranks: parts of a share that were computed by
 * different ones do not make up the whole. Where ranks hold blocks their number counts. Valid until the next question.
 */
const char *eb_ranks_say_how(const eb_opened *opened);

/* Ends the other ranks, while no problem is open. Returns false if one was lost, so that nothing can be sent. */
bool eb_ranks_stop(eb_ranks *ranks); /* NULL is fine */
