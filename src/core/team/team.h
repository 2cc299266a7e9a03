/* team: one engine opened on several devices of this host, which answers as one engine on one device does.
 *
 *   question ──▶ member 0: part 0 of P ─┐
 *            ──▶ member 1: part 1 of P ─┼─▶ one count, one sink
 *            ──▶ …                      ┘
 *
 * Parts of the time are those of the member that worked longest; what adds up, such as executed FLOPs, is summed.
 *
 * Each member has all points and computes its part of the tiles, on a thread of its own, so no tile is computed twice.
 * For a table, members on GPUs exchange their pairs: each makes whole rows of an equal part of the rows, and downloads
 * them over its own link. Members on the CPU pass single hits. Passes over all distances and the queries of one
 * question are divided likewise; questions about few points are the first member's.
 *
 * A member whose device is lost (EB_NO_DEVICE) leaves the team; the question can be asked again, and the others answer
 * (eb_team_can_ask_again). A device that can't be opened is left out likewise. Devices of a team have one architecture
 * and count as equally fast.
 */
#pragma once

#include "core/engine/engine.h"

/* True if the device is a team of several. */
static inline bool eb_is_team(const eb_device *device) { return device->members > 1; }

/* The k-th device of a team, as a device of its own. */
eb_device eb_team_device(const eb_device *team, unsigned k);

/* Opens the engine on all members of context->device; EB_NO_DEVICE if none can be opened. *run and *state are what
 * eb_opened calls: functions of the team and its state, which run->close frees. The arguments must outlive the team. */
eb_code eb_team_open(const eb_implementation *engine, const eb_problem *problem, const eb_context *context,
                     const eb_implementation **run, void **state, eb_status *status);

/* True if the last question failed because a device was lost, and others are left. Says in a note which was lost. */
bool eb_team_can_ask_again(const eb_implementation *run, void *state);

/* Which devices were lost, and why: "cuda:1 was lost (…); the others did its share". "": none, or run is no team's.
 * Valid until the team is closed. `describe` says it too. */
const char *eb_team_losses(const eb_implementation *run, const void *state);

/* ---- what each member did ---- */

typedef struct eb_team_member {
    char device[16];
    bool lost;
    eb_figures figures; /* its own, since the team was opened */
} eb_team_member;

typedef struct eb_team_work {
    unsigned members; /* 0: no team */
    eb_team_member *member;
} eb_team_work;

/* Copies what the members did; to be freed. members = 0 if run is no team's, or memory is short. */
eb_team_work eb_team_work_of(const eb_implementation *run, const void *state);
eb_team_work eb_team_work_copy(const eb_team_work *work); /* likewise to be freed; members = 0 if memory is short */
void eb_team_work_free(eb_team_work *work);
