/* A fast engine beside the truth: times, rates, pairs, and how far the results agree. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "shell/commands/accuracy_report.h"
#include "shell/commands/commands.h"
#include "shell/commands/device_limits.h"
#include "shell/commands/run_report.h"

enum { SHOWN_BOUNDARY_PAIRS = 10, KEPT_BOUNDARY_PAIRS = 20 };

typedef struct comparison {
    eb_device device;
    const eb_engine *fast, *truth;
    double eps;
    unsigned trials;
    eb_run fast_run, truth_run;
    int64_t fast_row, truth_row; /* in the log, 0: not there */
    bool compared;               /* accuracy is there */
    eb_accuracy accuracy;
} comparison;

/* ---- measuring ---- */

static eb_code measure(eb_session *session, const comparison *c, const eb_engine *engine, uint64_t table_limit,
                       eb_run *run, int64_t *row, eb_job *job, eb_status *status)
{
    eb_run_observer observer = eb_session_observer(session);
    eb_measure_request request = {.engine = engine,
                                  .device = &c->device,
                                  .dataset = session->dataset,
                                  .options = eb_session_engine_options(session),
                                  .eps = c->eps,
                                  .mode = EB_RUN_TABLE,
                                  .trials = c->trials,
                                  .warm_up = true,
                                  .table_limit = table_limit};
    eb_code failed = eb_measure(&request, &observer, job, run, status);
    *row = session->run_row;
    return failed;
}

/* Both tables must be in memory together: the first may take half of the limit, the second what is left of it. */
static eb_code measure_both(eb_session *session, comparison *c, eb_job *job, eb_status *status)
{
    uint64_t limit = session->settings.memory_limit;
    eb_code failed = measure(session, c, c->fast, limit / 2, &c->fast_run, &c->fast_row, job, status);
    if (failed)
        return failed;
    const eb_neighbours *table = c->fast_run.table;
    uint64_t taken = table ? eb_neighbours_bytes(table->rows, table->offsets[table->rows], true) : limit / 2;
    return measure(session, c, c->truth, limit - taken, &c->truth_run, &c->truth_row, job, status);
}

/* ---- accuracy ---- */

static eb_code compute_accuracy(eb_session *session, comparison *c, eb_job *job, eb_status *status)
{
    eb_timing timing = eb_timing_none();
    eb_engine_options options = eb_session_engine_options(session);
    void *state = NULL;
    eb_code failed = c->fast->open(&c->device, session->dataset, &options, job, &timing, &state, status);
    if (failed)
        return failed;
    eb_accuracy_request request = {.dataset = session->dataset,
                                   .eps = c->eps,
                                   .fast = c->fast_run.table,
                                   .truth = c->truth_run.table,
                                   .fast_engine = c->fast,
                                   .fast_state = state,
                                   .bins = EB_FINE_BINS,
                                   .boundary = KEPT_BOUNDARY_PAIRS,
                                   .threads = session->settings.threads};
    eb_job_phase(job, "accuracy", session->dataset->n);
    failed = eb_accuracy_compute(&request, job, &c->accuracy, status);
    c->fast->close(state);
    c->compared = !failed;
    return failed;
}

/* The log keeps as many bins as reports show. */
static void log_accuracy(eb_session *session, const comparison *c)
{
    eb_status failure;
    eb_accuracy shown = c->accuracy;
    if (!session->store || session->command_row == 0)
        return;
    eb_code failed = eb_histogram_coarsen(&c->accuracy.errors, EB_SHOWN_BINS, &shown.errors, &failure);
    if (!failed)
        failed = eb_store_accuracy(session->store, c->fast_row, c->truth_row, &shown, &failure);
    if (failed)
        eb_session_log_failed(session, &failure);
    free(shown.errors.count);
}

/* The session owns the accuracy from here on; an earlier comparison's is not shown in the place of one that has
 * none. */
static void keep_accuracy(eb_session *session, const comparison *c)
{
    if (session->compared)
        eb_accuracy_free(&session->accuracy);
    session->compared = c->compared;
    if (!c->compared)
        return;
    session->accuracy = c->accuracy;
    (void)snprintf(session->fast_name, sizeof session->fast_name, "%s", c->fast->name);
    (void)snprintf(session->truth_name, sizeof session->truth_name, "%s", c->truth->name);
}

/* ---- the report ---- */

static void report_runs(eb_report *report, const comparison *c)
{
    const eb_run *runs[] = {&c->fast_run, &c->truth_run};
    size_t count = c->truth_run.engine ? 2 : 1;
    eb_report_runs(report, "Side by side", runs, count);
    eb_report_splits(report, runs, count);
}

/* The fast engine judged against the truth as the baseline. */
static void report_verdict(eb_record *record, const comparison *c, size_t part, const char *ratio_key,
                           const char *ratio_title, const char *verdict_key, const char *verdict_title)
{
    double *truth = eb_run_seconds(&c->truth_run, part), *fast = eb_run_seconds(&c->fast_run, part);
    double ratio = NAN;
    eb_verdict verdict = EB_UNCLEAR;
    if (truth && fast)
        verdict = eb_compare_samples(truth, c->truth_run.trials_done, fast, c->fast_run.trials_done, &ratio);
    eb_record_field(record, verdict_key, verdict_title, EB_PLAIN, eb_text(eb_verdict_name(verdict)));
    eb_record_field(record, ratio_key, ratio_title, EB_RATIO, eb_real(ratio));
    free(truth);
    free(fast);
}

static void report_verdicts(eb_report *report, const comparison *c)
{
    char title[96];
    (void)snprintf(title, sizeof title, "%s against %s", c->fast->name, c->truth->name);
    eb_record *record = eb_report_record(report, "verdict", title);
    report_verdict(record, c, offsetof(eb_timing, kernel_s), "kernel_ratio", "kernels, time taken", "kernel",
                   "kernels");
    report_verdict(record, c, offsetof(eb_timing, total_s), "total_ratio", "end to end, time taken", "total",
                   "end to end");
}

static void note_run(eb_report *report, const eb_run *run)
{
    if (run->note[0] != '\0')
        eb_report_note(report, "%s: %s", run->engine->name, run->note);
    if (run->state == EB_RUN_PARTIAL)
        eb_report_note(report, "%s was interrupted after %u of %u trials", run->engine->name, run->trials_done,
                       run->trials_wanted);
    eb_note_limit(report, run);
}

static void report_notes(eb_report *report, const comparison *c)
{
    note_run(report, &c->fast_run);
    if (c->truth_run.engine)
        note_run(report, &c->truth_run);
    if (!c->compared && c->truth_run.state == EB_RUN_DONE)
        eb_report_note(report, "accuracy is n/a: both neighbour tables must be in memory together, and they are not; "
                               "`set memory` raises the limit, a smaller ε makes them smaller");
    if (!c->truth->is_truth)
        eb_report_note(report, "%s does not compute the truth: errors are differences from it all the same",
                       c->truth->name);
}

static eb_code report_comparison(eb_report *report, const eb_session *session, const comparison *c, eb_status *status)
{
    eb_code failed = EB_OK;
    eb_report_field(report, "n", "points n", EB_PLAIN, eb_uint(session->dataset->n));
    eb_report_field(report, "d", "dimensions d", EB_PLAIN, eb_uint(session->dataset->d));
    eb_report_field(report, "eps", "ε", EB_PLAIN, eb_real(c->eps));
    report_runs(report, c);
    if (c->truth_run.trials_done > 0)
        report_verdicts(report, c);
    eb_report_accuracy(report, c->compared ? &c->accuracy : NULL);
    if (c->compared) {
        failed = eb_report_errors(report, &c->accuracy, EB_SHOWN_BINS, false, status);
        eb_report_boundary(report, &c->accuracy, SHOWN_BOUNDARY_PAIRS);
    }
    report_notes(report, c);
    return failed;
}

/* ---- compare ---- */

static eb_code prepare(eb_session *session, const eb_call *call, comparison *c, eb_report *report, eb_job *job,
                       eb_status *status)
{
    eb_code failed = eb_session_device(session, &c->device, status);
    if (!failed)
        eb_limits_ensure(session, &c->device, job);
    if (!failed)
        failed = eb_session_engine(session, eb_call_text(call, "fast"), &c->device, &c->fast, status);
    if (!failed)
        failed = eb_session_engine(session, eb_call_text(call, "truth"), &c->device, &c->truth, status);
    if (!failed)
        failed = eb_session_resolve_eps(session, call, report, &c->eps, job, status);
    c->trials = (unsigned)eb_call_integer(call, "trials", session->settings.trials);
    return failed;
}

eb_code eb_cmd_compare(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    comparison c = {0};
    eb_status unreported;
    eb_code failed = prepare(session, call, &c, report, job, status);
    if (failed)
        return failed;
    eb_session_drop_table(session);
    failed = measure_both(session, &c, job, status);
    if (!failed && c.fast_run.table && c.truth_run.table)
        failed = compute_accuracy(session, &c, job, status);
    if (c.compared)
        log_accuracy(session, &c);
    /* Interrupted or not, what was finished is shown. */
    if (c.fast_run.trials_done > 0) {
        eb_code unfinished = report_comparison(report, session, &c, failed ? &unreported : status);
        failed = failed ? failed : unfinished;
    }
    if (c.compared || !failed)
        keep_accuracy(session, &c);
    eb_run_free(&c.fast_run);
    eb_run_free(&c.truth_run);
    return failed;
}
