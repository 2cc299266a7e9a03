/* tries: what a lesson says to a wrong first try, without the right answer. */
#pragma once

#include "shell/lessons/play.h"

/* Adds the record "again" with the answer and, in `why`, the step's `wrong` text for this choice, its `slip` text for
 * this number, or else "too high" or "too low". */
eb_code eb_tries_put(const eb_play_scene *s, const char *answer, const char *right);

/* The `slip` line that explains the number: the answer is the right one times its factor, within 2 % or the step's
 * allowed error. *line: the nearest one; NULL: none. EB_USAGE if a factor is no number. */
eb_code eb_tries_slip(const eb_play_scene *s, const char *answer, const char *right, const eb_lesson_line **line);

/* A slip's factor; EB_USAGE with the line if it is no number. */
eb_code eb_tries_factor(const eb_play_scene *s, const eb_lesson_line *line, double *out);

/* An error if a factor of a `slip`, or a text that tells what is wrong, has no value after the step has run. */
eb_code eb_tries_check(const eb_play_scene *s);
