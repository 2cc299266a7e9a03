/* run_report: what reports say about a finished run. */
#pragma once

#include "core/experiment/measure.h"
#include "core/experiment/statistics.h"
#include "core/report/report.h"

/* What is said of a run's finished trials; what is unknown is NAN or n/a. */
typedef struct eb_run_numbers {
    eb_value pairs, selectivity, stored;    /* stored: entries of the table; n/a when there is none */
    eb_summary kernel, total;               /* seconds */
    double tflops_derived, tflops_executed; /* at the median kernel time */
    double limit_share;                     /* executed rate over the measured limit that the run is held against */
    double energy_j, sm_clock_hz;           /* medians of what the device's management library said */
    double truth_error;                     /* of a truth, as the next two (core/accuracy/uncertainty.h) */
    eb_value undecided_found, undecided_missed;
    char throttle[128]; /* what held the clock down in any trial, in words; "" when nobody watched */
} eb_run_numbers;

eb_run_numbers eb_run_numbers_of(const eb_run *run);

/* Whether the engines' names alone do not tell the runs apart from others: some spec says more. */
bool eb_specs_tell(const eb_run *const *runs, size_t count);

/* Runs side by side as a table "runs"; what no run's device can tell is left out. */
void eb_report_runs(eb_report *report, const char *title, const eb_run *const *runs, size_t count);

/* Where the time of each run went, as a table "split"; parts that no run has are left out. */
void eb_report_splits(eb_report *report, const eb_run *const *runs, size_t count);

/* What is to be said of a run beside others: its note, its end, a rate above what the device can do at best. */
void eb_note_run(eb_report *report, const eb_run *run);
void eb_warn_of_run(eb_report *report, const eb_run *run); /* where its result is not to be trusted */
void eb_note_limit(eb_report *report, const eb_run *run);

/* An engine whose authors published what it does on a GPU, on a CPU. */
bool eb_is_emulation(const eb_setup *setup);

/* Says so where an engine whose authors published what it does on a GPU is emulated; false: it is not. */
bool eb_note_emulation(eb_report *report, const eb_setup *setup);

/* The run as fields, and where its time went as a table "timing". */
void eb_report_run(eb_report *report, const eb_run *run);
