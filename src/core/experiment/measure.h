/* measure: run one engine at one ε, several times, and keep every trial.
 *
 * A trial is end to end: open (upload, conversion, norms), kernels, table, close. A warm-up comes first (warm_up.h). A
 * whole one is the same as a trial but not kept; a truth's is asked at a slightly larger ε, which tells how many pairs
 * FP64 itself cannot decide (uncertainty.h); where a part was enough, the run's note says so. The observer hears of
 * each trial as it ends, so that the log has it even if the process is killed during the next. A table that does not
 * fit its limit is not cut: the run only counts, and its note says so. One that keeps no distances cannot tell which
 * pairs are undecided.
 */
#pragma once

#include "core/accuracy/uncertainty.h"
#include "core/engine/budget.h"
#include "core/experiment/forecast.h"
#include "core/experiment/statistics.h"
#include "core/experiment/warm_up.h"
#include "core/join/join.h"

typedef enum eb_run_mode { EB_RUN_COUNT, EB_RUN_TABLE } eb_run_mode;
typedef enum eb_run_state { EB_RUN_RUNNING, EB_RUN_DONE, EB_RUN_PARTIAL, EB_RUN_FAILED } eb_run_state;

const char *eb_run_state_name(eb_run_state state); /* "running", "done", "partial", "failed" */

#define EB_MAX_TRIALS 1000u

typedef struct eb_run {
    eb_setup setup;
    double eps;
    eb_run_mode mode; /* what the trials did: becomes EB_RUN_COUNT when the table does not fit */
    eb_run_state state;
    size_t n, d;
    eb_distances distances; /* that its table keeps, or one made again */
    uint64_t pairs;         /* |R|; valid when trials_done > 0 */
    unsigned trials_wanted, trials_done;
    eb_figures *trials;                /* [trials_done] */
    char warning[EB_UNCERTAINTY_TEXT]; /* why the result is not to be trusted (uncertainty.h); "": it is */
    char note[640]; /* the setup's note, the engine's describe(), and why a table was not kept; "": nothing to say */
    eb_neighbours *table; /* EB_RUN_TABLE: of a finished trial; NULL: none kept */
    size_t batches;       /* row batches a table took */
    eb_warm_up warm_up;   /* that was done: never EB_WARM_UP_AUTO */
    double warm_up_s;     /* it took, looking at how long a pass takes included */
    int64_t row;          /* the observer's number for it; 0: none */
} eb_run;

typedef struct eb_run_observer {
    void *context;
    void (*started)(void *context, eb_run *run);                     /* may set run->row */
    void (*trial)(void *context, const eb_run *run, unsigned trial); /* run->trials[trial] */
    void (*ended)(void *context, const eb_run *run);                 /* run->state says how */
} eb_run_observer;

typedef struct eb_measure_request {
    const eb_setup *setup;
    eb_problem problem;
    double eps;
    eb_run_mode mode;
    unsigned trials; /* ≥ 1 */
    eb_warm_up warm_up;
    eb_budget memory; /* .tables: for the neighbour table and its building; beyond it the run counts */
    eb_distances distances;
    eb_forecast *forecast; /* of the command that this run is a part of; NULL: it is all of it */
} eb_measure_request;

/* EB_USAGE where the engine's table cannot keep such distances. Fills *run (also on failure and cancel, with what was
 * finished): EB_RUN_PARTIAL when cancelled, EB_RUN_FAILED on any other failure. Trials must agree on |R| or it is
 * EB_INTERNAL; one whose points changed meanwhile is none, EB_CHANGED. The caller frees with eb_run_free. observer, and
 * each of its functions, may be NULL; ended is called exactly when started was. */
eb_code eb_measure(const eb_measure_request *request, const eb_run_observer *observer, eb_job *job, eb_run *run,
                   eb_status *status);
void eb_run_free(eb_run *run); /* frees what it holds, not run itself */

/* A figure of each trial, NAN where a trial lacks it: [trials_done], heap; NULL: none, or no memory. */
double *eb_run_samples(const eb_run *run, const char *key);
eb_summary eb_run_summary(const eb_run *run, const char *key);

/* The run's trials against the baseline's, by a figure of each. */
eb_judgement eb_judge_runs(const eb_run *baseline, const eb_run *run, const char *key);

/* Whatever figures the trials have, one of each key, in the order in which they first came. False beyond the last. */
bool eb_run_figure_at(const eb_run *run, size_t index, eb_figure *out);

/* (|R| − n)/n */
double eb_selectivity(uint64_t pairs, size_t n);

/* Derived rate, FLOP/s: 2·n²·d / seconds, d unpadded, as in the FASTED paper. NAN when seconds is not > 0. */
double eb_derived_flops(size_t n, size_t d, double seconds);
