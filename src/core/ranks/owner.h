/* owner: a rank's rows of a join's table. The rows of a join are divided into equal ranges, one for each rank; every
 * pair that a rank finds goes to the owners of its ends, which make their rows at the same time as the others.
 */
#pragma once

#include <pthread.h>

#include "core/join/neighbours.h"
#include "core/ranks/letter.h"

typedef struct eb_owner_request {
    const eb_transport *transport;
    uint64_t number; /* of the join */
    size_t n, others;
    bool self;
    size_t row_begin, row_end; /* of the join */
    size_t least;              /* rows that a rank gets, unless fewer are left; 0: equal ranges */
    unsigned threads;          /* of this rank's engine */
    eb_row_kind kind;
} eb_owner_request;

typedef struct eb_owner {
    eb_owner_request request;
    eb_neighbours_builder *builder; /* its last thread is the one that takes letters */
    struct eb_parcel *parcel;       /* [threads][ranks] */
    size_t parcel_hits;
    size_t *first; /* [ranks + 1] the first row that each rank owns */
    double ranks_a_row;
    pthread_mutex_t lock; /* guards the members below */
    pthread_cond_t changed;
    unsigned ends; /* EB_HITS_END that have come */
    eb_status failure;
    double waited_s, build_s; /* for the others' hits; making the rows */
} eb_owner;

/* The first row that rank r owns; for r = P: row_end. */
static inline size_t eb_first_owned(size_t row_begin, size_t row_end, unsigned rank, unsigned ranks)
{
    return row_begin + (size_t)((uint64_t)(row_end - row_begin) * rank / ranks);
}

/* Must not move. */
eb_code eb_owner_begin(const eb_owner_request *request, eb_owner *out, eb_status *status);
void eb_owner_end(eb_owner *owner);

/* For the engine: sends each hit to its owners. */
eb_sink eb_owner_sink(eb_owner *owner);

/* Takes EB_HITS or EB_HITS_END of this join, from one thread at a time. A failure is told by eb_owner_finish too. */
eb_code eb_owner_take(eb_owner *owner, const eb_letter *letter, eb_status *status);

/* After the engine: sends what is left, waits for the other ranks' hits and makes the rows. */
eb_code eb_owner_finish(eb_owner *owner, eb_job *job, eb_neighbours **out, eb_status *status);

/* ---- for a server: letters may come before the join has begun here ---- */

typedef struct eb_exchange {
    pthread_mutex_t lock;
    eb_owner *owner; /* NULL: no join now */
    uint64_t newest; /* number of the newest join that has begun */
    struct eb_early *early;
} eb_exchange;

void eb_exchange_begin(eb_exchange *exchange);
void eb_exchange_end(eb_exchange *exchange);

/* Takes the letter: for the present join or a later one; else it is dropped. */
void eb_exchange_take(eb_exchange *exchange, eb_letter *letter);

/* Begins and ends a join; gives the owner what has come already. */
void eb_exchange_join(eb_exchange *exchange, eb_owner *owner);
void eb_exchange_leave(eb_exchange *exchange);
