/* served: the problems that a server has open, and its part of each question to them. For server.c. */
#pragma once

#include "core/ranks/blocks/blocks.h"
#include "core/ranks/chunks.h"
#include "core/ranks/keep/keeper.h"
#include "core/ranks/owner.h"
#include "core/ranks/points.h"

typedef struct eb_server_request {
    eb_transport *transport;
    eb_device_finder find; /* of this rank's devices */
    void *context;
    eb_row_keeper keep; /* NULL: this rank keeps no rows */
} eb_server_request;

/* Must not move while it is open. */
typedef struct eb_served {
    struct eb_served *next;
    uint64_t number;
    eb_setup setup;
    eb_problem problem;
    eb_dataset whole[2]; /* where this rank holds blocks: all points, without rows */
    eb_opened opened;
    eb_status failure;    /* of opening; questions get it as their answer */
    eb_neighbours *table; /* the rows that this rank owns of the last join; NULL: none */
    eb_row_keeper keep;   /* the request's */
} eb_served;

/* What a server has for all problems. */
typedef struct eb_holdings {
    eb_held_points points;
    eb_post post;
} eb_holdings;

/* Opens the problem of an EB_ASK_OPEN and puts it into the list. A failure to open is kept for the questions. */
eb_code eb_served_open(const eb_server_request *request, eb_holdings *has, const eb_letter *message, eb_job *job,
                       eb_served **list, eb_status *status);
void eb_served_close(eb_served **list, uint64_t number);
void eb_served_close_all(eb_served **list);

/* Answers a question: sends what goes ahead of the answer, and writes the answer's result. */
eb_code eb_served_answer(const eb_transport *transport, eb_exchange *exchange, eb_chunk_box *chunks,
                         const eb_letter *message, eb_job *job, eb_served *list, eb_packet *result, eb_status *status);
