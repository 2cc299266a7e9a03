/* figures: the right answer of a lesson's step, and the figures it rests on: the machine model's and the measured one.
 */
#pragma once

#include "shell/lessons/play.h"

/* Where the model's figure and the measured one part by more than this share of the measured one, a lesson says so. */
#define EB_FIGURES_APART 0.1

typedef struct eb_step_figure {
    bool there, number; /* the step has such a line, with a value; the value is a number */
    double value;
    char text[64]; /* the value as a person would type it */
} eb_step_figure;

typedef struct eb_step_figures {
    eb_step_figure model, measured, right;
} eb_step_figures;

/* Computes the figures of the current step, whose lines have run. right: by `right`, else the measured figure, else the
 * model's. EB_USAGE with the line if there is no right answer, or if it is not a possible one. */
eb_code eb_step_figures_find(const eb_play_scene *s, eb_step_figures *out);

/* Adds the table "figures" if the step has `model` or `measured` lines with values. */
eb_code eb_step_figures_put(const eb_play_scene *s, const eb_step_figures *figures);

/* True if the two figures part by more than EB_FIGURES_APART; `by` then says how: "The model is 18 % above the
 * measurement". */
bool eb_step_figures_part(const eb_step_figures *figures, char *by, size_t size);

/* EB_USAGE if the text is not a possible answer to the open question. */
eb_code eb_answer_check(const eb_play *play, const char *answer, eb_status *status);

/* Whether an answer is right: equal, or a number within the step's allowed error. */
bool eb_answer_agrees(const eb_play *play, const char *answer, const char *right);

/* The share of the right number by which an answer may be off. */
double eb_answer_within(const eb_play *play);
