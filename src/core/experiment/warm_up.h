/* warm_up: work before the trials of a run, so that the first trial is like the others: clocks are up, code is loaded,
 * the engine has its memory.
 *
 * A whole pass does all that and counts the pairs; at a larger ε it also counts the pairs that FP64 itself cannot
 * decide (uncertainty.h). But it doubles the wait for a long join. A GPU's clock is up after some 0.1 s of work, a
 * CPU's sooner, so a part of the tiles is enough.
 */
#pragma once

#include "core/engine/problem.h"

typedef enum eb_warm_up {
    EB_WARM_UP_NONE,
    EB_WARM_UP_PART, /* a part of the tiles */
    EB_WARM_UP_FULL, /* a whole pass */
    EB_WARM_UP_AUTO, /* a whole pass if it takes half a second or less, else a part */
} eb_warm_up;

#define EB_WARM_UPS "auto|part|full|none|0" /* 0 is another name for none */

const char *eb_warm_up_name(eb_warm_up warm_up); /* "auto", … */
eb_warm_up eb_warm_up_of(const char *name);      /* auto for NULL and unknown names */

/* True if there are so few coordinates to compare that any machine is soon done. Such a pass is done whole without an
 * estimate, so that the report on small data does not depend on the machine's speed. */
bool eb_warm_up_is_small(const eb_problem *problem);

/* Opens and closes a problem of one point, so that no trial includes a GPU's own start. Ignores errors: the trial will
 * report them. */
void eb_warm_up_wake(const eb_setup *setup, const eb_problem *problem, eb_job *job);

/* Counts tiles, part after part, each part as large as all before it, for a quarter of a second. With stop_if_short it
 * stops as soon as a whole pass is known to take half a second or less. *share: the share of the pass that was done. */
eb_code eb_warm_up_part(const eb_setup *setup, const eb_problem *problem, double eps, bool stop_if_short, eb_job *job,
                        double *share, bool *is_short, eb_status *status);

/* Estimated seconds from opening to the end of a whole pass, by counting parts for about enough_s; NAN on failure.
 * Says first if the engine emulates nearly all pairs (shared_pairs.h). */
double eb_warm_up_estimate(const eb_setup *setup, const eb_problem *problem, double eps, double enough_s, eb_job *job);
