#include "shell/recall/counters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/device/counters.h"

/* Loads that are no look-ups are of what all lanes read alike, a wavefront each. */
static void take_counters(const double *values, eb_recall_cell *cell)
{
    double loads = NAN, wavefronts = NAN;
    const double lookups = (double)cell->work.lookups;
    for (size_t k = 0; k < eb_counter_count(); k++) {
        const char *key = eb_counter_at(k)->key;
        if (strcmp(key, "shared_loads") == 0)
            loads = values[k];
        else if (strcmp(key, "shared_load_wavefronts") == 0)
            wavefronts = values[k];
        else if (strcmp(key, "occupancy") == 0)
            cell->occupancy = values[k];
    }
    cell->wavefronts = (wavefronts - (loads - lookups)) / lookups;
}

eb_code eb_recall_count(int device, eb_code (*search)(void *context, eb_status *status), void *context,
                        eb_recall_cell *cell, char why_not[sizeof((eb_status *)0)->message], eb_status *status)
{
    eb_status why = {.message = ""};
    size_t passes;
    double *values = calloc(eb_counter_count(), sizeof *values);
    if (!values)
        return eb_fail_memory(status, "counters", eb_counter_count() * sizeof *values);
    const eb_code failed = eb_counters_collect(device, search, context, values, &passes, &why);
    if (!failed)
        take_counters(values, cell);
    free(values);
    if (failed && failed != EB_NO_DEVICE)
        return eb_fail(status, failed, "%s", why.message);
    (void)snprintf(why_not, sizeof why.message, "%s", failed ? why.message : "");
    return EB_OK;
}
