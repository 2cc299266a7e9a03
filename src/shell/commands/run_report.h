/* run_report: reports finished runs: one run as fields, several as a table, where the time went, and notes. */
#pragma once

#include "core/experiment/measure.h"
#include "core/experiment/statistics.h"
#include "core/report/report.h"

/* Numbers of a run's finished trials; unknown ones are NAN or n/a. */
typedef struct eb_run_numbers {
    eb_value pairs, selectivity, stored;    /* stored: entries of the neighbour table; n/a without one */
    eb_summary kernel, total;               /* seconds */
    double tflops_derived, tflops_executed; /* at the median kernel time */
    double limit_share;                     /* executed rate over the device's measured limit that applies to the run */
    double energy_j, sm_clock_hz;           /* medians of what the device's management library reported */
    double truth_error;                     /* this and the next two: for a truth (core/accuracy/uncertainty.h) */
    eb_value undecided_found, undecided_missed;
    char throttle[128]; /* what lowered the clock in any trial, in words; "": not monitored */
} eb_run_numbers;

eb_run_numbers eb_run_numbers_of(const eb_run *run);

/* True if any run's spec says more than its engine's name. */
bool eb_specs_tell(const eb_run *const *runs, size_t count);

/* Table "runs": runs side by side. Columns that no run has a value for are left out. */
void eb_report_runs(eb_report *report, const char *title, const eb_run *const *runs, size_t count);

/* Table "split": where the time of each run went. Parts that no run has are left out. */
void eb_report_splits(eb_report *report, const eb_run *const *runs, size_t count);

/* Adds the run's warning and note, and notes if it was interrupted or has an impossible rate (eb_note_limit). */
void eb_note_run(eb_report *report, const eb_run *run);
void eb_warn_of_run(eb_report *report, const eb_run *run); /* adds the run's warning, if any */
void eb_note_limit(eb_report *report, const eb_run *run);  /* notes an executed rate above the measured limit */

/* True if an engine whose published rate is a GPU's runs on a CPU. */
bool eb_is_emulation(const eb_setup *setup);

/* Notes that the setup is an emulation; returns eb_is_emulation(setup). */
bool eb_note_emulation(eb_report *report, const eb_setup *setup);

/* The run as fields, and table "timing": where its time went. */
void eb_report_run(eb_report *report, const eb_run *run);
