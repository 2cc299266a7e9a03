/* shared: a problem that all ranks have open, as rank 0 asks it. */
#pragma once

#include "core/ranks/blocks/blocks.h"
#include "core/ranks/rounds.h"

typedef struct eb_shared {
    eb_ranks *ranks;
    eb_opened inner;   /* rank 0's own */
    eb_opened *outer;  /* the caller's; its context has the caller's job and figures */
    eb_problem stored; /* the points as loaded; every rank scales them itself */
    eb_implementation run;
    uint64_t number, left, right; /* of the problem and its points */
    bool told;                    /* the others know the problem */
    bool blocks;                  /* each rank holds a block of the points */
    const char *holding;          /* for a note, if the points should be held otherwise; "": nothing */
    eb_post post;                 /* for blocks that pass by */
    char description[600];
} eb_shared;

/* A question on its way: `round` without its context, and what the other ranks report with their answers. */
typedef struct eb_asked {
    eb_shared *shared;
    void *question;
    eb_code (*own)(void *question, eb_status *status);
    eb_code (*take)(void *question, const eb_letter *message, eb_status *status);
    eb_code (*answer)(void *question, unsigned from, eb_packet *packet, eb_status *status);
    bool cut; /* by a share of the tiles, which all ranks must cut alike */

    eb_round round;
    uint64_t number;             /* of the question, while own() runs */
    double own_s, kernel_s;      /* of rank 0's part; the longest of the others' kernels */
    double sums[EB_MOST_ADDING]; /* of the others' figures that add up; all else is rank 0's */
    double limits;               /* of the others' figure limit_flops */
    double held;                 /* the greatest of the others' held_bytes */
    char *description;           /* [ranks][300] of the others */
} eb_asked;

/* What an engine that chooses among ways has chosen here for a question; 0: all ranks choose alike. On the CPU they do,
 * by eb_context.deciding, and at the same time; GPUs differ in what they have room for. */
eb_code eb_shared_choice(eb_shared *shared, const eb_question *question, unsigned *choice, eb_status *status);

/* Tells the others the problem, if that is new, asks them, and adds to the figures. The packet begins with
 * eb_shared_packet. */
eb_packet eb_shared_packet(const eb_shared *shared);
eb_code eb_shared_ask(eb_asked *asked, uint32_t kind, eb_packet *packet, eb_status *status);
