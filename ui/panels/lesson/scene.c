#include "ui/panels/lesson/scene.h"

#include <string.h>

#include "core/report/find.h"

static uint64_t number_of(eb_value value) { return value.kind == EB_UNSIGNED ? value.as.u64 : 0; }

static void find_question(eb_lesson_scene *s)
{
    const eb_item *item = eb_report_find(s->report, EB_RECORD, EB_F(question));
    if (!item)
        return;
    s->question = &item->as.record;
    s->title = item->title;
    s->lesson = eb_value_text(eb_record_find(s->question, EB_F(lesson)));
    s->step = number_of(eb_record_find(s->question, EB_F(step)));
    s->steps = number_of(eb_record_find(s->question, EB_F(steps)));
    for (size_t k = 0; k < s->question->fields && s->choices < EB_MOST_CHOICES; k++)
        if (strlen(s->question->field[k].key) == 1 && s->question->field[k].value.kind == EB_TEXT)
            s->choice[s->choices++] = &s->question->field[k];
}

static eb_report part_of(const eb_report *report, size_t first, size_t end)
{
    return (eb_report){.command = report->command, .item = report->item + first, .items = end - first};
}

/* Divides an answer's report: the evidence comes before the field `correct`; after the outcome comes the next step or,
 * at the lesson's end, the summary. */
static void find_answer(eb_lesson_scene *s)
{
    size_t shown = 0, outcome;
    while (shown < s->report->items && strcmp(s->report->item[shown]->key, "correct") != 0)
        shown++;
    for (outcome = shown; outcome < s->report->items; outcome++)
        if (strcmp(s->report->item[outcome]->key, "answered") == 0)
            break;
    if (outcome == s->report->items)
        return;
    const eb_value right = eb_report_find_field(s->report, EB_F(correct));
    s->answered = &s->report->item[outcome]->as.record;
    s->verdict = s->report->item[outcome]->title;
    s->told = right.kind != EB_BOOL;
    s->right = right.kind == EB_BOOL && right.as.boolean;
    s->has[EB_LESSON_EVIDENCE] = shown > 0;
    s->part[EB_LESSON_EVIDENCE] = part_of(s->report, 0, shown);
    s->part[EB_LESSON_REPORT] = part_of(s->report, outcome + 1, s->report->items);
    s->part[EB_LESSON_REPORT].note = s->report->note;
    s->part[EB_LESSON_REPORT].notes = s->report->notes;
}

/* What is shown with the question: the items before it, from the last answer on. */
static void find_given(eb_lesson_scene *s)
{
    size_t first = 0, end = 0;
    for (size_t k = 0; s->question && k < s->report->items; k++) {
        const eb_item *item = s->report->item[k];
        if (item->kind == EB_FIELD || strcmp(item->key, "answered") == 0 || strcmp(item->key, "again") == 0 ||
            strcmp(item->key, "lessons") == 0)
            first = k + 1;
        else if (&item->as.record == s->question)
            end = k;
    }
    if (end > first)
        s->part[EB_LESSON_QUESTION] = part_of(s->report, first, end);
}

/* The newest report of a command that asks a question. */
static const char *newest(const eb_desk *desk)
{
    static const char *const asking[] = {"lesson", "diagnose", "answer"};
    const char *found = asking[0];
    for (size_t k = 1; k < sizeof asking / sizeof asking[0]; k++)
        if (eb_desk_report_stamp(desk, asking[k]) >= eb_desk_report_stamp(desk, found))
            found = asking[k];
    return found;
}

static bool runs(const eb_desk *desk, const char *command)
{
    return eb_desk_busy(desk) && strncmp(eb_desk_running(desk), command, strlen(command)) == 0;
}

eb_lesson_scene eb_lesson_scene_of(const eb_desk *desk)
{
    const unsigned long hinted = eb_desk_report_stamp(desk, "hint");
    eb_lesson_scene s = {.title = "", .lesson = "", .verdict = ""};
    s.stamp = eb_desk_report_stamp(desk, newest(desk));
    s.report = eb_desk_report(desk, newest(desk));
    if (!s.report)
        return s;
    s.part[EB_LESSON_REPORT] = *s.report;
    s.list = eb_report_find_table(s.report, EB_F(lessons));
    s.wrong = eb_report_find_table(s.report, EB_F(wrong));
    s.figures = eb_report_find_table(s.report, EB_F(figures));
    find_question(&s);
    s.again = eb_report_find_record(s.report, EB_F(again));
    find_answer(&s);
    find_given(&s);
    s.has[EB_LESSON_LIST] = s.list != NULL;
    s.has[EB_LESSON_EXPLAINED] = s.answered != NULL;
    s.has[EB_LESSON_QUESTION] = s.question != NULL;
    s.has[EB_LESSON_REPORT] = !s.list && !s.question;
    s.hint =
        hinted > s.stamp && s.question
            ? eb_value_text(eb_record_find(eb_report_find_record(eb_desk_report(desk, "hint"), EB_F(hint)), EB_F(hint)))
            : NULL;
    s.running = s.question && runs(desk, "answer");
    return s;
}
