/* asked: a question that a server answers. For the files of this folder. */
#pragma once

#include "core/engine/problem.h"
#include "core/ranks/chunks.h"
#include "core/ranks/keep/keeper.h"
#include "core/ranks/owner.h"
#include "core/ranks/part.h"

typedef struct eb_asked_here {
    const eb_transport *transport;
    eb_exchange *exchange;
    eb_chunk_box *chunks;
    uint64_t number; /* of the question */
    eb_opened *opened;
    eb_job *job;
    eb_row_keeper keep;    /* NULL: this rank keeps no rows */
    eb_neighbours **table; /* the rows of the last join, until rank 0 asks for them; NULL: none */
    eb_packet *packet, *result;
} eb_asked_here;

/* Reads a question of pairs (shared_pairs.h) about a share. */
static inline void eb_get_whole_question(const eb_asked_here *a, eb_question *question, eb_share *whole)
{
    *question = (eb_question){.eps = eb_unpack_f64(a->packet)};
    question->schedule.kind = (eb_schedule_kind)eb_unpack_u64(a->packet);
    question->expected = eb_unpack_u64(a->packet);
    question->pairs_alone = eb_unpack_u64(a->packet) != 0;
    question->choice = (unsigned)eb_unpack_u64(a->packet);
    whole->row_begin = (size_t)eb_unpack_u64(a->packet);
    whole->row_end = (size_t)eb_unpack_u64(a->packet);
    whole->part = (unsigned)eb_unpack_u64(a->packet);
    whole->parts = (unsigned)eb_unpack_u64(a->packet);
}

/* The same, and which part of it is this rank's. */
static inline void eb_get_question(const eb_asked_here *a, eb_question *question, eb_share *share)
{
    eb_share whole = {.parts = 1};
    eb_get_whole_question(a, question, &whole);
    *share = eb_share_of_rank(&whole, a->transport->rank, a->transport->ranks);
}
