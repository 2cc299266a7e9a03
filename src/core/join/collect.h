/* collect: a table in row ranges, where there is room for the table but not for building it in one piece. */
#ifndef EB_CORE_JOIN_COLLECT_H
#define EB_CORE_JOIN_COLLECT_H

#include "core/join/join.h"

/* As eb_join_run, the batches moved into one table of `entries` entries that is there beforehand; the plan's memory
 * limit is what the batches may take beside it. Copying counts as eb_figure_table. The caller frees *out;
 * EB_INTERNAL when the batches are more than was said. */
eb_code eb_join_collect(eb_opened *opened, const eb_join_plan *plan, uint64_t entries, eb_neighbours **out,
                        eb_join_result *result, eb_status *status);

#endif
