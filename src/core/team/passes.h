/* passes: a distance pass that the members of a team compute at once, each a part of the pairs. */
#pragma once

#include "core/engine/engine.h"

/* `histogram` of eb_implementation; the state is an eb_members. A pass whose device is lost is made again by the
 * others. */
eb_code eb_team_histogram(void *state, eb_distance_pass *pass, eb_status *status);
