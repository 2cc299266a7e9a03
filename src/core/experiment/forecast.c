#include "core/experiment/forecast.h"

#include <math.h>

#include "core/experiment/warm_up.h"

#define LOOK_S 0.05
#define SOON_DONE 1e11 /* coordinates to compare: some seconds on a CPU, a moment on a GPU */

enum { RUNS, TRIALS }; /* levels of the job's steps */

void eb_forecast_begin(eb_forecast *f, eb_job *job, const char *what, size_t runs, unsigned trials)
{
    *f = (eb_forecast){.job = job, .what = what, .runs = runs, .trials = trials};
    for (size_t k = 0; k < EB_MOST_FORESEEN; k++)
        f->trial_s[k] = NAN;
}

void eb_forecast_look(eb_forecast *f, size_t k, const eb_setup *setup, const eb_problem *problem, double eps)
{
    double coordinates = (double)problem->left->n * (double)problem->right->n * (double)problem->left->d;
    if (!f->job || k >= EB_MOST_FORESEEN || coordinates * (double)f->runs * (f->trials + 1.0) <= SOON_DONE)
        return;
    eb_job_phase(f->job, "looking ahead", 0);
    f->trial_s[k] = eb_warm_up_estimate(setup, problem, eps, LOOK_S, f->job);
}

/* A run without a forecast is assumed to take as long as the last earlier run that has one, or, if there is none, as
 * the first later run that has one. */
static double trial_of(const eb_forecast *f, size_t k)
{
    double known = NAN;
    for (size_t r = 0; r < EB_MOST_FORESEEN && (r <= k || isnan(known)) && r < f->runs; r++)
        known = isnan(f->trial_s[r]) ? known : f->trial_s[r];
    return known;
}

void eb_forecast_announce(const eb_forecast *f)
{
    double all_s = 0;
    for (size_t k = 0; k < f->runs; k++)
        all_s += f->trials * trial_of(f, k);
    eb_job_announce(f->job, all_s);
}

double eb_forecast_after(const eb_forecast *f, unsigned trial)
{
    double left_s = f->beyond_s + (double)(f->trials - trial - 1) * trial_of(f, f->at);
    for (size_t k = f->at + 1; k < f->runs; k++)
        left_s += f->trials * trial_of(f, k);
    return left_s;
}

void eb_forecast_run(eb_forecast *f, size_t k)
{
    f->at = k;
    f->measured_s = 0;
    f->measured = 0;
    eb_job_step(f->job, RUNS, f->what, (unsigned)k + 1, (unsigned)f->runs);
    eb_job_step(f->job, TRIALS, NULL, 0, 0);
    double trial_s = trial_of(f, k);
    eb_job_foresee(f->job, trial_s, eb_forecast_after(f, 0) + trial_s);
}

void eb_forecast_trial(eb_forecast *f, unsigned trial)
{
    eb_job_step(f->job, TRIALS, "trial", trial + 1, f->trials);
    eb_job_foresee(f->job, trial_of(f, f->at), eb_forecast_after(f, trial));
}

void eb_forecast_trial_ended(eb_forecast *f, double seconds)
{
    f->measured_s += seconds;
    f->measured++;
    if (f->at < EB_MOST_FORESEEN)
        f->trial_s[f->at] = f->measured_s / f->measured;
}

void eb_forecast_end(eb_forecast *f)
{
    eb_job_step(f->job, RUNS, NULL, 0, 0);
    eb_job_step(f->job, TRIALS, NULL, 0, 0);
    eb_job_foresee(f->job, NAN, NAN);
}
