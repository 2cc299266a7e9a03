#include "shell/lessons/check.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/lessons/figures.h"
#include "shell/lessons/slides.h"
#include "shell/lessons/tries.h"
#include "shell/lessons/unattended.h"

typedef struct checker {
    eb_table *findings, *answers; /* answers NULL: not wanted */
    size_t steps;
} checker;

static void add(checker *c, const eb_lesson *lesson, size_t line, const char *found, const char *expected)
{
    EB_ROW(c->findings, eb_text(lesson->name), eb_uint(line), eb_text(found), eb_text(expected));
}

/* ---- numbers written by hand ---- */

static bool is_of_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.'; }

/* Length of a number at `at`: digits, with *point set if there are digits on both sides of a point. */
static size_t number_at(const char *at, bool *point)
{
    size_t length = strspn(at, "0123456789,");
    *point = length > 0 && at[length] == '.' && isdigit((unsigned char)at[length + 1]);
    return *point ? length + 1 + strspn(at + length + 1, "0123456789") : length;
}

static bool is_percentage(const char *end)
{
    return *end == '%' || (end[0] == ' ' && end[1] == '%') || strncmp(end, " percent", 8) == 0;
}

size_t eb_written_number(const char **at)
{
    for (const char *c = *at; *c; c++) {
        bool point;
        if (*c == '{') {
            c += strcspn(c, "}");
            if (*c == '\0')
                return 0;
            continue;
        }
        if (!isdigit((unsigned char)*c))
            continue;
        const size_t length = number_at(c, &point);
        const bool ends = !isalnum((unsigned char)c[length]) &&
                          (c[length] != '.' || !isdigit((unsigned char)c[length + 1])),
                   bits = c[0] == '0' && isdigit((unsigned char)c[1]);
        if (ends && !bits && (c == *at || !is_of_word(c[-1])) && (point || is_percentage(c + length))) {
            *at = c;
            return length;
        }
        c += length - 1;
    }
    return 0;
}

static bool is_told(eb_lesson_word word)
{
    return word == EB_LESSON_SAY || word == EB_LESSON_ASK || word == EB_LESSON_HINT || word == EB_LESSON_EXPLAIN;
}

static void check_texts(checker *c, const eb_lesson *lesson)
{
    for (size_t k = 0; k < lesson->lines; k++) {
        const char *at = lesson->line[k].text;
        char found[80];
        if (!is_told(lesson->line[k].word))
            continue;
        for (size_t length; (length = eb_written_number(&at)) > 0; at += length) {
            (void)snprintf(found, sizeof found, "the number %.*s, written by hand", (int)length, at);
            add(c, lesson, lesson->line[k].number, found, "{SQL} with a value of the run");
        }
    }
}

/* ---- a step ---- */

static size_t line_of_step(const eb_play *play) { return play->lesson->line[eb_play_current(play)->first - 1].number; }

static void check_choices(checker *c, const eb_gone_step *gone)
{
    const eb_play *play = gone->scene->play;
    const eb_lesson_step *step = eb_play_current(play);
    for (size_t k = step->first; k < step->end; k++) {
        const eb_lesson_line *line = &play->lesson->line[k];
        char found[40];
        if (line->word != EB_LESSON_CHOICE || !(line->where & play->where) ||
            line->name[0] == gone->outcome->expected[0] || eb_play_line(play, EB_LESSON_WRONG, line->name[0]))
            continue;
        (void)snprintf(found, sizeof found, "choice %s is wrong, and nothing says why", line->name);
        add(c, play->lesson, line->number, found, "`wrong` with this letter");
    }
}

/* A slip must be no right answer; no other number is within a share of 0. */
static eb_code check_numbers(checker *c, const eb_gone_step *gone, const char *right)
{
    const eb_play_scene *s = gone->scene;
    const eb_lesson_step *step = eb_play_current(s->play);
    if (strtod(right, NULL) == 0) {
        add(c, s->play->lesson, line_of_step(s->play), "the right answer is 0, of which `within` allows no share",
            "a question with another number, or choices");
        return EB_OK;
    }
    for (size_t k = step->first; k < step->end; k++) {
        const eb_lesson_line *line = &s->play->lesson->line[k];
        char answer[64], found[160];
        double factor;
        if (line->word != EB_LESSON_SLIP || !(line->where & s->play->where))
            continue;
        EB_TRY(eb_tries_factor(s, line, &factor));
        (void)snprintf(answer, sizeof answer, "%.17g", factor * strtod(right, NULL));
        (void)snprintf(found, sizeof found, "the slip %.40s is the answer %.4g, which counts as right", line->name,
                       strtod(answer, NULL));
        if (eb_answer_agrees(s->play, answer, right))
            add(c, s->play->lesson, line->number, found, "an answer beyond `within`");
    }
    return EB_OK;
}

/* A right answer of its own must be the measured figure, as far as the step allows numbers to differ. */
static eb_code check_right(const eb_gone_step *gone, const eb_step_figures *figures)
{
    const eb_play_scene *s = gone->scene;
    const eb_lesson_line *right = eb_play_line(s->play, EB_LESSON_RIGHT, 0);
    const bool choices = eb_play_line(s->play, EB_LESSON_CHOICE, 0) != NULL;
    if (!right || !figures->measured.there || choices == figures->measured.number)
        return EB_OK;
    if (eb_answer_agrees(s->play, figures->measured.text, figures->right.text))
        return EB_OK;
    return eb_play_at_line(s, right,
                           eb_fail(s->status, EB_USAGE, "the right answer is %s, but %s was measured",
                                   figures->right.text, figures->measured.text));
}

static void check_figures(checker *c, const eb_play *play, const eb_step_figures *figures)
{
    char by[128];
    const eb_lesson_line *measured = eb_play_line(play, EB_LESSON_MEASURED, 0);
    if (measured && !figures->measured.there)
        add(c, play->lesson, measured->number, "`measured` without a value",
            play->where == EB_LESSON_ON_CPU ? "a value that a GPU recorded" : "a value of this GPU");
    if (eb_step_figures_part(figures, by, sizeof by) && !eb_play_line(play, EB_LESSON_APART, 0))
        add(c, play->lesson, line_of_step(play), by, "`apart`, which says why");
}

static eb_code check_step(const eb_gone_step *gone, void *context)
{
    checker *c = context;
    const eb_play *play = gone->scene->play;
    eb_step_figures figures;
    c->steps++;
    if (c->answers)
        eb_answers_put(c->answers, gone);
    if (!eb_play_line(play, EB_LESSON_EVIDENCE, 0))
        add(c, play->lesson, line_of_step(play), "a step without evidence", "`evidence`, which says who computed");
    check_choices(c, gone);
    EB_TRY(eb_tries_check(gone->scene));
    EB_TRY(eb_step_figures_find(gone->scene, &figures));
    check_figures(c, play, &figures);
    if (!eb_play_line(play, EB_LESSON_CHOICE, 0))
        EB_TRY(check_numbers(c, gone, figures.right.text));
    return check_right(gone, &figures);
}

/* ---- lessons ---- */

static eb_code check_file(checker *c, eb_session *session, const char *path, eb_job *job, eb_status *status)
{
    eb_lesson *lesson, *texts;
    eb_report *slides = eb_report_new("lesson");
    if (!slides)
        return eb_fail_memory(status, "a report", sizeof *slides);
    eb_code failed = eb_lesson_read(path, &texts, status);
    if (!failed) {
        check_texts(c, texts);
        failed = eb_lesson_read(path, &lesson, status);
        if (!failed)
            failed = eb_slides_make(session, lesson, check_step, c, slides, job, status);
        if (!failed)
            failed = eb_slides_check(texts, slides, status);
        eb_lesson_free(texts);
    }
    eb_report_free(slides);
    return failed;
}

static eb_table *findings_table(eb_report *report)
{
    return EB_TABLE(report, EB_F(findings), "Findings", EB_F(lesson), EB_F(line_found), EB_F(finding), EB_F(expected));
}

static void conclude(const checker *c, size_t lessons, eb_report *report)
{
    const size_t findings = c->findings ? c->findings->rows : 0;
    eb_report_note(report, "%zu lesson%s went through, %zu step%s, %zu finding%s", lessons, lessons == 1 ? "" : "s",
                   c->steps, c->steps == 1 ? "" : "s", findings, findings == 1 ? "" : "s");
}

eb_code eb_lesson_check(eb_session *session, const char *path, eb_report *report, eb_job *job, eb_status *status)
{
    checker c = {.answers = eb_answers_table(report)};
    c.findings = findings_table(report);
    EB_TRY(check_file(&c, session, path, job, status));
    conclude(&c, 1, report);
    return EB_OK;
}

/* Index of the lesson of this name; course->count: none. */
static size_t find_lesson(const eb_course *course, const char *name, size_t length)
{
    size_t k = 0;
    while (k < course->count &&
           (strncmp(course->lesson[k]->name, name, length) != 0 || course->lesson[k]->name[length] != '\0'))
        k++;
    return k;
}

static size_t line_of(const eb_lesson *lesson, eb_lesson_word word)
{
    for (size_t k = 0; k < lesson->lines; k++)
        if (lesson->line[k].word == word)
            return lesson->line[k].number;
    return 1;
}

/* Each lesson must come after those that it builds on. */
static void check_order(checker *c, const eb_course *course, size_t at)
{
    const eb_lesson *lesson = course->lesson[at];
    for (const char *name = lesson->after; name && *name;) {
        const size_t length = strcspn(name, " "), other = find_lesson(course, name, length);
        char found[120];
        (void)snprintf(found, sizeof found, "%.*s comes later, or not at all", (int)length, name);
        if (other >= at)
            add(c, lesson, line_of(lesson, EB_LESSON_AFTER), found, "a lesson that comes before on the course");
        name += length;
        name += strspn(name, " ");
    }
}

eb_code eb_course_check(eb_session *session, const eb_course *course, eb_report *report, eb_job *job, eb_status *status)
{
    checker c = {.findings = findings_table(report)};
    for (size_t k = 0; k < course->count; k++) {
        check_order(&c, course, k);
        EB_TRY(check_file(&c, session, course->lesson[k]->path, job, status));
    }
    conclude(&c, course->count, report);
    return EB_OK;
}
