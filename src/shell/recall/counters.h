/* counters: what the hardware counts of a search: what a look-up costs shared memory, and how many warps there
 * are.
 */
#ifndef EB_SHELL_RECALL_COUNTERS_H
#define EB_SHELL_RECALL_COUNTERS_H

#include "shell/recall/report.h"

/* Runs the search once a pass of the profiler, and fills the cell's wavefronts and occupancy; cell->work is that of one
 * such search. Counters that are not to be had are no failure: why_not tells the reason. */
eb_code eb_recall_count(int device, eb_code (*search)(void *context, eb_status *status), void *context,
                        eb_recall_cell *cell, char why_not[sizeof((eb_status *)0)->message], eb_status *status);

#endif
