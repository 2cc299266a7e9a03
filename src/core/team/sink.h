/* sink: what the members of a team pass to one sink. Single hits go on with thread numbers of their own. Whole rows of
 * all members, each of which has a run of rows, get their places at once: the table is made in one piece, and every
 * member fills its part of it at the same time.
 */
#pragma once

#include <stdatomic.h>

#include "core/engine/engine.h"
#include "core/team/meeting.h"

typedef struct eb_team_rows {
    const eb_sink *to;
    eb_meeting *meeting;
    _Atomic unsigned filling; /* members that have not finished */
} eb_team_rows;

typedef struct eb_team_sink {
    eb_team_rows *rows;
    unsigned member, first_thread;
} eb_team_sink;

/* The sink of a member, which *own keeps. rows: zeroed but for `to` and `meeting`. */
eb_sink eb_team_sink_of(eb_team_rows *rows, unsigned member, unsigned first_thread, eb_team_sink *own);
