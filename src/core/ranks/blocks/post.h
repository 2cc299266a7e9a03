/* post: blocks of points that pass between ranks while they answer one question. A rank asks another one for rows of
 * its block when it has room for them, and a thread of the other rank sends them. So what a rank holds of others is
 * bounded by what it has asked for, however far the ranks are apart.
 *
 * Every rank begins and ends the post in each question, even if it needs nothing: others may need its block.
 */
#pragma once

#include <pthread.h>

#include "core/base/job.h"
#include "core/data/dataset.h"
#include "core/ranks/blocks/deal.h"
#include "core/ranks/letter.h"

/* A rank that wants rows of this rank's block. */
typedef struct eb_want {
    uint64_t number; /* of the question */
    unsigned from;
    eb_rows rows;
} eb_want;

/* Rows of another rank's block, which come in pieces. */
typedef struct eb_passing {
    unsigned from;
    unsigned char *rows;
    size_t bytes, arrived;
    struct eb_passing *next;
} eb_passing;

typedef struct eb_post {
    const eb_transport *transport;
    pthread_t sender;
    pthread_mutex_t lock; /* guards the members below */
    pthread_cond_t changed;
    uint64_t number, newest; /* of the present question, 0: none; of the last one that began */
    eb_want *want;
    size_t wants, room;
    eb_passing *passing;
    size_t passing_bytes, peak_bytes; /* of `passing`; the most in the present question */
    eb_status failure;                /* of sending */
    bool stopping;

    /* of the present question */
    const eb_dataset *block;
    size_t first; /* the block's first row */
    unsigned takers;
    eb_job *job;
} eb_post;

void eb_post_open(eb_post *post, const eb_transport *transport);
void eb_post_close(eb_post *post); /* after the last question */

/* Takes EB_WANT or EB_PASSING of the present question, or EB_WANT of a later one; the caller keeps the letter. May be
 * called from another thread at any time between open and close. */
void eb_post_take(eb_post *post, const eb_letter *letter);

/* block: this rank's, rows `first` and so on of the whole set; `takers` others need some of it. */
eb_code eb_post_begin(eb_post *post, uint64_t number, const eb_dataset *block, size_t first, unsigned takers,
                      eb_job *job, eb_status *status);

/* Asks for rows, makes room for them, and waits for them. They are *out, row after row, until eb_post_drop. */
eb_code eb_post_ask(eb_post *post, unsigned from, eb_rows rows, size_t row_bytes, eb_status *status);
eb_code eb_post_wait(eb_post *post, unsigned from, const unsigned char **out, eb_status *status);
void eb_post_drop(eb_post *post, unsigned from);

/* Waits until all takers have been sent their rows. If the question has failed here already, it only ends the post. */
eb_code eb_post_end(eb_post *post, bool failed, eb_status *status);
