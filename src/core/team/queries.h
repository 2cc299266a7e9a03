/* queries: all distances of some points, which the members of a team compute at once, each of some of the queries,
 * where that is worth the threads. If a device is lost, the others answer anew. */
#pragma once

#include "core/engine/engine.h"

/* `distances` and `bins` of eb_implementation; the state is an eb_members. */
eb_code eb_team_distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status);
eb_code eb_team_bins(void *state, const uint32_t *rows, size_t m, eb_bins *out, eb_status *status);
