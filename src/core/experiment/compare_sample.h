/* compare_sample: whether a comparison draws a sample of the points, and of how many.
 *
 * A comparison of a small dataset (eb_warm_up_is_small) is never sampled by itself, so that its report does not depend
 * on the machine's speed. Of others, each engine on a CPU is probed for some hundredths of a second. If the trials are
 * forecast to take longer than EB_LONG_COMPARISON_S, EB_COMPARED_SAMPLE points are drawn; fewer, but at least
 * EB_LEAST_SAMPLE, if they would take as long.
 */
#pragma once

#include "core/engine/problem.h"

#define EB_LONG_COMPARISON_S 10.0
#define EB_COMPARED_SAMPLE 2000u
#define EB_LEAST_SAMPLE 100u

/* Forecast seconds of these engines' trials on a CPU. 0 for a small dataset, and with an engine that has `nearest`,
 * which may answer a query set otherwise than its own points. An engine that cannot be probed is not counted: its run
 * reports why. */
double eb_comparison_forecast(const eb_setup *setup, size_t count, const eb_dataset *points, double eps,
                              unsigned trials, eb_job *job);

/* Points to draw of n if comparing all takes so long; 0: all are compared. */
size_t eb_sample_for(size_t n, double whole_s);
