/* play_answer: checks an answer, runs the rest of the step and shows the result. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/lessons/figures.h"
#include "shell/lessons/play.h"
#include "shell/lessons/tries.h"

/* Adds how the model and the measurement part, and why. */
static eb_code put_apart(const eb_play_scene *s, eb_record *record, const eb_step_figures *figures)
{
    char by[128], *whole = NULL, *text = NULL;
    const eb_lesson_line *apart = eb_play_line(s->play, EB_LESSON_APART, 0);
    if (!eb_step_figures_part(figures, by, sizeof by))
        return EB_OK;
    if (apart)
        EB_TRY(eb_play_expand(s, apart, &text));
    const bool made = asprintf(&whole, "%s.%s%s", by, text ? " " : "", text ? text : "") >= 0;
    eb_record_field(record, EB_F(figures_apart), eb_text(made ? whole : by));
    if (made)
        free(whole);
    free(text);
    return EB_OK;
}

static eb_code put_outcome(const eb_play_scene *s, const eb_outcome *o, const eb_step_figures *figures)
{
    const eb_lesson_step *step = eb_play_current(s->play);
    const bool told = o->answer[0] == '\0';
    eb_report_field(s->report, EB_F(correct), told ? eb_na() : eb_bool(o->correct));
    eb_record *record = eb_report_record(s->report, EB_F(answered),
                                         told         ? "The answer"
                                         : o->correct ? s->play->tries > 0 ? "Right, at the second try" : "Right"
                                                      : "Not so");
    if (!told)
        EB_TRY(eb_play_put_choice(s, record, EB_F(own_answer), o->answer));
    if (!o->correct)
        EB_TRY(eb_play_put_choice(s, record, EB_F(right_answer), o->expected));
    EB_TRY(put_apart(s, record, figures));
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

/* Runs the lines after the question, once. */
static eb_code run_rest(const eb_play_scene *s)
{
    if (s->play->shown)
        return EB_OK;
    eb_report *shown = eb_report_new("answer");
    const eb_play_scene own = {s->play, s->outer, shown, s->job, s->status};
    eb_code failed = shown ? eb_play_do(&own, eb_play_current(s->play)->ask, eb_play_current(s->play)->end)
                           : eb_fail_memory(s->status, "a report", sizeof *shown);
    if (failed)
        eb_report_free(shown);
    else
        s->play->shown = shown;
    return failed;
}

/* Tells what is wrong with a first try; the question stays open. */
static eb_code try_again(const eb_play_scene *s, eb_outcome *out)
{
    s->play->tries++;
    (void)snprintf(s->play->wrong_try, sizeof s->play->wrong_try, "%s", out->answer);
    out->open = true;
    eb_report_field(s->report, EB_F(correct), eb_bool(false));
    return eb_tries_put(s, out->answer, out->expected);
}

static eb_code finish_step(const eb_play_scene *s, const eb_outcome *o, const eb_step_figures *figures)
{
    eb_report_hand_on_all(s->play->shown, s->report);
    EB_TRY(eb_step_figures_put(s, figures));
    if (!o->correct && o->answer[0])
        EB_TRY(keep_wrong(s->play, o, s->status));
    return put_outcome(s, o, figures);
}

bool eb_play_takes(const eb_session *session, const char *text)
{
    const eb_play *play = session->play;
    if (!play || play->step >= play->lesson->steps)
        return false;
    return eb_answer_check(play, text, NULL) == EB_OK ||
           (isdigit((unsigned char)text[0]) && !eb_play_line(play, EB_LESSON_CHOICE, 0));
}

eb_code eb_play_answer(eb_play *play, eb_session *outer, const char *answer, eb_report *report, eb_outcome *out,
                       eb_job *job, eb_status *status)
{
    eb_play_scene s = {play, outer, report, job, status};
    eb_step_figures figures;
    *out = (eb_outcome){.hinted = play->hinted};
    if (play->step >= play->lesson->steps)
        return eb_fail(status, EB_NOT_FOUND, "the lesson is over; `lesson` lists them");
    if (answer)
        EB_TRY(eb_answer_check(play, answer, status));
    EB_TRY(put_question_text(&s, out));
    EB_TRY(run_rest(&s));
    EB_TRY(eb_step_figures_find(&s, &figures));
    (void)snprintf(out->expected, sizeof out->expected, "%s", figures.right.text);
    (void)snprintf(out->answer, sizeof out->answer, "%s", answer ? answer : "");
    out->correct = answer && eb_answer_agrees(play, answer, out->expected);
    const bool first = answer && play->tries == 0;
    play->answered += first;
    play->right += first && out->correct;
    play->later += answer && !first && out->correct;
    return first && !out->correct ? try_again(&s, out) : finish_step(&s, out, &figures);
}
