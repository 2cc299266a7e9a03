/* play_answer: checks an answer, runs the rest of the step and shows the result. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/lessons/play.h"

static eb_code check_answer(const eb_play *play, const char *answer, eb_status *status)
{
    char *end;
    if (eb_play_line(play, EB_LESSON_CHOICE, 0)) {
        if (answer[0] != '\0' && answer[1] == '\0' && eb_play_line(play, EB_LESSON_CHOICE, answer[0]))
            return EB_OK;
        return eb_fail(status, EB_USAGE, "expected the letter of a choice, found \"%.40s\"", answer);
    }
    const double number = strtod(answer, &end);
    if (end != answer && *end == '\0' && isfinite(number))
        return EB_OK;
    return eb_fail(status, EB_USAGE, "expected a number, found \"%.40s\"", answer);
}

/* Computes the right answer in the form in which a person would type it. */
static eb_code find_right(const eb_play_scene *s, char *buffer, size_t size)
{
    const eb_lesson_line *line = eb_play_line(s->play, EB_LESSON_RIGHT, 0);
    eb_value value;
    eb_code failed = eb_evaluator_get(s->play->values, line->text, &value, s->job, s->status);
    if (!failed && value.kind == EB_TEXT)
        (void)snprintf(buffer, size, "%s", value.as.text);
    else if (!failed && value.kind == EB_INTEGER)
        (void)snprintf(buffer, size, "%lld", (long long)value.as.integer);
    else if (!failed && value.kind == EB_REAL)
        (void)snprintf(buffer, size, "%.4g", value.as.real);
    else if (!failed)
        failed = eb_fail(s->status, EB_USAGE, "`right` has no value: %.200s", line->text);
    if (!failed)
        failed = check_answer(s->play, buffer, s->status);
    return eb_play_at_line(s, line, failed);
}

static bool is_correct(const eb_play *play, const char *answer, const char *right)
{
    const eb_lesson_line *within = eb_play_line(play, EB_LESSON_WITHIN, 0);
    if (eb_play_line(play, EB_LESSON_CHOICE, 0))
        return strcmp(answer, right) == 0;
    const double expected = strtod(right, NULL), share = within ? strtod(within->text, NULL) : 0;
    /* 0.0005: a real right answer is shown with four digits */
    return fabs(strtod(answer, NULL) - expected) <= fmax(share, 0.0005) * fabs(expected);
}

static eb_code put_choice_text(const eb_play_scene *s, eb_record *record, const eb_column *field, const char *answer)
{
    const eb_lesson_line *choice = eb_play_line(s->play, EB_LESSON_CHOICE, answer[0]);
    char *text, *whole = NULL;
    if (!choice) {
        eb_record_field(record, field, eb_text(answer));
        return EB_OK;
    }
    EB_TRY(eb_play_expand(s, choice, &text));
    const bool made = asprintf(&whole, "%s: %s", answer, text) >= 0;
    eb_record_field(record, field, eb_text(made ? whole : answer));
    if (made)
        free(whole);
    free(text);
    return EB_OK;
}

static eb_code put_outcome(const eb_play_scene *s, const eb_outcome *o)
{
    const eb_lesson_step *step = eb_play_current(s->play);
    const bool told = o->answer[0] == '\0';
    eb_report_field(s->report, EB_F(correct), told ? eb_na() : eb_bool(o->correct));
    eb_record *record = eb_report_record(s->report, EB_F(answered),
                                         told         ? "The answer"
                                         : o->correct ? "Right"
                                                      : "Not so");
    if (!told)
        EB_TRY(put_choice_text(s, record, EB_F(own_answer), o->answer));
    if (!o->correct)
        EB_TRY(put_choice_text(s, record, EB_F(right_answer), o->expected));
    EB_TRY(eb_play_paragraph(s, record, step->ask, step->end, EB_LESSON_EVIDENCE, EB_F(evidence)));
    return eb_play_paragraph(s, record, step->ask, step->end, EB_LESSON_EXPLAIN, EB_F(why));
}

static eb_code keep_wrong(eb_play *play, const eb_outcome *o, eb_status *status)
{
    if (!play->wrong) {
        play->wrong = eb_report_new("lesson");
        EB_COLUMNS(eb_report_table(play->wrong, EB_F(wrong), "Predicted wrongly"), EB_F(lesson), EB_F(step),
                   EB_F(question), EB_F(answer), EB_F(expected));
    }
    if (!eb_report_ok(play->wrong))
        return eb_fail_memory(status, "an answer", sizeof *o);
    EB_ROW(&play->wrong->item[0]->as.table, eb_text(play->lesson->name), eb_uint(play->step + 1), eb_text(o->question),
           eb_text(o->answer), eb_text(o->expected));
    return EB_OK;
}

void eb_play_wrong(eb_play *play, eb_report *report)
{
    if (play->wrong)
        (void)eb_report_hand_on(play->wrong, EB_F(wrong), NULL, report);
    eb_report_free(play->wrong);
    play->wrong = NULL;
}

static eb_code put_question_text(const eb_play_scene *s, eb_outcome *out)
{
    char *text;
    EB_TRY(eb_play_expand(s, &s->play->lesson->line[eb_play_current(s->play)->ask], &text));
    (void)snprintf(out->question, sizeof out->question, "%s", text);
    free(text);
    return EB_OK;
}

eb_code eb_play_answer(eb_play *play, eb_session *outer, const char *answer, eb_report *report, eb_outcome *out,
                       eb_job *job, eb_status *status)
{
    eb_play_scene s = {play, outer, report, job, status};
    *out = (eb_outcome){.hinted = play->hinted};
    if (play->step >= play->lesson->steps)
        return eb_fail(status, EB_NOT_FOUND, "the lesson is over; `lesson` lists them");
    if (answer)
        EB_TRY(check_answer(play, answer, status));
    EB_TRY(put_question_text(&s, out));
    EB_TRY(eb_play_do(&s, eb_play_current(play)->ask, eb_play_current(play)->end));
    EB_TRY(find_right(&s, out->expected, sizeof out->expected));
    (void)snprintf(out->answer, sizeof out->answer, "%s", answer ? answer : "");
    out->correct = answer && is_correct(play, answer, out->expected);
    play->answered += answer != NULL;
    play->right += out->correct;
    if (answer && !out->correct)
        EB_TRY(keep_wrong(play, out, status));
    return put_outcome(&s, out);
}
