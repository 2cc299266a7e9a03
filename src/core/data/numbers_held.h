/* numbers_held: which number types of tensor cores hold every value of a dataset exactly.
 *
 * A type holds the values as stored, or times one power of two: then no rounding changes a point. INT8 holds whole
 * numbers −127 … 127, or multiples level · step of one step with |level| ≤ 127. Bytes up to 255 are not INT8: a level
 * after an offset is another point set. FP64 always holds the values.
 */
#pragma once

#include "core/base/job.h"
#include "core/data/dataset.h"
#include "core/data/number.h"

typedef struct eb_held {
    bool exact;        /* as stored */
    bool exact_scaled; /* times 2^exponent; INT8: divided by the step */
    int exponent;      /* the one nearest to 0; 0 if exact, and for INT8 */
    double step;       /* INT8: the greatest step, if exact_scaled; other types and points that are all 0: 1 */
} eb_held;

/* One pass over the points. It ends early once only FP64 holds the values. */
eb_code eb_numbers_held(const eb_dataset *ds, unsigned threads, eb_job *job, eb_held out[EB_NUMBERS],
                        eb_status *status);

/* The greatest step of which every value of some sets is a multiple, of at most `levels` ≤ 2^20 steps; 0: there is
 * none. 1 if all values are 0. It ends early once there is none. */
eb_code eb_numbers_step(const eb_dataset *const *sets, size_t count, unsigned levels, unsigned threads, eb_job *job,
                        double *out, eb_status *status);
