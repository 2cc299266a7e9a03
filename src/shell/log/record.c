#include "shell/log/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/signals.h"

/* LOG_WAIT_MS: how long a write waits for another process's lock; EPSBENCH_LOG_WAIT_MS shortens it for tests.
 * LOG_LAST_TRY_MS: how long the end tries to write the entries that wait in memory. */
enum { LOG_WAIT_MS = 5000, LOG_LAST_TRY_MS = 1000 };

static unsigned patience_ms(void)
{
    const char *given = getenv("EPSBENCH_LOG_WAIT_MS");
    unsigned long wait_ms = given ? strtoul(given, NULL, 10) : LOG_WAIT_MS;
    return wait_ms < LOG_WAIT_MS ? (unsigned)wait_ms : LOG_WAIT_MS;
}

void eb_record_open(eb_shell *shell)
{
    eb_session *session = shell->session;
    eb_status failure = {0};
    char path[4096];
    if (!shell->logging || shell->log_tried)
        return;
    shell->log_tried = true;
    eb_code failed = EB_OK;
    if (!shell->log_path)
        failed = eb_store_default_path(path, sizeof path, &failure);
    const char *log = shell->log_path ? shell->log_path : path;
    if (!failed)
        failed = (shell->is_background ? eb_store_open_second : eb_store_open)(log, &session->store, &failure);
    shell->log_opened = !failed;
    if (failed) {
        session->store = NULL;
        (void)snprintf(session->log_warning, sizeof session->log_warning, "%s; going on without the session log",
                       failure.message);
        return;
    }
    eb_store_patience(session->store, patience_ms(), eb_signals_came);
}

/* Begins the log's session, with the machine's CPU. */
static eb_code begin_session(eb_shell *shell, eb_status *status)
{
    eb_session *session = shell->session;
    eb_device cpu;
    eb_device_cpu(&cpu);
    EB_TRY(eb_store_session_begin(session->store, &shell->build, &session->session_row, status));
    return eb_store_session_device(session->store, session->session_row, &cpu, status);
}

void eb_record_begin(eb_shell *shell, const eb_call *call)
{
    eb_session *session = shell->session;
    eb_status failure;
    session->command_row = 0;
    if (!session->store || (call->command->flags & EB_UNLOGGED))
        return;
    eb_code failed = EB_OK;
    if (session->session_row == 0)
        failed = begin_session(shell, &failure);
    if (!failed)
        failed =
            eb_store_command_begin(session->store, session->session_row, call->text, &session->command_row, &failure);
    if (failed)
        eb_session_log_failed(session, &failure);
}

/* Keeps what the command answered, also what it had found when it was interrupted, and the GPU that it may have used.
 */
static eb_code put_report(eb_session *session, const eb_call *call, const eb_report *report, eb_status *status)
{
    eb_device gpu;
    const int64_t dataset = eb_session_log_dataset(session);
    if (!session->store)
        return EB_OK; /* a failed log has been warned about */
    EB_TRY(eb_store_report(session->store, session->command_row, dataset, report, status));
    const bool used = (call->command->flags & EB_NEEDS_DATASET) && !eb_device_named_cpu(session->settings.device);
    return used && eb_session_device(session, &gpu, NULL) == EB_OK
               ? eb_store_session_device(session->store, session->session_row, &gpu, status)
               : EB_OK;
}

static void keep_report(eb_session *session, const eb_call *call, const eb_report *report, eb_code outcome)
{
    eb_status failure;
    if (session->store && session->command_row > 0 && (outcome == EB_OK || outcome == EB_CANCELLED) &&
        put_report(session, call, report, &failure))
        eb_session_log_failed(session, &failure);
}

void eb_record_end(eb_shell *shell, const eb_call *call, const eb_report *report, eb_code outcome, const char *message,
                   double duration_s)
{
    eb_session *session = shell->session;
    eb_status failure;
    keep_report(session, call, report, outcome);
    if (session->store && session->command_row > 0 &&
        eb_store_command_end(session->store, session->command_row, outcome, message, duration_s, &failure))
        eb_session_log_failed(session, &failure);
    session->command_row = 0;
}

/* Sets a warning that counts the lost entries if the log is still locked when the program ends. */
static void say_lost(eb_session *session)
{
    size_t runs, writes;
    if (!session->store || !eb_store_waits(session->store, &runs, &writes))
        return;
    (void)snprintf(
        session->log_warning, sizeof session->log_warning,
        "another process keeps the session log locked to the end: %zu %s and %zu other entries that waited for it "
        "are lost",
        runs, runs == 1 ? "run" : "runs", writes - runs);
}

void eb_record_close(eb_shell *shell)
{
    eb_session *session = shell->session;
    eb_status failure;
    if (session->store)
        eb_store_patience(session->store, LOG_LAST_TRY_MS, eb_signals_came);
    if (session->store && session->session_row > 0 &&
        eb_store_session_end(session->store, session->session_row, &failure))
        eb_session_log_failed(session, &failure);
    session->session_row = 0;
    eb_session_log_catch_up(session, LOG_LAST_TRY_MS);
    say_lost(session);
}
