/* chunks: the parts of a count that ranks take one after the other, so that a rank on a slower core takes fewer.
 *
 * A count is cut into equal parts. Rank r begins with part r. While it computes one it asks rank 0 for the next
 * (EB_MORE), and rank 0 gives it (EB_CHUNK) in the order of asking. A short count has one part a rank, and no rank
 * asks.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "core/engine/problem.h"
#include "core/ranks/letter.h"

/* Into how many parts a count is cut: a multiple of the ranks. eager: for tests, three a rank. */
unsigned eb_chunks_for(const eb_opened *opened, const eb_share *share, unsigned ranks, bool eager);

/* ---- rank 0 ---- */

typedef struct eb_chunk_source {
    unsigned chunks;
    _Atomic unsigned next; /* at first the number of ranks */
} eb_chunk_source;

/* `chunks` or more: there is none left. */
static inline unsigned eb_chunk_next(eb_chunk_source *source) { return atomic_fetch_add(&source->next, 1); }

/* Answers an EB_MORE. */
eb_code eb_chunk_give(eb_chunk_source *source, const eb_transport *transport, const eb_letter *message,
                      eb_status *status);

/* ---- the other ranks ---- */

/* Where the answers arrive. */
typedef struct eb_chunk_box {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t number; /* of the question that the last one belongs to; 0: none */
    unsigned chunk;
} eb_chunk_box;

void eb_chunk_box_begin(eb_chunk_box *box);
void eb_chunk_box_end(eb_chunk_box *box);
void eb_chunk_arrive(eb_chunk_box *box, const eb_letter *message);

/* Asks for the next part, and waits for it. The job's cancellation ends the waiting. */
eb_code eb_chunk_ask(const eb_transport *transport, uint64_t number, eb_status *status);
eb_code eb_chunk_wait(eb_chunk_box *box, uint64_t number, eb_job *job, unsigned *chunk, eb_status *status);
