#include "core/engine/budget.h"

#include <stdio.h>

eb_budget eb_budget_of(const eb_setup *setup, size_t count, const eb_dataset *points, uint64_t limit)
{
    eb_budget budget = {.limit = limit};
    for (size_t k = 0; k < count && limit; k++) {
        const eb_implementation *run = setup[k].run;
        bool host = setup[k].device.kind == EB_DEVICE_CPU && run->memory_needed;
        uint64_t needs = host ? run->memory_needed(points->n, points->d, points->dtype) : 0;
        if (needs <= limit && needs > budget.points)
            budget.points = needs;
    }
    budget.tables = limit - budget.points;
    if (limit && budget.tables == 0)
        budget.tables = 1; /* since 0 means no limit */
    return budget;
}

char *eb_budget_words(const eb_budget *budget, char *buffer, size_t size)
{
    if (budget->points)
        (void)snprintf(buffer, size, "the limit is %llu, of which the engine's points take %llu",
                       (unsigned long long)budget->limit, (unsigned long long)budget->points);
    else
        (void)snprintf(buffer, size, "the limit is %llu", (unsigned long long)budget->limit);
    return buffer;
}
