/* lesson: reads a lesson, a text file of steps. In each step the person predicts a result; then commands compute the
 * answer, and a text explains it. Teachers can write lessons without C.
 *
 * A line is a keyword and a text (texts.h):
 *
 *   title TEXT, about TEXT      first, once each; the lesson's name is its file's, NAME.lesson
 *   part TEXT                   part of the course, one of EB_LESSON_PARTS; lessons without it come last, as the person's own
 *   level TEXT                  first, second or third: how much it asks of the reader
 *   minutes N                   time that it takes
 *   after NAME [NAME…]          lessons that it builds on
 *   step TITLE                  begins a step: lines before `ask` are shown or run before the person answers, the
 *                               others afterwards, in the order written
 *   say TEXT                    a paragraph
 *   run COMMAND                 a command as typed at the prompt, in the lesson's own session
 *   take NAME = SQL             a value from the last command's report (store/evaluate.h), from then on :NAME
 *   show KEY [TITLE]            a table, record, plot or figure of the last command's report
 *   code FILE FUNCTION          shows a function of a kernel in kernels/ladder, as `code fasted.cuh place`
 *   ask TEXT                    the question; the answer is a letter if there are `choice` lines, else a number
 *   choice LETTER TEXT
 *   hint TEXT
 *   wrong LETTER TEXT           why this choice is wrong; shown after the first try, without the answer
 *   slip FACTOR TEXT            which mistake gives the right number times FACTOR, an SQL expression without blanks
 *   model SQL                   the model's figure for the answer
 *   measured SQL                the figure as measured; NULL: not measured here
 *   right SQL                   computes the answer, a letter or a number; after `ask`. A step may have `model` and
 *                               `measured` instead: the answer is the measured figure, or else the model's
 *   within N                    allowed error of a number, as a share of the right one (0: none)
 *   apart TEXT                  why the model's and the measured figure differ; shown if they do by more than 10 %
 *   evidence TEXT               where the numbers come from: counted, timed, emulated, a model
 *   explain TEXT                explains the answer
 *
 * Any text, also that of a command, may contain {SQL}, which is replaced by its result. So no number of a lesson needs
 * to be written by hand. A line that begins with `gpu ` or `cpu ` counts only in a session on such a device.
 *
 * Without a GPU, `gpu take NAME` gives NAME the value that a GPU recorded (recorded.h), or NULL. So a text may use :NAME
 * on either. :by says who measured: "this GPU", or the recorded GPU with the date and the commit.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

typedef enum eb_lesson_word {
    EB_LESSON_TITLE,
    EB_LESSON_ABOUT,
    EB_LESSON_STEP,
    EB_LESSON_SAY,
    EB_LESSON_RUN,
    EB_LESSON_TAKE,
    EB_LESSON_SHOW,
    EB_LESSON_ASK,
    EB_LESSON_CHOICE,
    EB_LESSON_HINT,
    EB_LESSON_RIGHT,
    EB_LESSON_WITHIN,
    EB_LESSON_EVIDENCE,
    EB_LESSON_EXPLAIN,
    EB_LESSON_WORDS
} eb_lesson_word;

enum { EB_LESSON_ON_CPU = 1, EB_LESSON_ON_GPU = 2, EB_LESSON_ANYWHERE = 3 };

typedef struct eb_lesson_line {
    eb_lesson_word word;
    unsigned where; /* EB_LESSON_ON_… */
    char *name;     /* take: the value's name; show: the item's key; choice: its letter; else NULL */
    char *text;     /* the rest of the line, may be "" */
    size_t number;  /* in the file, from 1 */
} eb_lesson_line;

typedef struct eb_lesson_step {
    char *title;            /* points into the step's line */
    size_t first, ask, end; /* lines [first, end); `ask` is the index of the question's line */
} eb_lesson_step;

typedef struct eb_lesson {
    char *name, *path;
    const char *title, *about; /* point into the lines */
    eb_lesson_line *line;
    size_t lines;
    eb_lesson_step *step;
    size_t steps;
} eb_lesson;

/* Reads a file. EB_USAGE: "PATH:12: expected …, found …"; EB_IO if the file cannot be read. */
eb_code eb_lesson_read(const char *path, eb_lesson **out, eb_status *status);

/* Like eb_lesson_read, for a NUL-terminated text in memory; the lesson's name and error messages come from `path`. */
eb_code eb_lesson_parse(const char *path, const char *text, eb_lesson **out, eb_status *status);
void eb_lesson_free(eb_lesson *lesson); /* NULL is fine */
