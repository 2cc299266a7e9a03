#include "shell/lessons/figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A real right answer is shown with four digits, and typed so. */
static const double as_shown = 0.0005;

/* ---- possible answers ---- */

eb_code eb_answer_check(const eb_play *play, const char *answer, eb_status *status)
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
    return eb_fail(status, EB_USAGE, "expected a number, as 1.5 or 2e-3, found \"%.40s\"", answer);
}

double eb_answer_within(const eb_play *play)
{
    const eb_lesson_line *within = eb_play_line(play, EB_LESSON_WITHIN, 0);
    return fmax(within ? strtod(within->text, NULL) : 0, as_shown);
}

bool eb_answer_agrees(const eb_play *play, const char *answer, const char *right)
{
    const double expected = strtod(right, NULL);
    if (eb_play_line(play, EB_LESSON_CHOICE, 0))
        return strcmp(answer, right) == 0;
    return fabs(strtod(answer, NULL) - expected) <= eb_answer_within(play) * fabs(expected);
}

/* ---- values ---- */

static void take_value(eb_value value, eb_step_figure *out)
{
    *out = (eb_step_figure){.there = value.kind != EB_NA, .number = value.kind != EB_TEXT};
    switch (value.kind) {
    case EB_TEXT: (void)snprintf(out->text, sizeof out->text, "%s", value.as.text); break;
    case EB_REAL:
        out->value = value.as.real;
        (void)snprintf(out->text, sizeof out->text, "%.4g", out->value);
        break;
    case EB_INTEGER:
        out->value = (double)value.as.integer;
        (void)snprintf(out->text, sizeof out->text, "%lld", (long long)value.as.integer);
        break;
    default: break;
    }
}

/* Evaluates the step's line with this keyword, if there is one. */
static eb_code evaluate(const eb_play_scene *s, eb_lesson_word word, eb_step_figure *out)
{
    const eb_lesson_line *line = eb_play_line(s->play, word, 0);
    eb_value value = eb_na();
    *out = (eb_step_figure){0};
    if (line)
        EB_TRY(eb_play_at_line(s, line, eb_evaluator_get(s->play->values, line->text, &value, s->job, s->status)));
    take_value(value, out);
    return EB_OK;
}

/* The line that the right answer comes from, for error messages. */
static const eb_lesson_line *line_of_right(const eb_play *play, const eb_step_figures *f)
{
    const eb_lesson_line *right = eb_play_line(play, EB_LESSON_RIGHT, 0);
    if (!right && (f->measured.there || !eb_play_line(play, EB_LESSON_MODEL, 0)))
        right = eb_play_line(play, EB_LESSON_MEASURED, 0);
    return right ? right : eb_play_line(play, EB_LESSON_MODEL, 0);
}

eb_code eb_step_figures_find(const eb_play_scene *s, eb_step_figures *out)
{
    EB_TRY(evaluate(s, EB_LESSON_MODEL, &out->model));
    EB_TRY(evaluate(s, EB_LESSON_MEASURED, &out->measured));
    EB_TRY(evaluate(s, EB_LESSON_RIGHT, &out->right));
    if (!eb_play_line(s->play, EB_LESSON_RIGHT, 0))
        out->right = out->measured.there ? out->measured : out->model;
    const eb_lesson_line *line = line_of_right(s->play, out);
    if (!out->right.there)
        return eb_play_at_line(s, line,
                               eb_fail(s->status, EB_USAGE, "the right answer has no value: %.200s", line->text));
    return eb_play_at_line(s, line, eb_answer_check(s->play, out->right.text, s->status));
}

/* ---- showing ---- */

static eb_value shown(const eb_step_figure *figure)
{
    return figure->number ? eb_real(figure->value) : eb_text(figure->text);
}

eb_code eb_step_figures_put(const eb_play_scene *s, const eb_step_figures *f)
{
    eb_value by;
    if (!f->model.there && !f->measured.there)
        return EB_OK;
    eb_table *table =
        EB_TABLE(s->report, EB_F(figures), "The answer, predicted and measured", EB_F(what), EB_F(value), EB_F(by));
    if (f->model.there)
        EB_ROW(table, eb_text("model"), shown(&f->model), eb_text("the machine model"));
    if (!f->measured.there)
        return EB_OK;
    EB_TRY(eb_evaluator_get(s->play->values, ":by", &by, s->job, s->status));
    EB_ROW(table, eb_text("measured"), shown(&f->measured), by);
    return EB_OK;
}

bool eb_step_figures_part(const eb_step_figures *f, char *by, size_t size)
{
    const double model = f->model.value, measured = f->measured.value;
    by[0] = '\0';
    if (!f->model.there || !f->measured.there)
        return false;
    if (!f->model.number || !f->measured.number) {
        (void)snprintf(by, size, "The model and the measurement disagree");
        return strcmp(f->model.text, f->measured.text) != 0;
    }
    if (fabs(model - measured) <= EB_FIGURES_APART * fabs(measured))
        return false;
    const double share = (model - measured) / fabs(measured);
    if (isfinite(share) && fabs(share) < 10)
        (void)snprintf(by, size, "The model is %.0f %% %s the measurement", 100 * fabs(share),
                       share > 0 ? "above" : "below");
    else
        (void)snprintf(by, size, "The model says %.4g, the measurement %.4g", model, measured);
    return true;
}
