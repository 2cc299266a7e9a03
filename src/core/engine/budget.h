/* budget: dividing the limit of host memory between a CPU engine's prepared points and the neighbour tables with their
 * buffers. Tables get the memory that the engine leaves.
 */
#pragma once

#include "core/engine/spec.h"

typedef struct eb_budget {
    uint64_t limit;  /* bytes; 0: no limit */
    uint64_t points; /* bytes for the engine's points */
    uint64_t tables; /* bytes left for all tables together; 0: no limit */
} eb_budget;

/* The budget for several engines that are open one after another: the largest demand counts. Engines on a GPU take no
 * host memory. An engine that needs more than the limit gets nothing: it works without the memory or refuses to open.
 */
eb_budget eb_budget_of(const eb_setup *setup, size_t count, const eb_dataset *points, uint64_t limit);

/* "the limit is 10, of which the engine's points take 4", in bytes. Returns buffer. */
char *eb_budget_words(const eb_budget *budget, char *buffer, size_t size);
