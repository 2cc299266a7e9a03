/* tune_forecast: how long an exact pass over all distances takes, before one is made. The inside of tune. */
#ifndef EB_CORE_TUNE_TUNE_FORECAST_H
#define EB_CORE_TUNE_TUNE_FORECAST_H

#include "core/engine/problem.h"

/* Seconds, by passes over some of the points, at a near ε; 0 where it is soon done, NAN where it cannot be told. A
 * twentieth of a second and what opening so few points takes. */
double eb_pass_forecast(const eb_setup *setup, const eb_dataset *points, eb_job *job);

#endif
