#include "shell/lessons/tries.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/report/find.h"
#include "shell/lessons/figures.h"

static const double near_enough = 0.02;

/* The factor is an SQL expression; 1.0 * makes 1/2 a half. */
eb_code eb_tries_factor(const eb_play_scene *s, const eb_lesson_line *line, double *out)
{
    char text[256];
    eb_value value;
    (void)snprintf(text, sizeof text, "1.0*%.200s", line->name);
    EB_TRY(eb_play_at_line(s, line, eb_evaluator_get(s->play->values, text, &value, s->job, s->status)));
    *out = eb_value_number(value);
    return value.kind == EB_TEXT || value.kind == EB_NA
               ? eb_play_at_line(s, line,
                                 eb_fail(s->status, EB_USAGE, "the factor of `slip` has no value: %.200s", line->name))
               : EB_OK;
}

eb_code eb_tries_slip(const eb_play_scene *s, const char *answer, const char *right, const eb_lesson_line **line)
{
    const eb_lesson_step *step = eb_play_current(s->play);
    const double given = strtod(answer, NULL), expected = strtod(right, NULL);
    double least = fmax(near_enough, eb_answer_within(s->play)), factor = 1;
    *line = NULL;
    for (size_t k = step->first; k < step->end; k++) {
        const eb_lesson_line *slip = &s->play->lesson->line[k];
        if (slip->word != EB_LESSON_SLIP || !(slip->where & s->play->where))
            continue;
        EB_TRY(eb_tries_factor(s, slip, &factor));
        const double slipped = expected * factor, off = given == slipped ? 0 : fabs(given - slipped) / fabs(slipped);
        if (off <= least) {
            least = off;
            *line = slip;
        }
    }
    return EB_OK;
}

static eb_code put_why(const eb_play_scene *s, eb_record *record, const eb_lesson_line *line)
{
    char *text;
    EB_TRY(eb_play_expand(s, line, &text));
    eb_record_field(record, EB_F(why), eb_text(text));
    free(text);
    return EB_OK;
}

eb_code eb_tries_put(const eb_play_scene *s, const char *answer, const char *right)
{
    const bool choice = eb_play_line(s->play, EB_LESSON_CHOICE, 0) != NULL;
    const eb_lesson_line *line = choice ? eb_play_line(s->play, EB_LESSON_WRONG, answer[0]) : NULL;
    eb_record *record = eb_report_record(s->report, EB_F(again), "Not so; a second try");
    EB_TRY(eb_play_put_choice(s, record, EB_F(own_answer), answer));
    if (!choice)
        EB_TRY(eb_tries_slip(s, answer, right, &line));
    if (line)
        return put_why(s, record, line);
    if (!choice)
        eb_record_field(record, EB_F(why),
                        eb_text(strtod(answer, NULL) > strtod(right, NULL) ? "too high" : "too low"));
    return EB_OK;
}

eb_code eb_tries_check(const eb_play_scene *s)
{
    const eb_lesson_step *step = eb_play_current(s->play);
    for (size_t k = step->first; k < step->end; k++) {
        const eb_lesson_line *line = &s->play->lesson->line[k];
        double factor;
        char *text;
        if (!(line->where & s->play->where) || (line->word != EB_LESSON_SLIP && line->word != EB_LESSON_WRONG))
            continue;
        if (line->word == EB_LESSON_SLIP)
            EB_TRY(eb_tries_factor(s, line, &factor));
        EB_TRY(eb_play_expand(s, line, &text));
        free(text);
    }
    return EB_OK;
}
