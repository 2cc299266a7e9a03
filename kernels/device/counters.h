/* counters: hardware counters of the work done in a callback, through CUPTI's range profiler, in this process.
 *
 * The library is loaded on first use; without it, or without the privilege, the functions fail with a sentence that
 * says what to do. The host half (names, passes) needs no GPU. Never time inside a profiled pass.
 */
#pragma once

#include "core/base/status.h"
#include "kernels/device/counter_table.h"

/* Passes over the work that these counters take together on a chip ("GH100", "GA100"), by CUPTI's host half, and how
 * many of them the chip has: an older one lacks some, whose values are NAN. EB_NO_DEVICE when the library is missing,
 * EB_USAGE when the chip is unknown. */
eb_code eb_counters_passes(const char *chip, size_t *passes, size_t *known, eb_status *status);

/* Runs work(context) once a pass on the current device and fills values[eb_counter_count()], NAN where the hardware has
 * none. work must do the same each time. EB_NO_DEVICE with what to do when counters are not to be had. */
eb_code eb_counters_collect(int device, eb_code (*work)(void *context, eb_status *status), void *context,
                            double *values, size_t *passes, eb_status *status);
