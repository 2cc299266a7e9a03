/* passes: distance passes over points that do not fit memory, slab by slab (slabs.h).
 *
 * Slab k is joined with the points above its upper edge that are within reach. Its own pairs and those across that edge
 * are the pairs among all of these points without the pairs among the ones above. So each pair of the whole set counts
 * once, and its distance has the bits that it has in one piece, since an engine that gives the truth looks at two
 * points only.
 */
#pragma once

#include "core/engine/problem.h"

/* Opens a self-join whose points are cut whenever a pass is asked for; nothing else may be asked. `bytes` is the memory
 * for the points of a slab, as stored and in the engine; twice that is tried, too. If no cut along a dimension leaves
 * slabs that fit, the pass is made in one piece. The engine must have memory_needed and give the truth. Closed by
 * eb_problem_close. */
eb_code eb_slabs_open(const eb_setup *setup, const eb_problem *problem, uint64_t bytes, eb_job *job, eb_opened *out,
                      eb_status *status);
