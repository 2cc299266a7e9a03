/* counters: hardware counters of the work done in a callback, by CUPTI's range profiler in this process.
 *
 * The library is loaded on first use. Without it, or without the privilege, the functions fail and the error says what
 * to do. The host half (names, passes) needs no GPU. Do not measure time inside a profiled pass.
 */
#pragma once

#include "core/base/status.h"
#include "kernels/device/counter_table.h"

/* Number of passes that these counters need together on a chip ("GH100", "GA100"), and how many of the counters the
 * chip has. An older chip lacks some; their values are NAN. EB_NO_DEVICE if the library is missing, EB_USAGE if the
 * chip is unknown. */
eb_code eb_counters_passes(const char *chip, size_t *passes, size_t *known, eb_status *status);

/* Runs work(context) once per pass on the device and fills values[eb_counter_count()]; NAN where the hardware lacks the
 * counter. work must do the same each time. EB_NO_DEVICE if no counters can be read; the message says what to do. */
eb_code eb_counters_collect(int device, eb_code (*work)(void *context, eb_status *status), void *context,
                            double *values, size_t *passes, eb_status *status);
