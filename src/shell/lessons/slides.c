#include "shell/lessons/slides.h"

#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/report/find.h"
#include "draw/format.h"
#include "draw/slides.h"
#include "shell/lessons/play.h"

enum { SMALLEST_COLUMNS = 80, SMALLEST_ROWS = 24, KEY = 80 };

typedef struct maker {
    eb_session *session;
    eb_play *play;
    eb_report *report; /* of slides */
    size_t step, made, slides;
    eb_step_visitor *visit; /* NULL: nobody */
    void *context;
    eb_job *job;
    eb_status *status;
} maker;

/* The reports and the result of a step. */
typedef struct gone {
    eb_report *asked, *answered;
    eb_outcome outcome;
    char hint[1024]; /* "": none */
} gone;

static bool counts(const maker *m, const eb_lesson_line *line, eb_lesson_word word)
{
    return line->word == word && (line->where & m->play->where);
}

/* True if the line has a slide of its own. */
static bool is_shown(const maker *m, const eb_lesson_line *line)
{
    return counts(m, line, EB_LESSON_SHOW) || counts(m, line, EB_LESSON_CODE);
}

/* Two slides per step, question and answer, and one for each line that shows something. */
static size_t count_slides(const maker *m)
{
    const eb_lesson *lesson = m->play->lesson;
    size_t count = 2 * lesson->steps;
    for (size_t k = 0; k < lesson->lines; k++)
        count += is_shown(m, &lesson->line[k]);
    return count;
}

/* ---- a slide ---- */

static eb_record *begin_slide(maker *m, const char *kind)
{
    const eb_lesson *lesson = m->play->lesson;
    const char *heading = lesson->step[m->step].title;
    char key[KEY], title[300];
    m->made++;
    (void)snprintf(key, sizeof key, "slide_%zu", m->made);
    (void)snprintf(title, sizeof title, "%zu of %zu: %s%s", m->made, m->slides, heading,
                   strcmp(kind, "question") == 0   ? ""
                   : strcmp(kind, "evidence") == 0 ? ", evidence"
                                                   : ", explained");
    eb_record *record = eb_report_record(m->report, &(eb_column){.key = key}, title);
    eb_report_page(m->report);
    EB_RECORD_FIELDS(record, {EB_HIDDEN(kind), eb_text(kind)}, {EB_F(heading), eb_text(heading)},
                     {EB_HIDDEN(step), eb_uint(m->step + 1)}, {EB_HIDDEN(steps), eb_uint(lesson->steps)});
    return record;
}

static void copy_fields(eb_record *to, const eb_record *from, const char *but)
{
    for (size_t k = 0; from && k < from->fields; k++)
        if (from->field[k].title && strcmp(from->field[k].key, but) != 0)
            eb_record_field(to, &(eb_column){from->field[k].key, from->field[k].title, from->field[k].unit},
                            from->field[k].value);
}

static void put_question(maker *m, const gone *g)
{
    eb_record *record = begin_slide(m, "question");
    copy_fields(record, eb_report_find_record(g->asked, EB_F(question)), "how");
    eb_record_field(record, EB_HIDDEN(right), eb_text(g->outcome.expected));
    if (g->hint[0])
        eb_record_field(record, EB_HIDDEN(hint), eb_text(g->hint));
}

/* The last command that ran before a line, possibly in an earlier step; "": none. */
static const char *command_before(const maker *m, size_t line)
{
    while (line-- > 0)
        if (m->play->ran[line])
            return m->play->ran[line];
    return "";
}

static void put_evidence(maker *m, eb_report *from, size_t line, eb_value evidence)
{
    const eb_lesson_line *show = &m->play->lesson->line[line];
    char key[KEY];
    const bool code = show->word == EB_LESSON_CODE;
    const char *shown = code ? "code" : show->name;
    eb_record *record = begin_slide(m, "evidence");
    if (!code)
        eb_record_field(record, EB_F(run), eb_text(command_before(m, line)));
    if (!code && evidence.kind == EB_TEXT)
        eb_record_field(record, EB_F(evidence), evidence);
    const size_t first = m->report->items;
    if (code)
        (void)eb_report_hand_on_first(from, &(eb_column){.key = shown}, m->report);
    else
        (void)eb_report_hand_on(from, &(eb_column){.key = shown}, NULL, m->report);
    (void)snprintf(key, sizeof key, "slide_%zu_%.40s", m->made, shown);
    eb_report_rename(m->report, first, &(eb_column){.key = key});
}

static void put_shown(maker *m, eb_report *from, size_t first, size_t end, eb_value evidence)
{
    for (size_t k = first; k < end; k++)
        if (is_shown(m, &m->play->lesson->line[k]))
            put_evidence(m, from, k, evidence);
}

/* Adds the commands of a step that shows no results of them. */
static void put_commands(const maker *m, eb_record *record, const eb_lesson_step *step)
{
    char text[2000] = "";
    size_t used = 0;
    for (size_t k = step->first; k < step->end && used < sizeof text; k++)
        if (m->play->ran[k])
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? "; " : "", m->play->ran[k]);
    if (used > 0)
        eb_record_field(record, EB_F(run), eb_text(text));
}

static bool shows(const maker *m, const eb_lesson_step *step)
{
    bool any = false;
    for (size_t k = step->first; k < step->end; k++)
        any |= is_shown(m, &m->play->lesson->line[k]);
    return any;
}

/* "model 600; measured 500, by this GPU" */
static void put_compared(eb_record *record, const gone *g)
{
    const eb_table *figures = eb_report_find_table(g->answered, EB_F(figures));
    char text[400] = "", value[64];
    size_t used = 0;
    for (size_t r = 0; figures && r < figures->rows && used < sizeof text; r++) {
        const eb_value figure = eb_table_value(figures, r, EB_F(value));
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %s%s%s", r > 0 ? "; " : "",
                                 eb_text_at(figures, r, EB_F(what)),
                                 figure.kind == EB_TEXT ? figure.as.text
                                                        : eb_format_value(value, sizeof value, figure, EB_PLAIN),
                                 r > 0 ? ", by " : "", r > 0 ? eb_text_at(figures, r, EB_F(by)) : "");
    }
    if (used > 0)
        eb_record_field(record, EB_F(compared), eb_text(text));
}

static void put_answer(maker *m, const gone *g)
{
    const eb_lesson_step *step = &m->play->lesson->step[m->step];
    const eb_record *answered = eb_report_find_record(g->answered, EB_F(answered));
    const bool shown = shows(m, step);
    eb_record *record = begin_slide(m, "answer");
    eb_record_field(record, EB_HIDDEN(right), eb_text(g->outcome.expected));
    if (!shown)
        put_commands(m, record, step);
    put_compared(record, g);
    copy_fields(record, answered, shown ? "evidence" : "");
}

/* ---- a step ---- */

static eb_code find_hint(maker *m, gone *g)
{
    eb_status none = {.code = EB_OK};
    eb_report *hint = eb_report_new("hint");
    if (!hint)
        return eb_fail_memory(m->status, "a report", sizeof *hint);
    eb_code failed = eb_play_hint(m->play, hint, m->job, &none);
    const eb_record *record = eb_report_find_record(hint, EB_F(hint));
    (void)snprintf(g->hint, sizeof g->hint, "%s", eb_value_text(eb_record_find(record, EB_F(hint))));
    eb_report_free(hint);
    if (failed && failed != EB_NOT_FOUND)
        *m->status = none;
    return failed == EB_NOT_FOUND ? EB_OK : failed;
}

static eb_code go_through(maker *m, gone *g)
{
    if (!g->asked || !g->answered)
        return eb_fail_memory(m->status, "a report", sizeof(eb_report));
    EB_TRY(eb_play_ask(m->play, m->session, m->step, NULL, g->asked, m->job, m->status));
    EB_TRY(find_hint(m, g));
    const double start_s = eb_now_s();
    EB_TRY(eb_play_answer(m->play, m->session, NULL, g->answered, &g->outcome, m->job, m->status));
    const eb_play_scene scene = {m->play, m->session, g->answered, m->job, m->status};
    return m->visit ? m->visit(&(eb_gone_step){&scene, &g->outcome, eb_now_s() - start_s}, m->context) : EB_OK;
}

static eb_code put_step(maker *m)
{
    const eb_lesson_step *step = &m->play->lesson->step[m->step];
    gone g = {.asked = eb_report_new("lesson"), .answered = eb_report_new("answer")};
    eb_code failed = go_through(m, &g);
    if (!failed) {
        const eb_value evidence = eb_record_find(eb_report_find_record(g.answered, EB_F(answered)), EB_F(evidence));
        put_shown(m, g.asked, step->first, step->ask, evidence);
        put_question(m, &g);
        put_shown(m, g.answered, step->ask, step->end, evidence);
        put_answer(m, &g);
    }
    eb_report_free(g.asked);
    eb_report_free(g.answered);
    return failed;
}

eb_code eb_slides_make(eb_session *session, eb_lesson *lesson, eb_step_visitor *visit, void *context, eb_report *report,
                       eb_job *job, eb_status *status)
{
    maker m = {.session = session, .report = report, .visit = visit, .context = context, .job = job, .status = status};
    EB_TRY(eb_play_new(session, lesson, &m.play, status));
    m.slides = count_slides(&m);
    EB_FIELDS(report, {EB_F(lesson), eb_text(lesson->title)}, {EB_F(about), eb_text(lesson->about)},
              {EB_F(slides), eb_uint(m.slides)});
    eb_code failed = EB_OK;
    for (; m.step < lesson->steps && !failed; m.step++)
        failed = put_step(&m);
    eb_play_free(m.play);
    return failed;
}

/* ---- texts too long for a slide ---- */

static eb_code check_slide(const eb_lesson *lesson, const eb_report *report, size_t slide, eb_status *status)
{
    char key[KEY];
    const eb_slide_view view = {.slide = slide};
    const char *kind = eb_slide_kind(report, slide);
    (void)snprintf(key, sizeof key, "slide_%zu", slide + 1);
    const eb_value number = eb_record_find(eb_report_find_record(report, &(eb_column){.key = key}), EB_F(step));
    if (strcmp(kind, "evidence") == 0 || number.kind != EB_UNSIGNED ||
        eb_slide_pages(report, &view, true, SMALLEST_COLUMNS, SMALLEST_ROWS) == 1)
        return EB_OK;
    const eb_lesson_step *step = &lesson->step[number.as.u64 - 1];
    return eb_fail(status, EB_USAGE, "%s:%zu: the %s of \"%.80s\" has no room on a slide of %d × %d: say less",
                   lesson->path, lesson->line[step->first - 1].number,
                   strcmp(kind, "question") == 0 ? "question" : "explanation", step->title, (int)SMALLEST_COLUMNS,
                   (int)SMALLEST_ROWS);
}

eb_code eb_slides_check(const eb_lesson *lesson, const eb_report *report, eb_status *status)
{
    for (size_t slide = 0; slide < eb_slides_count(report); slide++)
        EB_TRY(check_slide(lesson, report, slide, status));
    return EB_OK;
}
