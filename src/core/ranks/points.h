/* points: datasets on their way from rank 0 to all others. Rank 0 sends the rows to rank 1, and each rank passes them
 * on to the next, piece by piece, so that all receive at about the same time and no network sees them twice. Of points
 * that are held as blocks, rank 0 sends each other rank its own (blocks/deal.h).
 */
#pragma once

#include <pthread.h>

#include "core/data/dataset.h"
#include "core/ranks/rounds.h"

/* ---- rank 0: which points the others have ---- */

typedef struct eb_told_points {
    uint64_t number;
    char sha256[65];    /* "": unsealed, never found again */
    bool blocks;        /* each rank has its block; false: all points */
    size_t n, d, bytes; /* bytes: in each rank */
    const unsigned char *rows;
    unsigned uses; /* open problems */
} eb_told_points;

typedef struct eb_points_told {
    pthread_mutex_t lock; /* two sessions may compute at once */
    eb_told_points *told; /* the least recently used ones first */
    size_t count, room;
    uint64_t last; /* the last number */
} eb_points_told;

void eb_points_told_begin(eb_points_told *told);
void eb_points_told_free(eb_points_told *told); /* frees the list, not the struct */

/* Makes sure that all ranks have the points, or will have them before they open a problem: *number. They keep them
 * until eb_points_leave, and a while longer. */
eb_code eb_points_share(eb_ranks *ranks, const eb_dataset *points, bool blocks, eb_job *job, uint64_t *number,
                        eb_status *status);
void eb_points_leave(eb_ranks *ranks, uint64_t number);

/* ---- the other ranks: the points they have ---- */

typedef struct eb_held {
    uint64_t number;
    eb_dataset points;
    unsigned char *rows;
    size_t bytes, arrived;
    struct eb_held *next;
} eb_held;

typedef struct eb_held_points {
    eb_held *first;
    bool ending; /* waiting is in vain */
    pthread_mutex_t lock;
    pthread_cond_t arrived;
} eb_held_points;

void eb_held_begin(eb_held_points *held);
void eb_held_end(eb_held_points *held); /* frees all */
void eb_held_give_up(eb_held_points *held);

/* Takes EB_POINTS_HEAD or EB_POINTS_PIECE, and passes it on; or EB_BLOCK_HEAD or EB_BLOCK_PIECE. Frees the message. */
eb_code eb_held_take(eb_held_points *held, const eb_transport *transport, eb_letter *message, eb_status *status);

/* Waits until the points are there. They stay until eb_held_drop. */
eb_code eb_held_wait(eb_held_points *held, uint64_t number, eb_job *job, const eb_dataset **out, eb_status *status);
void eb_held_drop(eb_held_points *held, uint64_t number);

size_t eb_held_bytes(eb_held_points *held); /* of all points that are there */
