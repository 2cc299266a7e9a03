/* commands: the commands lesson, answer and hint. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/files.h"
#include "kernels/ladder/ladder.h"
#include "shell/code/kernel_code.h"
#include "shell/commands/commands.h"
#include "shell/defaults.h"
#include "shell/diagnosis/diagnose.h"
#include "shell/lab/model_report.h"
#include "shell/lessons/check.h"
#include "shell/lessons/course.h"
#include "shell/lessons/library.h"
#include "shell/lessons/play.h"
#include "shell/lessons/slides.h"
#include "shell/lessons/unattended.h"

static const char all_answered[] = "every question of the course is answered; `lesson results` says how";

/* ---- `lesson` ---- */

/* Says where `lesson next` goes on, if there is a log. */
static eb_code note_next(const eb_session *session, const eb_course *course, eb_report *report, eb_status *status)
{
    const eb_lesson *lesson;
    eb_lesson_place place;
    size_t step;
    if (!session->store)
        return EB_OK;
    EB_TRY(eb_store_lesson_place(session->store, &place, status));
    EB_TRY(eb_course_next(course, session->store, &lesson, &step, status));
    if (place.step > 0 || step > 0)
        eb_report_note(report, "`lesson next` goes on with %s, step %zu", place.step > 0 ? place.lesson : lesson->name,
                       place.step > 0 ? place.step : step);
    return EB_OK;
}

static eb_code list_lessons(const eb_session *session, const eb_library *library, eb_report *report, eb_job *job,
                            eb_status *status)
{
    eb_course course;
    EB_TRY(eb_course_open(library, &course, status));
    eb_code failed = eb_course_list(&course, session->store, report, status);
    if (!failed && session->play)
        failed = eb_play_remind(session->play, report, job, status);
    if (!failed)
        failed = note_next(session, &course, report, status);
    eb_course_close(&course);
    eb_report_note(
        report, "`lesson NAME` begins a lesson, `lesson NAME slides` shows it to a class, `lesson wrong` lists wrong "
                "predictions; your own lessons are files NAME.lesson in $XDG_DATA_HOME/epsbench/lessons, and `lesson "
                "check FILE` tests one");
    eb_report_note(report, "`exercise` has you write a function of the kernel; `diagnose` asks which switch is off");
    return failed;
}

/* ---- the place in a lesson, which the log keeps ---- */

/* Begins a lesson at a step, from 0. kept: what the log knows of earlier tries; NULL: there were none. */
static eb_code begin(eb_session *session, const char *path, size_t step, const eb_lesson_place *kept, eb_report *report,
                     eb_job *job, eb_status *status)
{
    eb_lesson *lesson;
    eb_play *play;
    EB_TRY(eb_lesson_read(path, &lesson, status));
    if (step >= lesson->steps) {
        const size_t steps = lesson->steps;
        eb_lesson_free(lesson);
        return eb_fail(status, EB_USAGE, "the lesson has %zu step%s, found step=%zu", steps, steps == 1 ? "" : "s",
                       step + 1);
    }
    EB_TRY(eb_play_new(session, lesson, &play, status));
    eb_code failed = eb_play_catch_up(play, session, step, job, status);
    EB_FIELDS(report, {EB_F(lesson), eb_text(lesson->title)}, {EB_F(about), eb_text(lesson->about)});
    if (!failed)
        failed = eb_play_ask(play, session, step, kept, report, job, status);
    if (failed) {
        eb_play_free(play);
        return failed;
    }
    eb_play_free(session->play);
    session->play = play;
    session->free_play = eb_play_free;
    eb_play_stay(session);
    return EB_OK;
}

/* Begins the lesson that the log says is open, at its question. What is shown goes into the report. */
static eb_code resume_at(eb_session *session, const eb_lesson_place *place, eb_report *report, eb_job *job,
                         eb_status *status)
{
    eb_library library;
    const char *path;
    if (strcmp(place->lesson, EB_DIAGNOSIS) == 0)
        return eb_diagnose(session, place, report, job, status);
    EB_TRY(eb_library_open(&library, status));
    eb_code failed = eb_library_find(&library, place->lesson, &path, status);
    if (!failed)
        failed = begin(session, path, place->step - 1, place, report, job, status);
    if (!failed)
        session->play->resumed = true;
    eb_library_close(&library);
    return failed;
}

/* The question that is open in this session; else the one that the log keeps. EB_NOT_FOUND: neither. */
static eb_code need_play(eb_session *session, eb_job *job, eb_status *status)
{
    eb_lesson_place place = {0};
    if (session->play)
        return EB_OK;
    if (session->store)
        EB_TRY(eb_store_lesson_place(session->store, &place, status));
    if (place.step == 0)
        return eb_fail(status, EB_NOT_FOUND, "no lesson has begun; `lesson` lists them");
    eb_report *unseen = eb_report_new("lesson");
    eb_code failed =
        unseen ? resume_at(session, &place, unseen, job, status) : eb_fail_memory(status, "a report", sizeof *unseen);
    eb_report_free(unseen);
    return failed;
}

/* ---- `lesson next` ---- */

static eb_code begin_next(eb_session *session, const eb_library *library, eb_report *report, eb_job *job,
                          eb_status *status)
{
    eb_course course;
    const eb_lesson *lesson;
    size_t step;
    EB_TRY(eb_course_open(library, &course, status));
    eb_code failed = eb_course_next(&course, session->store, &lesson, &step, status);
    if (!failed && step > 0)
        failed = begin(session, lesson->path, step - 1, NULL, report, job, status);
    else if (!failed)
        eb_report_note(report, "%s", all_answered);
    if (!failed && step > 1)
        session->play->resumed = true;
    eb_course_close(&course);
    return failed;
}

static eb_code go_on(eb_session *session, const eb_library *library, eb_report *report, eb_job *job, eb_status *status)
{
    eb_lesson_place place;
    if (session->play && !session->play->go_on && session->play->step < session->play->lesson->steps)
        return eb_play_remind(session->play, report, job, status);
    EB_TRY(eb_session_need_log(session, status));
    EB_TRY(eb_store_lesson_place(session->store, &place, status));
    return place.step > 0 && strcmp(place.lesson, EB_DIAGNOSIS) != 0
               ? resume_at(session, &place, report, job, status)
               : begin_next(session, library, report, job, status);
}

/* ---- `lesson code=` ---- */

static const eb_rung *rung_at(const eb_play *play, size_t line)
{
    const eb_lesson_line *of = &play->lesson->line[line];
    return of->word == EB_LESSON_CODE && (of->where & play->where) ? eb_ladder_find(of->name) : NULL;
}

/* The kernel of the ladder whose lines the open step shows, else an earlier step, else a later one; NULL: none does. */
static const eb_rung *rung_of(const eb_play *play)
{
    const eb_lesson *lesson = play->lesson;
    const size_t step = play->step < lesson->steps ? play->step : lesson->steps - 1, end = lesson->step[step].end;
    const eb_rung *found = NULL;
    for (size_t k = end; k-- > 0 && !found;)
        found = rung_at(play, k);
    for (size_t k = end; k < lesson->lines && !found; k++)
        found = rung_at(play, k);
    return found;
}

static eb_code show_code(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    char name[64];
    eb_machine machine;
    if (eb_call_has(call, "what"))
        return eb_fail(status, EB_USAGE, "code= is for the open step of a lesson: `lesson code=%s`",
                       eb_call_text(call, "code"));
    EB_TRY(need_play(session, job, status));
    const eb_rung *rung = rung_of(session->play);
    if (!rung)
        return eb_fail(status, EB_NOT_FOUND,
                       "no step of %s shows a kernel; `model code=%s` shows FASTED's, and `lesson tiling` "
                       "begins with one",
                       session->play->lesson->name, eb_call_text(call, "code"));
    EB_TRY(eb_model_gpu(session, NULL, &machine, status));
    (void)snprintf(name, sizeof name, "ladder_%s", rung->name);
    const double needs = rung->architecture / 10.0;
    const eb_code_asked asked = {.title = name,
                                 .file = rung->source,
                                 .name = name,
                                 .compute = machine.compute < needs ? needs : machine.compute,
                                 .sass = strcmp(eb_call_text(call, "code"), "sass") == 0,
                                 .whole = eb_call_flag(call, "whole")};
    EB_TRY(eb_kernel_code(&asked, report, job, status));
    if (machine.compute < needs)
        eb_report_note(report, "%s needs sm_%d, which %s is not", rung->name, rung->architecture, machine.title);
    if (session->play->step < session->play->lesson->steps)
        eb_report_note(report, "`lesson next` shows the question again");
    return EB_OK;
}

/* ---- `lesson results` ---- */

enum { MOST_LOGS = 1000 };

/* Adds the files that a pattern names; a name that matches nothing stays, and its absence is reported. */
static eb_code add_logs(const char *pattern, glob_t *found, eb_status *status)
{
    char *expanded = eb_expand_home(pattern);
    const int failed =
        expanded ? glob(expanded, GLOB_NOCHECK | (found->gl_pathc > 0 ? GLOB_APPEND : 0), NULL, found) : GLOB_NOSPACE;
    free(expanded);
    return failed ? eb_fail(status, EB_IO, "cannot read the folder of %s", pattern) : EB_OK;
}

static eb_code show_class(eb_session *session, const char *files, bool students, eb_report *report, eb_status *status)
{
    glob_t found = {0};
    char *copy = strdup(files), *at = copy;
    eb_code failed = copy ? EB_OK : eb_fail_memory(status, "names of files", strlen(files));
    for (char *file; !failed && (file = strsep(&at, ",")) != NULL;)
        failed = add_logs(file, &found, status);
    if (!failed && found.gl_pathc > MOST_LOGS)
        failed = eb_fail(status, EB_TOO_LARGE, "expected at most %d logs, found %zu", (int)MOST_LOGS, found.gl_pathc);
    if (!failed)
        failed = eb_store_lesson_class(session->store, (const char *const *)found.gl_pathv, found.gl_pathc, students,
                                       report, status);
    if (!failed)
        eb_report_note(report, "%zu log%s read; a student's first answer to a question counts", found.gl_pathc,
                       found.gl_pathc == 1 ? "" : "s");
    globfree(&found);
    free(copy);
    return failed;
}

static eb_code show_results(eb_session *session, const eb_call *call, eb_report *report, eb_status *status)
{
    const char *files = eb_call_text(call, "file");
    if (files)
        return show_class(session, files, eb_call_flag(call, "students"), report, status);
    if (eb_call_flag(call, "students"))
        return eb_fail(status, EB_USAGE, "students is for logs of a class, as `lesson results *.db students`");
    EB_TRY(eb_session_need_log(session, status));
    return eb_store_lesson_results(session->store, report, status);
}

/* ---- a lesson that a person answers; slides, check ---- */

static eb_code show_wrong(const eb_session *session, eb_report *report, eb_status *status)
{
    EB_TRY(eb_session_need_log(session, status));
    return eb_store_lesson_wrong(session->store, NULL, report, status);
}

static eb_code show_slides(eb_session *session, const char *path, eb_report *report, eb_job *job, eb_status *status)
{
    eb_lesson *lesson;
    EB_TRY(eb_lesson_read(path, &lesson, status));
    return eb_slides_make(session, lesson, NULL, NULL, report, job, status);
}

static eb_code check(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    const char *path = eb_call_text(call, "file");
    eb_library library;
    eb_course course;
    if (!path)
        return eb_fail(status, EB_USAGE, "`lesson check FILE` needs a file; `lesson check all` checks the course");
    if (strcmp(path, "all") != 0)
        return eb_lesson_check(session, path, report, job, status);
    EB_TRY(eb_library_open(&library, status));
    eb_code failed = eb_course_open(&library, &course, status);
    if (!failed) {
        failed = eb_course_check(session, &course, report, job, status);
        eb_course_close(&course);
    }
    eb_library_close(&library);
    return failed;
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
    if (strcmp(what, "next") == 0)
        return go_on(session, library, report, job, status);
    if (strcmp(what, "record") == 0)
        return record(session, call, library, report, job, status);
    EB_TRY(eb_library_find(library, what, &path, status));
    if (eb_call_flag(call, "answers"))
        return eb_lessons_answer(session, &path, 1, report, job, status);
    if (eb_call_flag(call, "slides") && eb_call_has(call, "step"))
        return eb_fail(status, EB_USAGE, "step= is for a lesson to be answered; slides are of all steps");
    if (eb_call_flag(call, "slides"))
        return show_slides(session, path, report, job, status);
    return begin(session, path, (size_t)eb_call_integer(call, "step", 1) - 1, NULL, report, job, status);
}

eb_code eb_cmd_lesson(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    const char *what = eb_call_text(call, "what");
    eb_library library;
    if (eb_call_flag(call, "whole") && !eb_call_has(call, "code"))
        return eb_fail(status, EB_USAGE, "whole is for code=, as `lesson code=ptx whole`");
    if (eb_call_has(call, "code"))
        return show_code(session, call, report, job, status);
    if (what && strcmp(what, "check") == 0)
        return check(session, call, report, job, status);
    if (what && strcmp(what, "wrong") == 0)
        return show_wrong(session, report, status);
    if (what && strcmp(what, "results") == 0)
        return show_results(session, call, report, status);
    EB_TRY(eb_library_open(&library, status));
    eb_code failed = choose(session, call, &library, report, job, status);
    eb_library_close(&library);
    return failed;
}

static void log_answer(eb_session *session, const eb_outcome *o)
{
    eb_status failure;
    const eb_lesson_answer given = {.lesson = session->play->lesson->name,
                                    .step = session->play->before + session->play->step + 1,
                                    .question = o->question,
                                    .answer = o->answer,
                                    .expected = o->expected,
                                    .correct = o->correct,
                                    .hinted = o->hinted};
    if (session->store && session->session_row > 0 &&
        eb_store_lesson_answer(session->store, session->session_row, &given, &failure))
        eb_session_log_failed(session, &failure);
}

/* Says where `lesson next` goes on: "norms", or "part 2, one distance: rounding". */
static eb_code note_rest(const eb_session *session, eb_report *report, eb_status *status)
{
    eb_library library;
    eb_course course = {0};
    const eb_lesson *next = NULL;
    size_t step = 0;
    EB_TRY(eb_library_open(&library, status));
    eb_code failed = eb_course_open(&library, &course, status);
    if (!failed)
        failed = eb_course_next(&course, session->store, &next, &step, status);
    if (!failed && step == 0)
        eb_report_note(report, "%s", all_answered);
    else if (!failed && next->part && next->part_number != session->play->lesson->part_number)
        eb_report_note(report, "`lesson next` goes on with part %zu, %s: %s", next->part_number + 1, next->part,
                       next->name);
    else if (!failed)
        eb_report_note(report, "`lesson next` goes on with %s", next->name);
    eb_course_close(&course);
    eb_library_close(&library);
    return failed;
}

/* The end of a lesson. The log knows what an earlier process was told. */
static eb_code put_end(eb_session *session, eb_report *report, eb_status *status)
{
    const eb_play *play = session->play;
    size_t answered = play->answered, right = play->right, later = play->later;
    const char *others = session->store ? "" : "; `lesson` lists the others";
    char more[64] = "";
    bool wrong = play->wrong != NULL;
    if (session->store && play->resumed) {
        eb_lesson_progress progress;
        EB_TRY(eb_store_lesson_progress(session->store, play->lesson->name, &progress, status));
        answered = progress.answered;
        right = progress.first;
        later = progress.right > right ? progress.right - right : 0;
        wrong = progress.right < progress.answered;
    }
    if (later > 0)
        (void)snprintf(more, sizeof more, ", %zu by a second try", later);
    if (answered == 0)
        eb_report_note(report, "the lesson is over%s", others);
    else
        eb_report_note(report, "the lesson is over: %zu of %zu predicted rightly%s%s", right, answered, more, others);
    if (session->store)
        (void)note_rest(session, report, &(eb_status){0}); /* another lesson's bad file is no error of this one */
    if (session->store && wrong)
        return eb_store_lesson_wrong(session->store, play->lesson->name, report, status);
    eb_play_wrong(session->play, report);
    return EB_OK;
}

eb_code eb_cmd_answer(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    eb_outcome outcome;
    EB_TRY(need_play(session, job, status));
    EB_TRY(eb_play_answer(session->play, session, eb_call_text(call, "answer"), report, &outcome, job, status));
    if (eb_call_has(call, "answer"))
        log_answer(session, &outcome);
    const size_t next = session->play->step + 1;
    eb_code failed = outcome.open ? eb_play_repeat(session->play, report, job, status)
                                  : eb_play_ask(session->play, session, next, NULL, report, job, status);
    if (!failed && !outcome.open && next == session->play->lesson->steps && session->play->go_on)
        return session->play->go_on(session, report, job, status);
    eb_play_stay(session);
    if (failed || outcome.open)
        return failed;
    return next < session->play->lesson->steps ? EB_OK : put_end(session, report, status);
}

eb_code eb_cmd_hint(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)call;
    EB_TRY(need_play(session, job, status));
    EB_TRY(eb_play_hint(session->play, report, job, status));
    eb_play_stay(session);
    return EB_OK;
}
