/* asking: one question to several members of a team at once, each for its part of the answer, on a thread of its own.
 *
 *   eb_asking_begin ──▶ who is present ──▶ the caller prepares their parts ──▶ eb_asking_run
 *
 * A device that is lost meanwhile leaves the team; whoever asks again begins anew, with those who are left.
 */
#pragma once

#include "core/team/meeting.h"
#include "core/team/members.h"

typedef struct eb_asking {
    eb_members *team;
    unsigned present; /* members that are asked */
    eb_member *member[EB_MOST_MEMBERS];
    eb_meeting *meeting; /* theirs, until eb_asking_run returns */

    /* The part of the k-th that is present. */
    eb_code (*answer)(struct eb_asking *asking, unsigned k, eb_status *why);
    void *question; /* for `answer` */

    eb_code first; /* the failure that is the cause of the others */
    unsigned who;  /* who had it */
    eb_status why;
} eb_asking;

/* Finds the first members, at most `most`, that are not lost. EB_NO_DEVICE if all are. Afterwards team->was_lost is
 * false. */
eb_code eb_asking_begin(eb_members *team, unsigned most, eb_asking *asking, eb_status *status);

/* Asks them and adds what they did to the caller's figures. If a device was lost and others are left, team->was_lost is
 * true. One that is asked alone answers on the caller's thread. */
eb_code eb_asking_run(eb_asking *asking, eb_status *status);
