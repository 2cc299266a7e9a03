/* run_report: what reports say about a finished run. */
#ifndef EB_SHELL_RUN_REPORT_H
#define EB_SHELL_RUN_REPORT_H

#include "core/measure.h"
#include "core/report.h"
#include "core/statistics.h"

/* The figures of a run's finished trials; what is unknown is NAN or n/a. */
typedef struct eb_run_figures {
    eb_value pairs, selectivity, stored; /* stored: entries of the table; n/a when there is none */
    eb_summary kernel, total;            /* seconds */
    double tflops_derived, tflops_executed; /* at the median kernel time */
} eb_run_figures;

eb_run_figures eb_run_figures_of(const eb_run *run);

/* The trials' seconds of one part of the timing, offsetof(eb_timing, …): [trials_done], heap; NULL: none, or no
 * memory. */
double *eb_run_seconds(const eb_run *run, size_t part);

const char *eb_run_state_name(eb_run_state state); /* "running", "done", "partial", "failed" */

/* The run as fields, and where its time went as a table "timing". */
void eb_report_run(eb_report *report, const eb_run *run);

#endif
