/* forecast: how long a command that runs engines will take: from a short look at each before the first trial begins,
 * corrected as trials end. What it knows goes to the job (job.h): which run, which trial, how long this one takes, how
 * long what comes after it.
 */
#pragma once

#include "core/engine/problem.h"

#define EB_MOST_FORESEEN (EB_MOST_OPTIONS + 1)

typedef struct eb_forecast {
    eb_job *job;
    const char *what; /* a run is one of: "engine", "variant" */
    size_t runs, at;
    unsigned trials;                  /* of each run */
    double trial_s[EB_MOST_FORESEEN]; /* of each run; NAN: not known, and taken for the last that is */
    double measured_s;                /* this run's trials so far */
    unsigned measured;
    double beyond_s; /* what comes after all of these runs; NAN: not known */
} eb_forecast;

/* what: static text. */
void eb_forecast_begin(eb_forecast *forecast, eb_job *job, const char *what, size_t runs, unsigned trials);

/* Looks at run k for some hundredths of a second, opening the problem once; not at all where all of it is so little
 * work that it is soon done. A run that fails here fails when it is made, and tells of it. */
void eb_forecast_look(eb_forecast *forecast, size_t k, const eb_setup *setup, const eb_problem *problem, double eps);

/* Tells the job what all of it takes, as far as that is known now. */
void eb_forecast_announce(const eb_forecast *forecast);

void eb_forecast_run(eb_forecast *forecast, size_t k);               /* run k begins, with its warm-up */
void eb_forecast_trial(eb_forecast *forecast, unsigned trial);       /* counted from 0: begins */
void eb_forecast_trial_ended(eb_forecast *forecast, double seconds); /* warm-ups count where they are whole */
void eb_forecast_end(eb_forecast *forecast);                         /* what comes now is something else */

/* Seconds left after the present trial; NAN: not known. */
double eb_forecast_after(const eb_forecast *forecast, unsigned trial);
