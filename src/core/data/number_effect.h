/* number_effect: what number types of tensor cores do to a dataset's points, prepared as engine tensor prepares them.
 */
#pragma once

#include "core/base/job.h"
#include "core/data/dataset.h"
#include "core/data/number.h"

/* How coordinates are brought to the type's range: not at all; times the greatest power of two that keeps them within
 * the type and 2^15; for INT8 divided by one step, or by a step for each point, whose greatest coordinate has level
 * 127. */
typedef enum eb_fit { EB_FIT_NONE, EB_FIT_POWER, EB_FIT_STEP, EB_FIT_POINT_STEPS } eb_fit;

typedef struct eb_number_try {
    eb_number number;
    bool centred; /* the mean of the points is subtracted first */
    eb_fit fit;
} eb_number_try;

typedef struct eb_number_effect {
    int power;                     /* EB_FIT_POWER */
    double step;                   /* EB_FIT_STEP */
    uint64_t changed;              /* coordinates that rounding changes */
    uint64_t beyond;               /* coordinates beyond the type's greatest number */
    uint64_t vanished;             /* coordinates other than 0 that become 0 */
    double moved_mean, moved_most; /* ‖p − p̂‖ over points; ∞ if a coordinate becomes ∞ */
} eb_number_effect;

/* out[k] of tries[k], k < count. Mean and range are those of all points; `points` ≤ n of them, evenly spaced, are
 * rounded and counted. The result does not depend on the number of threads. */
eb_code eb_number_effects(const eb_dataset *ds, size_t points, const eb_number_try *tries, size_t count,
                          unsigned threads, eb_job *job, eb_number_effect *out, eb_status *status);
