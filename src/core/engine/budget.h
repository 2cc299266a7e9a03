/* budget: one limit of the host's memory for all that a join takes there: the points as a CPU engine prepares them, and
 * neighbour tables with their building. Tables get what the engine leaves.
 */
#pragma once

#include "core/engine/spec.h"

typedef struct eb_budget {
    uint64_t limit;  /* bytes; 0: none */
    uint64_t points; /* the engine's */
    uint64_t tables; /* what is left for all tables together; 0: no limit */
} eb_budget;

/* Of these engines, open one after another, the one that takes most counts. One on a GPU takes nothing of the host, and
 * one that needs more than the limit does without (or refuses to open, which is its own sentence). */
eb_budget eb_budget_of(const eb_setup *setup, size_t count, const eb_dataset *points, uint64_t limit);

/* "the limit is 10, of which the engine's points take 4", in bytes. Returns buffer. */
char *eb_budget_words(const eb_budget *budget, char *buffer, size_t size);
