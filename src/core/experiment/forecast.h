/* forecast: predicts how long a command that runs engines will take. The first forecast comes from a short probe of
 * each engine before the first trial; trials that end correct it. The job (job.h) gets the forecast: current run and
 * trial, seconds left of the trial, seconds left after it.
 */
#pragma once

#include "core/engine/problem.h"

#define EB_MOST_FORESEEN (EB_MOST_OPTIONS + 1)

typedef struct eb_forecast {
    eb_job *job;
    const char *what; /* noun for a run in progress messages: "engine", "variant" */
    size_t runs, at;
    unsigned trials;                  /* per run */
    double trial_s[EB_MOST_FORESEEN]; /* for each run; NAN: unknown, then another run's is used */
    double measured_s;                /* sum over this run's trials so far */
    unsigned measured;
    double beyond_s; /* seconds after the last of these runs; NAN: unknown */
} eb_forecast;

/* `what` is static text. */
void eb_forecast_begin(eb_forecast *forecast, eb_job *job, const char *what, size_t runs, unsigned trials);

/* Probes run k for some hundredths of a second; opens the problem once. Does nothing if all the work is small. Ignores
 * errors: the run itself will report them. */
void eb_forecast_look(eb_forecast *forecast, size_t k, const eb_setup *setup, const eb_problem *problem, double eps);

/* Gives the job the total forecast. */
void eb_forecast_announce(const eb_forecast *forecast);

void eb_forecast_run(eb_forecast *forecast, size_t k);               /* run k begins, with its warm-up */
void eb_forecast_trial(eb_forecast *forecast, unsigned trial);       /* a trial begins; the first is 0 */
void eb_forecast_trial_ended(eb_forecast *forecast, double seconds); /* a whole warm-up counts as a trial */
void eb_forecast_end(eb_forecast *forecast);                         /* clears the job's steps and forecast */

/* Forecast seconds after the current trial; NAN: unknown. */
double eb_forecast_after(const eb_forecast *forecast, unsigned trial);
