/* team_counters: the counters of each device of a team, and of all together (counters.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/device/counters.h"

/* The place of a device; a new one unless the device is there. */
static eb_device_counters *place_of(eb_team_counters *all, int device)
{
    for (unsigned k = 0; k < all->devices; k++)
        if (all->device[k].device == device)
            return &all->device[k];
    eb_device_counters *next = &all->device[all->devices++];
    const eb_device_named named = {.kind = EB_DEVICE_CUDA, .members = 1, .member = {device}};
    char name[EB_DEVICE_NAME];
    next->device = device;
    (void)snprintf(next->name, sizeof next->name, "%.15s", eb_device_name_write(&named, name));
    return next;
}

static eb_code collect_one(eb_team_counters *all, eb_device_counters *one, eb_counters_collector *collect,
                           eb_code (*work)(void *, eb_status *), void *context, eb_status *status)
{
    eb_status why = {.code = EB_OK, .message = ""};
    size_t passes = 0;
    one->values = calloc(eb_counter_count(), sizeof *one->values);
    if (!one->values)
        return eb_fail_memory(status, "counters", eb_counter_count() * sizeof *one->values);
    const eb_code failed = collect(one->device, work, context, one->values, &passes, &why);
    if (!failed) {
        all->passes = passes;
        return EB_OK;
    }
    free(one->values);
    one->values = NULL;
    (void)snprintf(one->why_not, sizeof one->why_not, "%.255s", why.message);
    return failed == EB_NO_DEVICE ? EB_OK : eb_fail(status, failed, "%s: %s", one->name, why.message);
}

eb_code eb_team_counters_collect(const eb_device *team, eb_counters_collector *collect,
                                 eb_code (*work)(void *context, eb_status *status), void *context,
                                 eb_team_counters *out, eb_status *status)
{
    bool any = false;
    memset(out, 0, sizeof *out);
    for (unsigned k = 0; k < team->members; k++) {
        const unsigned before = out->devices;
        eb_device_counters *one = place_of(out, team->member[k]);
        if (out->devices > before)
            EB_TRY(collect_one(out, one, collect, work, context, status));
        any |= one->values != NULL;
    }
    return any ? EB_OK : eb_fail(status, EB_NO_DEVICE, "%s", out->device[0].why_not);
}

void eb_team_counters_free(eb_team_counters *counters)
{
    for (unsigned k = 0; k < counters->devices; k++)
        free(counters->device[k].values);
    memset(counters, 0, sizeof *counters);
}

/* ---- all together ---- */

static double together(const eb_team_counters *all, size_t counter)
{
    const char *unit = eb_counter_at(counter)->unit;
    const bool sum = strcmp(unit, "count") == 0 || strcmp(unit, "bytes") == 0, longest = strcmp(unit, "seconds") == 0;
    double total = 0;
    for (unsigned k = 0; k < all->devices; k++) {
        const double value = all->device[k].values ? all->device[k].values[counter] : NAN;
        if (isnan(value))
            return NAN;
        total = longest ? fmax(total, value) : total + value;
    }
    return sum || longest ? total : total / all->devices;
}

void eb_team_counters_total(const eb_team_counters *counters, double *values)
{
    for (size_t k = 0; k < eb_counter_count(); k++)
        values[k] = counters->devices > 0 ? together(counters, k) : NAN;
}
