/* measure: runs one engine at one ε several times and keeps every trial.
 *
 * A trial is end to end: open (upload, conversion, norms), kernels, table, close. A warm-up comes first (warm_up.h). A
 * whole warm-up pass is like a trial but is not kept. For an FP64-exact engine it asks at a slightly larger ε, to count
 * the pairs that FP64 itself cannot decide (uncertainty.h); a table without distances cannot count them. After a
 * partial warm-up the run's note says so.
 *
 * The observer is called as each trial ends, so the log has the trial even if the process is killed during the next. A
 * table that does not fit its limit is not truncated: the run only counts, and its note says so.
 */
#pragma once

#include "core/accuracy/uncertainty.h"
#include "core/engine/budget.h"
#include "core/experiment/forecast.h"
#include "core/experiment/statistics.h"
#include "core/experiment/warm_up.h"
#include "core/join/join.h"
#include "core/team/team.h"

typedef enum eb_run_mode { EB_RUN_COUNT, EB_RUN_TABLE } eb_run_mode;
typedef enum eb_run_state { EB_RUN_RUNNING, EB_RUN_DONE, EB_RUN_PARTIAL, EB_RUN_FAILED } eb_run_state;

const char *eb_run_state_name(eb_run_state state); /* "running", "done", "partial", "failed" */

#define EB_MAX_TRIALS 1000u

typedef struct eb_run {
    eb_setup setup;
    double eps;
    eb_run_mode mode; /* what the trials did: EB_RUN_COUNT if the table did not fit */
    eb_run_state state;
    size_t n, d;
    size_t others;          /* right points of a join of two sets; 0: a self-join */
    eb_distances distances; /* kept in the table, or in one made later */
    uint64_t pairs;         /* |R|; valid when trials_done > 0 */
    unsigned trials_wanted, trials_done;
    eb_figures *trials;                /* [trials_done] */
    char warning[EB_UNCERTAINTY_TEXT]; /* why the result is not to be trusted (uncertainty.h); "": it can be */
    char note[640];       /* the setup's note, the engine's describe(), and why a table was not kept; may be "" */
    eb_neighbours *table; /* EB_RUN_TABLE: of a finished trial; NULL: none kept */
    size_t batches;       /* row batches that the table took */
    eb_warm_up warm_up;   /* as done, never EB_WARM_UP_AUTO */
    double warm_up_s;     /* seconds, including the probe that estimates a pass */
    eb_team_work team;    /* what each device of a team did in the last trial */
    int64_t row;          /* the observer's number for this run; 0: none */
} eb_run;

typedef struct eb_run_observer {
    void *context;
    void (*started)(void *context, eb_run *run);                     /* may set run->row */
    void (*trial)(void *context, const eb_run *run, unsigned trial); /* run->trials[trial] */
    void (*ended)(void *context, const eb_run *run);                 /* run->state is final */
} eb_run_observer;

typedef struct eb_measure_request {
    const eb_setup *setup;
    eb_problem problem;
    double eps;
    eb_run_mode mode;
    unsigned trials; /* ≥ 1 */
    eb_warm_up warm_up;
    eb_budget memory; /* .tables: limit for the neighbour table and its construction; beyond it the run only counts */
    eb_distances distances;
    eb_forecast *forecast; /* of the command that this run belongs to; NULL: the run makes its own */
} eb_measure_request;

/* EB_USAGE if the engine's table cannot keep such distances. Fills *run with the finished part also on failure and
 * cancel: EB_RUN_PARTIAL when cancelled, EB_RUN_FAILED on any other failure. Trials must agree on |R|, else
 * EB_INTERNAL. If the points change during a trial, the trial is dropped with EB_CHANGED. The caller frees with
 * eb_run_free. observer and each of its functions may be NULL; ended() is called exactly when started() was. */
eb_code eb_measure(const eb_measure_request *request, const eb_run_observer *observer, eb_job *job, eb_run *run,
                   eb_status *status);
void eb_run_free(eb_run *run); /* frees what *run holds */

/* One figure of each trial: [trials_done], on the heap; NAN where a trial lacks the figure. NULL if there are no trials
 * or no memory. */
double *eb_run_samples(const eb_run *run, const char *key);
eb_summary eb_run_summary(const eb_run *run, const char *key);

/* Compares the run's trials with the baseline's by one figure. */
eb_judgement eb_judge_runs(const eb_run *baseline, const eb_run *run, const char *key);

/* Returns the index-th of the figures that the trials have, each key once, in order of first appearance. False beyond
 * the last. */
bool eb_run_figure_at(const eb_run *run, size_t index, eb_figure *out);

/* (|R| − n)/n */
double eb_selectivity(uint64_t pairs, size_t n);

/* Number of right points. */
static inline size_t eb_run_right(const eb_run *run) { return run->others ? run->others : run->n; }

/* Derived rate in FLOP/s: 2·n·others·d / seconds, d unpadded, for a self-join 2·n²·d as in the FASTED paper. NAN unless
 * seconds > 0. */
double eb_derived_flops(size_t n, size_t others, size_t d, double seconds);
