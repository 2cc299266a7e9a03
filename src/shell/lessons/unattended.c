#include "shell/lessons/unattended.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/base/clock.h"

static eb_code go_through_step(eb_session *session, eb_play *play, size_t step, eb_step_visitor *visit, void *context,
                               eb_job *job, eb_status *status)
{
    eb_outcome outcome;
    eb_report *shown = eb_report_new("lesson");
    const double start_s = eb_now_s();
    if (!shown)
        return eb_fail_memory(status, "a report", sizeof *shown);
    eb_code failed = eb_play_ask(play, session, step, NULL, shown, job, status);
    if (!failed)
        failed = eb_play_answer(play, session, NULL, shown, &outcome, job, status);
    if (!failed && visit)
        failed =
            visit(&(eb_gone_step){&(eb_play_scene){play, session, shown, job, status}, &outcome, eb_now_s() - start_s},
                  context);
    eb_report_free(shown);
    return failed;
}

eb_code eb_go_through(eb_session *session, const char *path, eb_recorded *recording, eb_step_visitor *visit,
                      void *context, eb_job *job, eb_status *status)
{
    eb_lesson *lesson;
    eb_play *play;
    EB_TRY(eb_lesson_read(path, &lesson, status));
    EB_TRY(eb_play_new(session, lesson, &play, status));
    play->recording = recording;
    eb_code failed = EB_OK;
    for (size_t step = 0; step < play->lesson->steps && !failed; step++)
        failed = go_through_step(session, play, step, visit, context, job, status);
    eb_play_free(play);
    return failed;
}

/* ---- right answers ---- */

eb_table *eb_answers_table(eb_report *report)
{
    return EB_TABLE(report, EB_F(answers), "Right answers", EB_F(lesson), EB_F(step), EB_F(question), EB_F(answer),
                    EB_F(took_s));
}

void eb_answers_put(eb_table *table, const eb_gone_step *gone)
{
    const eb_play *play = gone->scene->play;
    EB_ROW(table, eb_text(play->lesson->name), eb_uint(play->step + 1), eb_text(gone->outcome->question),
           eb_text(gone->outcome->expected), eb_real(gone->took_s));
}

static eb_code put_answer(const eb_gone_step *gone, void *context)
{
    eb_answers_put(context, gone);
    return EB_OK;
}

eb_code eb_lessons_answer(eb_session *session, const char *const *path, size_t count, eb_report *report, eb_job *job,
                          eb_status *status)
{
    eb_table *table = eb_answers_table(report);
    for (size_t k = 0; k < count; k++)
        EB_TRY(eb_go_through(session, path[k], NULL, put_answer, table, job, status));
    const size_t steps = table ? table->rows : 0;
    eb_report_note(report, "%zu lesson%s went through, %zu step%s", count, count == 1 ? "" : "s", steps,
                   steps == 1 ? "" : "s");
    return EB_OK;
}

/* ---- a record of a GPU ---- */

/* Fills in who measures: the device, today's date (UTC) and the program's commit. */
static eb_code begin_record(const eb_session *session, eb_recorded *out, eb_status *status)
{
    eb_device device;
    struct tm now;
    const time_t seconds = time(NULL);
    const char *commit = session->program ? strchr(session->program, '(') : NULL;
    *out = (eb_recorded){0};
    EB_TRY(eb_session_device(session, &device, status));
    (void)snprintf(out->device, sizeof out->device, "%.120s", device.model);
    if (gmtime_r(&seconds, &now))
        (void)strftime(out->date, sizeof out->date, "%Y-%m-%d", &now);
    if (commit)
        (void)snprintf(out->commit, sizeof out->commit, "%.*s", (int)strcspn(commit + 1, ")"), commit + 1);
    return EB_OK;
}

eb_code eb_lessons_record(eb_session *session, const char *const *path, size_t count, const char *file,
                          eb_report *report, eb_job *job, eb_status *status)
{
    eb_recorded recorded;
    if (strncmp(session->settings.device, "cuda", 4) != 0)
        return eb_fail(status, EB_NO_DEVICE, "`lesson record FILE` measures on a GPU; this session's device is %s",
                       session->settings.device);
    EB_TRY(begin_record(session, &recorded, status));
    eb_code failed = EB_OK;
    for (size_t k = 0; k < count && !failed; k++)
        failed = eb_go_through(session, path[k], &recorded, NULL, NULL, job, status);
    if (!failed)
        failed = eb_recorded_write(&recorded, file, status);
    if (!failed)
        eb_report_note(report, "%zu value%s of %zu lesson%s recorded in %s", recorded.rows,
                       recorded.rows == 1 ? "" : "s", count, count == 1 ? "" : "s", file);
    eb_recorded_free(&recorded);
    return failed;
}
