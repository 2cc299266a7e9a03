/* shell_session: for tests of commands: a session with a few points, and single commands run in it. Header-only.
 * core/report/find.h searches reports. */
#pragma once

#include "io/load.h"
#include "shell/session.h"
#include "tests/unit/test.h"

/* CPU, one trial per run, gaussian points. */
static inline eb_session *session_with_points(void)
{
    eb_status status = {.message = ""};
    eb_dataset *ds = NULL;
    eb_session *session = eb_session_new();
    assert_non_null(session);
    if (eb_synth(EB_SYNTH_GAUSSIAN, 300, 16, 7, NULL, &ds, &status))
        fail_msg("%s", status.message);
    eb_session_set_dataset(session, ds);
    session->settings.trials = 1;
    session->settings.threads = 2;
    return session;
}

/* Runs one command into the report. */
static inline eb_code run_line(eb_session *session, const char *line, eb_report *report, eb_status *status)
{
    const char *rest;
    eb_call *call = NULL;
    eb_code failed = eb_parse(line, &rest, &call, status);
    if (failed)
        return failed;
    assert_non_null(call);
    failed = call->command->handler(session, call, report, NULL, status);
    eb_call_free(call);
    return failed;
}

/* Runs a command and returns its report, which the caller frees. */
static inline eb_report *report_of(eb_session *session, const char *line)
{
    eb_status status = {.message = ""};
    eb_report *report = eb_report_new("test");
    if (run_line(session, line, report, &status))
        fail_msg("\"%s\": %s", line, status.message);
    assert_true(eb_report_ok(report));
    return report;
}

/* The command must fail with this code and message, and report nothing. */
static inline void refuses_line(eb_session *session, const char *line, eb_code code, const char *sentence)
{
    eb_status status = {.message = ""};
    eb_report *report = eb_report_new("test");
    assert_int_equal(run_line(session, line, report, &status), code);
    assert_int_equal(status.code, code);
    if (!strstr(status.message, sentence))
        fail_msg("\"%s\" says \"%s\", expected \"%s\" in it", line, status.message, sentence);
    assert_int_equal(report->items, 0);
    eb_report_free(report);
}
