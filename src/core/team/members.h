/* members: the state of a team (team.h), and the figures of its members as one run's. */
#pragma once

#include "core/engine/engine.h"

typedef struct eb_member {
    eb_device device;
    eb_context context;
    eb_figures figures, before; /* of all its work; as they were when the present question began */
    void *state;                /* the engine's; NULL: not open */
    bool lost;
} eb_member;

typedef struct eb_members {
    eb_implementation run; /* what the team answers as */
    const eb_implementation *engine;
    const eb_problem *problem;
    const eb_context *context; /* the caller's, for all */
    unsigned members;          /* lost ones included */
    eb_member *member;         /* [members] */
    bool was_lost;             /* a device, by the last question */
    char note[400], description[820];
} eb_members;

/* The device is lost: the member answers no more, and the note says why. */
void eb_member_lose(eb_members *team, eb_member *member, const char *why);

/* True if all others are lost. */
bool eb_member_is_last(const eb_members *team, const eb_member *member);

/* Adds what all members did since `before` to the caller's figures. Parts of the time are those of the member whose
 * kernels took longest, since all worked at once; operations, energy and candidates add up. */
void eb_members_add_figures(const eb_members *team);

/* The same for a question that one member answered. */
void eb_member_add_figures(const eb_members *team, const eb_member *member);
