/* commands: the commands lesson, answer and hint. */
#include <string.h>

#include "shell/commands/commands.h"
#include "shell/lessons/library.h"
#include "shell/lessons/play.h"
#include "shell/lessons/slides.h"
#include "shell/lessons/unattended.h"

/* ---- `lesson` ---- */

static eb_code put_lesson(const eb_session *session, const char *path, eb_table *table, eb_status *status)
{
    eb_lesson *lesson;
    eb_value answered = eb_na(), right = eb_na(), first = eb_na();
    EB_TRY(eb_lesson_read(path, &lesson, status));
    eb_code failed = EB_OK;
    if (session->store) {
        eb_lesson_progress progress;
        failed = eb_store_lesson_progress(session->store, lesson->name, &progress, status);
        answered = eb_uint(progress.answered);
        right = eb_uint(progress.right);
        first = eb_uint(progress.first);
    }
    EB_ROW(table, eb_text(lesson->name), eb_text(lesson->title), eb_uint(lesson->steps), answered, right, first,
           eb_text(lesson->about), eb_text(path));
    eb_lesson_free(lesson);
    return failed;
}

static eb_code list_lessons(const eb_session *session, const eb_library *library, eb_report *report, eb_job *job,
                            eb_status *status)
{
    eb_table *table = EB_TABLE(report, EB_F(lessons), "Lessons", EB_F(lesson), EB_F(title), EB_F(steps), EB_F(answered),
                               EB_F(right), EB_HIDDEN(first), EB_HIDDEN(about), EB_F(path));
    for (size_t k = 0; k < library->count; k++)
        EB_TRY(put_lesson(session, library->path[k], table, status));
    if (session->play)
        EB_TRY(eb_play_remind(session->play, report, job, status));
    eb_report_note(
        report, "`lesson NAME` begins a lesson, `lesson NAME slides` shows it to a class, `lesson wrong` lists wrong "
                "predictions; your own lessons are files NAME.lesson in $XDG_DATA_HOME/epsbench/lessons, and `lesson "
                "check FILE` tests one");
    return EB_OK;
}

/* ---- a lesson that a person answers; slides, check ---- */

static eb_code begin(eb_session *session, const char *path, size_t step, eb_report *report, eb_job *job,
                     eb_status *status)
{
    eb_lesson *lesson;
    EB_TRY(eb_lesson_read(path, &lesson, status));
    if (step >= lesson->steps) {
        const size_t steps = lesson->steps;
        eb_lesson_free(lesson);
        return eb_fail(status, EB_USAGE, "the lesson has %zu step%s, found step=%zu", steps, steps == 1 ? "" : "s",
                       step + 1);
    }
    eb_play_free(session->play);
    session->play = NULL;
    session->free_play = eb_play_free;
    EB_TRY(eb_play_new(session, lesson, &session->play, status));
    EB_FIELDS(report, {EB_F(lesson), eb_text(lesson->title)}, {EB_F(about), eb_text(lesson->about)});
    return eb_play_ask(session->play, session, step, report, job, status);
}

static eb_code show_wrong(const eb_session *session, eb_report *report, eb_status *status)
{
    EB_TRY(eb_session_need_log(session, status));
    return eb_store_lesson_wrong(session->store, NULL, report, status);
}

static eb_code show_slides(eb_session *session, const char *path, eb_report *report, eb_job *job, eb_status *status)
{
    eb_lesson *lesson;
    EB_TRY(eb_lesson_read(path, &lesson, status));
    return eb_slides_make(session, lesson, report, job, status);
}

/* EB_USAGE if a question or an explanation does not fit on a slide. */
static eb_code check_slides(eb_session *session, const char *path, eb_job *job, eb_status *status)
{
    eb_lesson *lesson;
    eb_report *slides = eb_report_new("lesson");
    if (!slides)
        return eb_fail_memory(status, "a report", sizeof *slides);
    eb_code failed = show_slides(session, path, slides, job, status);
    if (!failed)
        failed = eb_lesson_read(path, &lesson, status);
    if (!failed) {
        failed = eb_slides_check(lesson, slides, status);
        eb_lesson_free(lesson);
    }
    eb_report_free(slides);
    return failed;
}

static eb_code check_file(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    const char *path = eb_call_text(call, "file");
    if (!path)
        return eb_fail(status, EB_USAGE, "`lesson check FILE` needs a file");
    EB_TRY(eb_lessons_answer(session, &path, 1, report, job, status));
    return check_slides(session, path, job, status);
}

static eb_code record(eb_session *session, const eb_call *call, const eb_library *library, eb_report *report,
                      eb_job *job, eb_status *status)
{
    const char *file = eb_call_text(call, "file");
    if (!file)
        return eb_fail(status, EB_USAGE, "`lesson record FILE` needs a file");
    return eb_lessons_record(session, (const char *const *)library->path, library->count, file, report, job, status);
}

static eb_code choose(eb_session *session, const eb_call *call, const eb_library *library, eb_report *report,
                      eb_job *job, eb_status *status)
{
    const char *what = eb_call_text(call, "what"), *path;
    if (!what)
        return list_lessons(session, library, report, job, status);
    if (strcmp(what, "all") == 0)
        return eb_lessons_answer(session, (const char *const *)library->path, library->count, report, job, status);
    if (strcmp(what, "record") == 0)
        return record(session, call, library, report, job, status);
    EB_TRY(eb_library_find(library, what, &path, status));
    if (eb_call_flag(call, "answers"))
        return eb_lessons_answer(session, &path, 1, report, job, status);
    if (eb_call_flag(call, "slides") && eb_call_has(call, "step"))
        return eb_fail(status, EB_USAGE, "step= is for a lesson to be answered; slides are of all steps");
    if (eb_call_flag(call, "slides"))
        return show_slides(session, path, report, job, status);
    return begin(session, path, (size_t)eb_call_integer(call, "step", 1) - 1, report, job, status);
}

eb_code eb_cmd_lesson(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    const char *what = eb_call_text(call, "what");
    eb_library library;
    if (what && strcmp(what, "check") == 0)
        return check_file(session, call, report, job, status);
    if (what && strcmp(what, "wrong") == 0)
        return show_wrong(session, report, status);
    EB_TRY(eb_library_open(&library, status));
    eb_code failed = choose(session, call, &library, report, job, status);
    eb_library_close(&library);
    return failed;
}

static eb_code need_play(const eb_session *session, eb_status *status)
{
    return session->play ? EB_OK : eb_fail(status, EB_NOT_FOUND, "no lesson has begun; `lesson` lists them");
}

static void log_answer(eb_session *session, const eb_outcome *o)
{
    eb_status failure;
    const eb_lesson_answer given = {.lesson = session->play->lesson->name,
                                    .step = session->play->step + 1,
                                    .question = o->question,
                                    .answer = o->answer,
                                    .expected = o->expected,
                                    .correct = o->correct,
                                    .hinted = o->hinted};
    if (session->store && session->session_row > 0 &&
        eb_store_lesson_answer(session->store, session->session_row, &given, &failure))
        eb_session_log_failed(session, &failure);
}

static eb_code put_end(eb_session *session, eb_report *report, eb_status *status)
{
    const size_t answered = session->play->answered, right = session->play->right;
    if (answered == 0)
        eb_report_note(report, "the lesson is over; `lesson` lists the others");
    else
        eb_report_note(report, "the lesson is over: %zu of %zu predicted rightly; `lesson` lists the others", right,
                       answered);
    if (session->store && session->play->wrong)
        return eb_store_lesson_wrong(session->store, session->play->lesson->name, report, status);
    eb_play_wrong(session->play, report);
    return EB_OK;
}

eb_code eb_cmd_answer(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    eb_outcome outcome;
    EB_TRY(need_play(session, status));
    EB_TRY(eb_play_answer(session->play, session, eb_call_text(call, "answer"), report, &outcome, job, status));
    if (eb_call_has(call, "answer"))
        log_answer(session, &outcome);
    if (outcome.open)
        return eb_play_remind(session->play, report, job, status);
    const size_t next = session->play->step + 1;
    EB_TRY(eb_play_ask(session->play, session, next, report, job, status));
    return next < session->play->lesson->steps ? EB_OK : put_end(session, report, status);
}

eb_code eb_cmd_hint(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)call;
    EB_TRY(need_play(session, status));
    return eb_play_hint(session->play, report, job, status);
}
