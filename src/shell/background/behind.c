#include "shell/background/behind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/utf8.h"
#include "shell/output.h"

struct eb_behind {
    eb_job *job;
    eb_setup setup;
    const eb_dataset *dataset; /* the session's, which ends this pass before it frees the dataset */
    eb_curve curve;            /* a copy */
    eb_target *targets;
    size_t count;
    uint64_t seed;
    unsigned passes;
    double eps;          /* the sampled ε that the session got */
    int64_t command_row; /* of the command that began it, for the log */
    char line[EB_LINE_TEXT];
};

/* ---- begin and end ---- */

static void *copy_of(const void *from, size_t bytes)
{
    void *copy = malloc(bytes ? bytes : 1);
    if (copy && bytes > 0)
        memcpy(copy, from, bytes);
    return copy;
}

static bool copy_curve(const eb_curve *from, eb_curve *to)
{
    const size_t bytes = from->points * sizeof *from->eps;
    *to = *from;
    to->eps = copy_of(from->eps, bytes);
    to->s = copy_of(from->s, bytes);
    to->s_error = copy_of(from->s_error, bytes);
    to->carriers = from->carriers ? copy_of(from->carriers, bytes) : NULL;
    return to->eps && to->s && to->s_error && (to->carriers || !from->carriers);
}

static void free_behind(eb_behind *behind)
{
    eb_curve_free(&behind->curve);
    free(behind->targets);
    free(behind);
}

static eb_code count_all(eb_job *job, void *argument, eb_status *status)
{
    eb_behind *b = argument;
    return eb_tune_dataset(&b->setup, b->dataset, 0, b->seed, &b->curve, b->targets, b->count, &b->passes, job, status);
}

void eb_behind_leave(eb_behind *behind)
{
    if (!behind)
        return;
    eb_job_cancel(behind->job);
    (void)eb_job_finish(behind->job, NULL);
    free_behind(behind);
}

eb_code eb_behind_start(eb_session *session, const eb_setup *setup, const eb_target *targets, size_t count,
                        const char *line, eb_status *status)
{
    eb_behind *b = calloc(1, sizeof *b);
    if (!b)
        return eb_fail_memory(status, "the exact pass", sizeof *b);
    b->setup = *setup;
    b->dataset = session->dataset;
    b->targets = copy_of(targets, count * sizeof *targets);
    b->count = count;
    b->seed = session->settings.seed;
    b->eps = session->eps;
    b->command_row = session->command_row;
    (void)snprintf(b->line, sizeof b->line, "%s", line);
    eb_code failed = copy_curve(&session->curve, &b->curve) && b->targets
                         ? eb_job_start(count_all, b, &b->job, status)
                         : eb_fail_memory(status, "the exact pass", session->curve.points * 4 * sizeof(double));
    if (failed) {
        free_behind(b);
        return failed;
    }
    eb_job_pause(b->job, true); /* until the command that began it has ended */
    eb_behind_leave(session->behind);
    session->behind = b;
    session->leave_behind = eb_behind_leave;
    return EB_OK;
}

/* ---- while it runs ---- */

void eb_behind_pause(eb_behind *behind, bool paused)
{
    if (behind)
        eb_job_pause(behind->job, paused);
}

bool eb_behind_ended(eb_behind *behind) { return behind && eb_job_progress(behind->job).finished; }

eb_progress eb_behind_progress(eb_behind *behind) { return eb_job_progress(behind->job); }

const char *eb_behind_line(const eb_behind *behind) { return behind->line; }

/* ---- its result ---- */

static void log_targets(eb_session *session, const eb_behind *b)
{
    const int64_t command = session->command_row;
    session->command_row = b->command_row;
    for (size_t k = 0; k < b->count; k++)
        eb_session_log_target(session, b->setup.spec, &b->targets[k]);
    session->command_row = command;
}

static void take_over(eb_session *session, const eb_behind *b, eb_report *report)
{
    const double found = b->targets[b->count - 1].eps;
    const bool replaces = session->eps == b->eps;
    if (replaces)
        session->eps = found;
    log_targets(session, b);
    EB_FIELDS(report, {EB_F(engine), eb_text(b->setup.engine->name)}, {EB_F(device), eb_text(b->setup.device.name)},
              {EB_F(n), eb_uint(b->dataset->n)}, {EB_F(d), eb_uint(b->dataset->d)},
              {EB_HIDDEN(eps_before), eb_real(b->eps)});
    eb_report_tuning(session, &b->curve, b->targets, b->count, b->passes, EB_PASS_MADE, b->line, report);
    if (replaces)
        eb_report_note(report, "the exact pass has ended: ε = %.17g replaces the sampled %.17g", found, b->eps);
    else
        eb_report_note(report,
                       "the exact pass has ended: ε = %.17g; the session keeps the ε = %.17g that was set "
                       "meanwhile",
                       found, session->eps);
}

eb_code eb_behind_finish(eb_session *session, eb_report *report, eb_status *status)
{
    eb_behind *b = session->behind;
    session->behind = NULL;
    eb_job_pause(b->job, false);
    eb_code failed = eb_job_finish(b->job, status);
    if (!failed)
        failed = eb_dataset_check(b->dataset, status);
    if (!failed)
        take_over(session, b, report);
    free_behind(b);
    return failed;
}

/* ---- on the terminal's thread ---- */

void eb_behind_show(eb_shell *shell)
{
    eb_status failure;
    eb_report *report = eb_behind_ended(shell->session->behind) ? eb_report_new("tune") : NULL;
    if (!report)
        return;
    eb_code failed = eb_behind_finish(shell->session, report, &failure);
    if (!failed)
        failed = eb_output_report(shell, report, NULL, &failure);
    else
        eb_report_free(report);
    if (failed)
        eb_output_error(shell, "tune", &failure);
}

void eb_behind_say_left(const eb_shell *shell)
{
    char sentence[EB_LINE_TEXT + 96];
    const eb_behind *behind = shell->session->behind;
    if (!behind)
        return;
    (void)snprintf(sentence, sizeof sentence, "the exact pass in the background was left; `%s` counts exactly",
                   behind->line);
    eb_complain(shell->err, "tune", sentence);
}
