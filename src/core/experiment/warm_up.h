/* warm_up: work before the trials of a run, so that the first is like the others: clocks have gone up, code is loaded,
 * the engine has its memory.
 *
 * A whole pass does all that, tells how many pairs there are and, asked at a larger ε, how many FP64 itself cannot
 * decide (uncertainty.h); it also makes one wait for a long join once more. A GPU's clock has gone up after some 0.1 s
 * of work, a CPU's sooner: a part of the tiles does.
 */
#pragma once

#include "core/engine/problem.h"

typedef enum eb_warm_up {
    EB_WARM_UP_NONE,
    EB_WARM_UP_PART, /* of the tiles */
    EB_WARM_UP_FULL, /* a whole pass */
    EB_WARM_UP_AUTO, /* a whole pass where it takes half a second or less, else a part */
} eb_warm_up;

#define EB_WARM_UPS "auto|part|full|none|0" /* 0: none */

const char *eb_warm_up_name(eb_warm_up warm_up); /* "auto", … */
eb_warm_up eb_warm_up_of(const char *name);      /* NULL, or none of them: auto */

/* A pass is done whole without a look when it has so few coordinates to compare that any machine soon has: what a run
 * reports of small data does not depend on how fast it is. */
bool eb_warm_up_is_small(const eb_problem *problem);

/* Opens and closes one of the points alone, so that no trial has a GPU's own start in it, warm-up or not. What fails
 * here fails in the trial again, which tells of it. */
void eb_warm_up_wake(const eb_setup *setup, const eb_problem *problem, eb_job *job);

/* Counts tiles, part after part, each as much as all before, until that has taken a quarter of a second; or, with
 * stop_if_short, until all of them are known to take half a second or less. *share: of the pass that was done. */
eb_code eb_warm_up_part(const eb_setup *setup, const eb_problem *problem, double eps, bool stop_if_short, eb_job *job,
                        double *share, bool *is_short, eb_status *status);

/* Seconds from opening to the end of a whole pass, by parts of one that take about enough_s; NAN: it failed. */
double eb_warm_up_estimate(const eb_setup *setup, const eb_problem *problem, double eps, double enough_s, eb_job *job);
