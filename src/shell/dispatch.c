#include "shell/dispatch.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/pool.h"
#include "draw/utf8.h"
#include "io/files/files.h"
#include "shell/background/behind.h"
#include "shell/background/live.h"
#include "shell/background/progress.h"
#include "shell/background/queue.h"
#include "shell/conclude/conclude.h"
#include "shell/foreground/own_editor.h"
#include "shell/language/lists.h"
#include "shell/language/words.h"
#include "shell/lessons/play.h"
#include "shell/log/record.h"
#include "shell/output.h"
#include "shell/outputs.h"
#include "shell/pictures/show.h"
#include "shell/script.h"
#include "shell/signals.h"

/* How deep watch, replay and source may be nested. */
enum { DEEPEST = 8 };

/* How often the display's clock and the progress line's clock are redrawn while a job reports nothing. */
enum { REDRAWN_MS = 200 };

/* A longer exact pass goes on in the background, so that the person can go on. */
#define EB_PATIENCE_S 5.0

/* How often the dataset's file is checked while a command runs. */
static const double looked_at_s = 0.1;

void eb_shell_end(eb_shell *shell)
{
    eb_behind_say_left(shell);
    eb_record_close(shell);
    eb_output_log_warning(shell);
}

/* ---- one command ---- */

typedef struct work {
    eb_session *session;
    const eb_call *call;
    eb_report *report;
} work;

/* Runs the handler. The trials of a command reuse pooled memory; after the command the pool is emptied, so that other
 * programs can have the memory. */
static eb_code call_handler(eb_job *job, void *argument, eb_status *status)
{
    work *w = argument;
    eb_code failed = eb_call_handle(w->session, w->call, w->report, job, status);
    eb_pool_empty();
    return failed;
}

static bool needs_dataset(const work *w) { return (w->call->command->flags & EB_NEEDS_DATASET) != 0; }

/* Cancels the job once the dataset's file has changed: the check after the job would refuse the result anyway. */
static void cancel_if_changed(const work *w, eb_job *job, double *next_s)
{
    if (!needs_dataset(w) || eb_now_s() < *next_s)
        return;
    *next_s = eb_now_s() + looked_at_s;
    if (eb_session_check_dataset(w->session, NULL))
        eb_job_cancel(job);
}

/* Prints what the command has to say before it ends, above the progress line. */
static void say_remark(const eb_shell *shell, const work *w, eb_job *job, eb_progress_line *line)
{
    char *remark = eb_job_take_remark(job);
    if (remark)
        eb_progress_clear(line);
    if (remark)
        eb_complain(shell->err, w->call->command->name, remark);
    free(remark);
}

/* True for each of a command's expected time and memory that has been printed. Each is printed once, to a person at a
 * terminal; the workbench shows both itself. */
typedef struct announced {
    bool time, memory;
} announced;

static void announce(eb_shell *shell, const work *w, const eb_progress *progress, announced *done)
{
    char words[96], sentence[160];
    if (shell->display || !shell->progress)
        return;
    if (!done->time && progress->announced_s > EB_WORTH_SAYING_S) {
        done->time = true;
        (void)snprintf(sentence, sizeof sentence, "takes about %s; Ctrl-C stops it and keeps what is finished",
                       eb_duration_words(progress->announced_s, words, sizeof words));
        eb_complain(shell->err, w->call->command->name, sentence);
    }
    if (!done->memory && eb_memory_words(progress, words, sizeof words)[0] != '\0') {
        done->memory = true;
        (void)snprintf(sentence, sizeof sentence, "takes %s", words);
        eb_complain(shell->err, w->call->command->name, sentence);
    }
}

/* Waits until the job ends; meanwhile shows its progress and handles signals and the workbench's keyboard. */
static void attend(eb_shell *shell, const work *w, eb_job *job, eb_progress_line *line)
{
    const eb_display *display = shell->display;
    double next_s = eb_now_s() + looked_at_s;
    announced done = {0};
    int patience_ms = display ? REDRAWN_MS : shell->progress ? 500 : -1;
    for (;;) {
        eb_progress progress = eb_job_progress(job);
        if (progress.finished)
            return;
        announce(shell, w, &progress, &done);
        if (line->out)
            say_remark(shell, w, job, line);
        if (display)
            display->progress(display->context, &progress, eb_live_take(shell->live));
        else
            eb_progress_draw(line, &progress);
        struct pollfd polled[3] = {{.fd = eb_job_event_fd(job), .events = POLLIN},
                                   {.fd = shell->signal_fd, .events = POLLIN},
                                   {.fd = display ? display->input_fd : -1, .events = POLLIN}};
        if (poll(polled, 3, patience_ms) < 0 && errno != EINTR)
            return;
        eb_shell_heed_signals(shell, job, line);
        if (display && polled[2].revents != 0)
            display->input(display->context);
        if (shell->interrupted) /* also set by a key of the workbench */
            eb_job_cancel(job);
        cancel_if_changed(w, job, &next_s);
    }
}

/* Before a job: gives the background session (background/background.h) the log's session and the loaded files. */
static void prepare_background(eb_shell *shell)
{
    const eb_session *session = shell->session;
    eb_session *background = shell->background;
    if (!background)
        return;
    background->session_row = eb_session_log_number(session, session->session_row);
    eb_session_loaded_files(session, background->loaded_file);
}

/* After a job: takes over the log's session if a background command was the first to be logged. */
static void join_background(eb_shell *shell)
{
    if (shell->background && shell->session->store && shell->session->session_row == 0)
        shell->session->session_row = eb_session_log_number(shell->background, shell->background->session_row);
}

/* Runs the handler as a job on the worker thread and waits until it ends. */
static eb_code run_job(eb_shell *shell, work *w, eb_status *status)
{
    eb_job *job;
    eb_progress_line line = {.out = shell->progress && !shell->display ? shell->err : NULL};
    if (shell->live)
        eb_live_begin(shell->live, w->call->command->name);
    w->session->live = shell->display ? shell->live : NULL;
    prepare_background(shell);
    const bool had_pass = w->session->behind != NULL;
    eb_behind_pause(w->session->behind, true);
    EB_TRY(eb_job_start(call_handler, w, &job, status));
    attend(shell, w, job, &line);
    eb_code failed = eb_job_finish(job, status);
    eb_behind_pause(w->session->behind, false);
    if (had_pass && !w->session->behind && strcmp(w->call->command->name, "tune") != 0)
        eb_report_note(w->report, "tune's exact pass in the background has ended with its dataset");
    join_background(shell);
    eb_progress_clear(&line);
    return failed;
}

/* Checks before the command's clock starts, because a question to the person is not part of its time. */
static eb_code check_ready(eb_shell *shell, const eb_call *call, eb_status *status)
{
    if (call->command->flags & EB_NEEDS_DATASET)
        EB_TRY(eb_session_check_dataset(shell->session, status));
    EB_TRY(eb_call_check_arrangement(call, status));
    return eb_outputs_permit(shell, call, status);
}

static eb_code run_handler(eb_shell *shell, const eb_call *call, eb_report *report, eb_status *status)
{
    work w = {shell->session, call, report};
    if (needs_dataset(&w))
        EB_TRY(eb_session_check_dataset(shell->session, status));
    eb_code failed = shell->is_background                    ? eb_call_handle(w.session, call, report, NULL, status)
                     : (call->command->flags & EB_IMMEDIATE) ? call_handler(NULL, &w, status)
                                                             : run_job(shell, &w, status);
    /* If the points changed meanwhile, neither a result nor another failure is reported. */
    if (needs_dataset(&w))
        EB_TRY(eb_session_check_dataset(shell->session, status));
    if (!failed && !eb_report_ok(report))
        failed = eb_fail_memory(status, "the report", 1);
    if (needs_dataset(&w))
        eb_report_dataset(report, eb_dataset_name(w.session->dataset));
    return failed;
}

/* The workbench's panels draw all rows, and arrange them in their lists. */
static eb_code arrange(const eb_shell *shell, const eb_call *call, eb_report *report, eb_status *status)
{
    const bool here = !shell->display || !call->command->panel || eb_call_lists_only(call);
    return here ? eb_call_arrange(call, report, status) : EB_OK;
}

static eb_code act_on_request(eb_shell *shell, eb_status *status);

static eb_code run_call(eb_shell *shell, const eb_call *call, eb_status *status)
{
    if (!shell->is_background)
        (void)eb_behind_show(shell);
    const unsigned inline_unlogged = EB_IMMEDIATE | EB_UNLOGGED;
    if ((call->command->flags & inline_unlogged) != inline_unlogged)
        eb_record_open(shell);
    if (!shell->is_background)
        eb_signals_forget();
    eb_session_log_catch_up(shell->session, EB_RECORD_TRY_MS);
    eb_report *report = eb_report_new(call->command->name);
    if (!report)
        return eb_fail_memory(status, "a report", sizeof *report);
    const eb_display *display = shell->is_background ? NULL : shell->display; /* it keeps showing the running command */
    eb_code outcome = check_ready(shell, call, status);
    eb_record_begin(shell, call);
    if (display)
        display->begins(display->context, call);
    double start_s = eb_now_s();
    bool unarranged = false; /* what the command found is shown all the same */
    if (!outcome)
        outcome = run_handler(shell, call, report, status);
    double duration_s = eb_now_s() - start_s;
    if (!outcome) /* of all rows; an interrupted command has no conclusion */
        eb_conclude(report);
    eb_record_end(shell, call, report, outcome, outcome ? status->message : NULL, duration_s);
    if (display)
        display->ends(display->context, call, outcome, duration_s);
    eb_output_log_warning(shell);
    if (shell->session->settings.timer)
        eb_report_field(report, EB_F(command_s), eb_real(duration_s));

    eb_status unwritten;
    if (!outcome) {
        outcome = arrange(shell, call, report, status);
        unarranged = outcome != EB_OK && !(call->command->flags & EB_UNLOGGED);
    }
    if (!outcome)
        outcome = eb_output_report(shell, report, NULL, status);
    else if ((outcome == EB_CANCELLED || unarranged) &&
             report->items > 0) /* results finished before Ctrl-C are shown */
        (void)eb_output_report(shell, report, status, &unwritten);
    else
        eb_report_free(report);
    if (!outcome)
        outcome = act_on_request(shell, status);
    if (!outcome)
        eb_outputs_remember(shell->session, call);
    return outcome;
}

/* ---- requests of a command: replay, source, watch, pause, edit, dump, panel, quit ---- */

static eb_code run_script(eb_shell *shell, char *const *script, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        eb_origin origin = {"replay", k + 1};
        eb_code failed = eb_shell_run(shell, script[k], &origin);
        if (failed || shell->quitting)
            return failed;
    }
    return EB_OK;
}

static eb_code run_file(eb_shell *shell, const eb_request *request)
{
    bool stepping = shell->stepping;
    char *path = eb_expand_home(request->source);
    shell->stepping = stepping || request->step;
    eb_code failed = path ? eb_script_run_file(shell, path, false, eb_shell_run) : EB_NO_MEMORY;
    shell->stepping = shell->stepping && stepping; /* EB_PACE_REST ends stepping in the outer scripts too */
    free(path);
    return failed;
}

static eb_code repeat(eb_shell *shell, const eb_request *request)
{
    for (uint64_t k = 1;; k++) {
        eb_code failed = eb_shell_run(shell, request->repeat, NULL);
        if (failed || shell->quitting || k == request->repeat_times)
            return failed;
        if (!eb_shell_wait(shell, -1, request->repeat_s))
            return EB_CANCELLED;
    }
}

/* Carries out `dump` and `panel`, which need a display. */
static eb_code ask_display(eb_shell *shell, const eb_request *request, eb_status *status)
{
    const eb_display *display = shell->display;
    if (!request->dump && !request->panel)
        return EB_OK;
    if (!display)
        return eb_fail(status, EB_NOT_FOUND,
                       "there is no screen here: %s is for the workbench, which `epsbench` opens on a "
                       "terminal",
                       request->dump ? "dump" : "panel");
    return request->dump ? display->dump(display->context, request->dump, status)
                         : display->panel(display->context, request->panel, status);
}

/* Carries out what the command asked of the shell. A failure of an inner command has been shown already, so that
 * *status then has an empty message. */
static eb_code act_on_request(eb_shell *shell, eb_status *status)
{
    eb_request request = shell->session->request;
    shell->session->request = (eb_request){0};
    if (request.quit)
        shell->quitting = true;
    eb_code failed = ask_display(shell, &request, status);
    if (!failed && request.edit)
        failed = eb_own_editor_open(shell, request.edit, request.then, status);
    if (failed) {
        /* *status has the message */
    } else if ((request.script || request.repeat || request.source) && shell->depth >= DEEPEST) {
        failed = eb_fail(status, EB_USAGE, "watch, replay and source are nested more than %d deep", (int)DEEPEST);
    } else {
        shell->depth++;
        if (request.script)
            failed = run_script(shell, request.script, request.script_count);
        else if (request.repeat)
            failed = repeat(shell, &request);
        else if (request.then)
            failed = eb_shell_run(shell, request.then, NULL);
        else if (request.pause)
            failed = eb_shell_pause(shell, request.pause);
        else if (request.source)
            failed = run_file(shell, &request);
        else if (request.drawn.report)
            failed = eb_picture_show(shell, &request.drawn, status);
        shell->depth--;
        if (failed && !request.drawn.report)
            (void)eb_fail(status, failed, "%s", "");
    }
    eb_request own = shell->session->request;
    shell->session->request = request;
    eb_session_clear_request(shell->session);
    shell->session->request = own;
    return failed;
}

/* ---- a line ---- */

static void put_origin(eb_status *failure, const eb_origin *origin)
{
    if (origin && failure->message[0] != '\0')
        (void)eb_fail(failure, failure->code, "%s:%lu: %s", origin->name, origin->line, failure->message);
}

/* The command's name for the error message of a line that cannot be parsed: in full if known, else as typed. */
static void blame(const char *start, char *buffer, size_t size)
{
    eb_word word;
    const eb_command *command;
    (void)snprintf(buffer, size, "?");
    start = eb_skip_blanks(start);
    if (eb_at_command_end(start) || eb_read_name(start, start, &word, NULL))
        return;
    if (eb_command_find(word.text, &command, NULL) == EB_OK)
        (void)snprintf(buffer, size, "%s", command->name);
    else if (word.text[0] != '\0')
        (void)snprintf(buffer, size, "%.40s", word.text);
    free(word.text);
}

/* In the workbench, a line's last command may leave a long pass to the background if nothing waits for its result. */
static bool is_last_typed(const eb_shell *shell, const char *rest, const eb_origin *origin)
{
    const eb_queue *queue = shell->session->queue;
    return shell->display && !shell->is_background && !origin && shell->depth == 0 && *eb_skip_blanks(rest) == '\0' &&
           !(queue && queue->first);
}

/* What an answer is made of; one with other characters is quoted. */
#define EB_PLAIN_ANSWER "+-.0123456789abcdefghijklmnopqrstuvwxyz"

/* Parses the first command at `start`. A possible answer to the open question of a lesson means `answer` with it. */
static eb_code parse_one(const eb_shell *shell, const char *line, const char *start, const char **rest, eb_call **call,
                         eb_status *failure)
{
    char answer[96];
    const char *begin = eb_skip_blanks(start), *end = begin + strcspn(begin, ";\n\r#\"");
    char typed[64];
    while (end > begin && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    if (end == begin || end - begin >= (ptrdiff_t)sizeof typed || !eb_at_command_end(eb_skip_blanks(end)))
        return eb_parse_at(line, start, rest, call, failure);
    (void)snprintf(typed, sizeof typed, "%.*s", (int)(end - begin), begin);
    if (!eb_play_takes(shell->session, typed))
        return eb_parse_at(line, start, rest, call, failure);
    const char *quote = typed[strspn(typed, EB_PLAIN_ANSWER)] ? "\"" : "";
    (void)snprintf(answer, sizeof answer, "answer %s%s%s", quote, typed, quote);
    *rest = eb_next_command(eb_skip_blanks(end));
    const char *none;
    return eb_parse(answer, &none, call, failure);
}

static eb_code run_one(eb_shell *shell, const char *line, const char *start, const char **rest, const eb_origin *origin)
{
    eb_call *call = NULL;
    eb_status failure = {0};
    char name[48];
    eb_code failed = parse_one(shell, line, start, rest, &call, &failure);
    if (!failed && !call)
        return EB_OK;
    if (failed)
        blame(start, name, sizeof name);
    else
        (void)snprintf(name, sizeof name, "%s", call->command->name);
    shell->session->patience_s = is_last_typed(shell, *rest, origin) ? EB_PATIENCE_S : 0;
    if (!failed)
        failed = run_call(shell, call, &failure);
    eb_call_free(call);
    if (failed) {
        put_origin(&failure, origin);
        eb_output_error(shell, name, &failure);
    }
    return failed;
}

eb_code eb_shell_run(eb_shell *shell, const char *text, const eb_origin *origin)
{
    eb_progress_line none = {0};
    eb_code first = EB_OK;
    const char *line = text;
    if (!shell->is_background)
        eb_behind_show(shell); /* also before an empty line */
    for (const char *at = text; *at != '\0' && !shell->quitting;) {
        const char *rest = at;
        eb_shell_heed_signals(shell, NULL, &none);
        if (shell->interrupted)
            return first ? first : EB_CANCELLED;
        eb_code failed = run_one(shell, line, at, &rest, origin);
        if (failed && !first)
            first = failed;
        if (failed == EB_CANCELLED || (failed && !shell->keep_going))
            return first;
        if (rest > at && rest[-1] == '\n')
            line = rest; /* messages count columns from the start of the line */
        at = rest;
    }
    return first;
}
