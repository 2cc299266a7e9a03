/* shared_nearest: the k nearest of queries, of which each rank finds those of a range of queries among all points.
 * Ranks send k entries a query, where joins would send all pairs within a radius. */
#pragma once

#include "core/ranks/shared.h"

/* `nearest_rows` of eb_implementation; the state is an eb_shared. EB_NO_ENGINE where ranks hold blocks, and on GPUs. */
eb_code eb_shared_nearest(void *state, const eb_nearest_rows *question, eb_status *status);
