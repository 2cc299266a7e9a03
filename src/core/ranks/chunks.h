/* chunks: the parts of a count or a distance pass that ranks take run by run, so that a rank on a slower core takes
 * fewer.
 *
 * A question is cut into equal parts. Each rank begins with half of its own. With the last part of a run it asks rank 0
 * for the next run (EB_MORE), and rank 0 gives runs (EB_CHUNK) in the order of asking: of what is left, half of a
 * rank's part, down to a single one. A short question has one part a rank, and no rank asks.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "core/engine/problem.h"
#include "core/ranks/letter.h"

/* Parts one after the other; count 0: there are none left. */
typedef struct eb_chunks {
    unsigned first, count;
} eb_chunks;

/* Into how many parts a question is cut: a multiple of the ranks. eager: for tests, three a rank. */
unsigned eb_chunks_for(const eb_opened *opened, const eb_share *share, unsigned ranks, bool eager);

/* The run that a rank begins with. */
eb_chunks eb_chunks_first(unsigned chunks, unsigned rank, unsigned ranks);

/* ---- rank 0 ---- */

typedef struct eb_chunk_source {
    unsigned chunks, ranks;
    _Atomic unsigned next;
} eb_chunk_source;

void eb_chunks_begin(eb_chunk_source *source, unsigned chunks, unsigned ranks);

/* Calls the body for each part that rank 0 takes. */
typedef eb_code (*eb_chunk_body)(void *context, unsigned chunk, eb_status *status);
eb_code eb_chunks_do(eb_chunk_source *source, eb_chunk_body body, void *context, eb_status *status);

/* Answers an EB_MORE. */
eb_code eb_chunk_give(eb_chunk_source *source, const eb_transport *transport, const eb_letter *message,
                      eb_status *status);

/* ---- the other ranks ---- */

/* Where the answers arrive. */
typedef struct eb_chunk_box {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t number; /* of the question that the last one belongs to; 0: none */
    eb_chunks chunks;
} eb_chunk_box;

void eb_chunk_box_begin(eb_chunk_box *box);
void eb_chunk_box_end(eb_chunk_box *box);
void eb_chunk_arrive(eb_chunk_box *box, const eb_letter *message);

/* Asks for the next run, and waits for it. The job's cancellation ends the waiting. */
eb_code eb_chunk_ask(const eb_transport *transport, uint64_t number, eb_status *status);
eb_code eb_chunk_wait(const eb_transport *transport, eb_chunk_box *box, uint64_t number, eb_job *job, eb_chunks *chunks,
                      eb_status *status);
