/* log: the commands that read, annotate and export the session log. The store fills their reports. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "shell/commands/commands.h"
#include "shell/conclude/words.h"
#include "shell/document/document.h"

/* The engine's full current name for a prefix or a former name. An unknown name is returned as typed: runs of an engine
 * that this build does not have may be in the log. */
static const char *whole_engine_name(const char *typed)
{
    const eb_engine *engine;
    return eb_engine_find(typed, strlen(typed), &engine, NULL) ? typed : engine->name;
}

/* The spec in the shortest spelling, as the log stores it; the result may point into buffer. */
static const char *engine_as_logged(const char *typed, char *buffer, size_t size)
{
    eb_spec spec;
    if (!strchr(typed, '[') || eb_spec_parse(typed, NULL, &spec, NULL))
        return whole_engine_name(typed);
    if (strcmp(spec.device, "cuda") == 0)
        memcpy(spec.device, "cuda:0", sizeof "cuda:0");
    return eb_spec_text(&spec, buffer, size);
}

eb_code eb_cmd_runs(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)job;
    EB_TRY(eb_session_need_log(session, status));
    eb_run_filter filter = {.session = eb_call_integer(call, "session", 0),
                            .text = eb_call_text(call, "text"),
                            .limit = (size_t)eb_call_integer(call, "limit", 0)};
    char spec[EB_SPEC_TEXT];
    if (eb_call_has(call, "engine"))
        filter.engine = engine_as_logged(eb_call_text(call, "engine"), spec, sizeof spec);
    return eb_store_runs(session->store, &filter, report, status);
}

eb_code eb_cmd_sessions(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)job;
    EB_TRY(eb_session_need_log(session, status));
    return eb_store_sessions(session->store, (size_t)eb_call_integer(call, "limit", 50), report, status);
}

eb_code eb_cmd_targets(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)job;
    EB_TRY(eb_session_need_log(session, status));
    return eb_store_targets(session->store, eb_call_text(call, "text"), (size_t)eb_call_integer(call, "limit", 50),
                            report, status);
}

eb_code eb_cmd_recalls(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)job;
    const int64_t baseline = eb_call_integer(call, "baseline", 0), experiment = eb_call_integer(call, "experiment", 0);
    EB_TRY(eb_session_need_log(session, status));
    if (experiment > 0)
        return eb_store_diff_recall(session->store, baseline, experiment, report, status);
    if (baseline > 0)
        return eb_store_show_recall(session->store, baseline, report, status);
    return eb_store_recalls(session->store, eb_call_text(call, "text"), (size_t)eb_call_integer(call, "limit", 50),
                            report, status);
}

eb_code eb_cmd_precisions(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)job;
    const eb_rung_filter filter = {.dataset = eb_call_text(call, "dataset"),
                                   .rung = eb_call_text(call, "rung"),
                                   .limit = (size_t)eb_call_integer(call, "limit", 0)};
    EB_TRY(eb_session_need_log(session, status));
    return eb_store_precisions(session->store, &filter, report, status);
}

eb_code eb_cmd_show(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)job;
    EB_TRY(eb_session_need_log(session, status));
    return eb_store_show(session->store, eb_call_integer(call, "run", 0), report, status);
}

eb_code eb_cmd_diff(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)job;
    EB_TRY(eb_session_need_log(session, status));
    return eb_store_diff(session->store, eb_call_integer(call, "baseline", 0), eb_call_integer(call, "run", 0), report,
                         status);
}

eb_code eb_cmd_note(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)job;
    int64_t run = eb_call_integer(call, "run", 0);
    const char *text = eb_call_text(call, "text");
    EB_TRY(eb_session_need_log(session, status));
    EB_TRY(eb_store_note(session->store, session->session_row, run, text, status));
    eb_report_field(report, EB_F(note), eb_text(text));
    if (run > 0)
        eb_report_field(report, EB_F(run), eb_int(run));
    return EB_OK;
}

eb_code eb_cmd_sql(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    EB_TRY(eb_session_need_log(session, status));
    return eb_store_ask(session->store, eb_call_text(call, "select"), (size_t)eb_call_integer(call, "limit", 1000),
                        report, job, status);
}

/* True if the file is about one session, by default this one: a script or a session's report. */
static bool is_of_one_session(const char *path)
{
    const char *dot = strrchr(path, '.');
    return eb_is_document(path) || (dot && strcasecmp(dot, ".eb") == 0);
}

/* Number of the session to export; 0: the whole log. */
static eb_code session_to_export(const eb_session *session, const eb_call *call, int64_t *number, eb_status *status)
{
    *number = eb_call_integer(call, "session", 0);
    if (*number > 0 || !is_of_one_session(eb_call_text(call, "file")))
        return EB_OK;
    *number = eb_session_log_number(session, session->session_row);
    if (*number == 0 && session->session_row > 0)
        return eb_fail(status, EB_LOG, "this session is not in the log yet: another process keeps the log locked");
    if (*number == 0)
        return eb_fail(status, EB_NOT_FOUND,
                       "this session has logged no command yet; `load demo` is one, `sessions` lists the earlier "
                       "sessions, and session=N exports one of them");
    return EB_OK;
}

eb_code eb_cmd_export(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)job;
    int64_t number = 0;
    uint64_t rows = 0;
    const char *path = eb_call_text(call, "file");
    EB_TRY(eb_session_need_log(session, status));
    EB_TRY(session_to_export(session, call, &number, status));
    EB_TRY(eb_is_document(path) ? eb_document_export(session->store, number, path, session->program, &rows, status)
                                : eb_store_export(session->store, path, number, &rows, status));
    EB_FIELDS(report, {EB_F(file), eb_text(path)}, {EB_F(session), number > 0 ? eb_int(number) : eb_na()},
              {EB_F(rows), eb_uint(rows)});
    if (eb_is_document(path))
        eb_report_conclude(report, "%s reports session %lld with its %s", path, (long long)number,
                           EB_COUNT(rows, "command", "commands"));
    return EB_OK;
}
