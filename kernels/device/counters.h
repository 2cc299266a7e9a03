/* counters: hardware counters of the work done in a callback, by CUPTI's range profiler in this process.
 *
 * The library is loaded on first use. Without it, or without the privilege, the functions fail and the error says what
 * to do. The host half (names, passes) needs no GPU. Do not measure time inside a profiled pass.
 */
#pragma once

#include "core/base/status.h"
#include "core/engine/device.h"
#include "kernels/device/counter_table.h"

/* Number of passes that these counters need together on a chip ("GH100", "GA100"), and how many of the counters the
 * chip has. An older chip lacks some; their values are NAN. EB_NO_DEVICE if the library is missing, EB_USAGE if the
 * chip is unknown. */
eb_code eb_counters_passes(const char *chip, size_t *passes, size_t *known, eb_status *status);

/* Runs work(context) once per pass on the device and fills values[eb_counter_count()]; NAN where the hardware lacks the
 * counter. work must do the same each time. EB_NO_DEVICE if no counters can be read; the message says what to do. */
eb_code eb_counters_collect(int device, eb_code (*work)(void *context, eb_status *status), void *context,
                            double *values, size_t *passes, eb_status *status);

/* ---- a team's devices ---- */

/* What was counted on one device of a team. */
typedef struct eb_device_counters {
    int device;
    char name[16];     /* "cuda:1" */
    double *values;    /* [eb_counter_count()]; NULL: none */
    char why_not[256]; /* why there are none; "" */
} eb_device_counters;

typedef struct eb_team_counters {
    unsigned devices; /* different ones: a GPU that is named twice is counted once, with what both members did */
    eb_device_counters device[EB_MOST_MEMBERS];
    size_t passes; /* of each device; 0: nothing was counted */
} eb_team_counters;

typedef eb_code eb_counters_collector(int device, eb_code (*work)(void *context, eb_status *status), void *context,
                                      double *values, size_t *passes, eb_status *status);

/* Collects the counters of one device after the other, by `collect` (eb_counters_collect), so work runs once per pass
 * and device. A device without counters (EB_NO_DEVICE) says why, and the others are still counted; EB_NO_DEVICE if all
 * are without. Other failures end it. Fill *out and free it in any case. */
eb_code eb_team_counters_collect(const eb_device *team, eb_counters_collector *collect,
                                 eb_code (*work)(void *context, eb_status *status), void *context,
                                 eb_team_counters *out, eb_status *status);
void eb_team_counters_free(eb_team_counters *counters);

/* The team's values: counts and bytes are sums, times the longest, all else (shares, rates) means of the devices. NAN
 * where any device lacks the value. values: [eb_counter_count()]. */
void eb_team_counters_total(const eb_team_counters *counters, double *values);
