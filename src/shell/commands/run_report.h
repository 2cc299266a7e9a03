/* run_report: what reports say about a finished run. */
#ifndef EB_SHELL_COMMANDS_RUN_REPORT_H
#define EB_SHELL_COMMANDS_RUN_REPORT_H

#include "core/report/report.h"
#include "core/study/measure.h"
#include "core/study/statistics.h"

/* The figures of a run's finished trials; what is unknown is NAN or n/a. */
typedef struct eb_run_figures {
    eb_value pairs, selectivity, stored;    /* stored: entries of the table; n/a when there is none */
    eb_summary kernel, total;               /* seconds */
    double tflops_derived, tflops_executed; /* at the median kernel time */
    double limit_share;                     /* executed rate over the device's measured limit of the engine */
    double energy_j, sm_clock_hz;           /* medians of what the device's management library said */
    char throttle[128]; /* what held the clock down in any trial, in words; "" when nobody watched */
} eb_run_figures;

eb_run_figures eb_run_figures_of(const eb_run *run);

/* The trials' seconds of one part of the timing, offsetof(eb_timing, …): [trials_done], heap; NULL: none, or no
 * memory. */
double *eb_run_seconds(const eb_run *run, size_t part);

const char *eb_run_state_name(eb_run_state state); /* "running", "done", "partial", "failed" */

/* Runs side by side as a table "runs"; what no run's device can tell is left out. */
void eb_report_runs(eb_report *report, const char *title, const eb_run *const *runs, size_t count);

/* Where the time of each run went, as a table "split"; parts that no run has are left out. */
void eb_report_splits(eb_report *report, const eb_run *const *runs, size_t count);

/* A rate above what the device was measured to do at best is a mistake somewhere: a note says so. */
void eb_note_limit(eb_report *report, const eb_run *run);

/* The run as fields, and where its time went as a table "timing". */
void eb_report_run(eb_report *report, const eb_run *run);

#endif
