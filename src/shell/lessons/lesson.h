/* lesson: a file of steps, each to predict, to run, to see and to understand. A teacher's own need no C.
 *
 * A line is a keyword and a text, which goes on in lines that begin with blanks. '#' begins a comment line.
 *
 *   title TEXT, about TEXT      first, once each; the lesson's name is its file's, NAME.lesson
 *   step TITLE                  begins a step, of which `ask` is the middle: what comes before is shown or run before
 *                               the person answers, the rest afterwards, in the order written
 *   say TEXT                    a paragraph
 *   run COMMAND                 as it is typed at the prompt, in a session of the lesson's own
 *   take NAME = SQL             a value out of what ran last (store/evaluate.h), :NAME from there on
 *   show KEY [TITLE]            a table, record, plot or figure of what ran last
 *   ask TEXT                    the question; with `choice` lines a choice, else a number
 *   choice LETTER TEXT
 *   hint TEXT
 *   right SQL                   the answer, computed: a choice's letter, or a number; after `ask`
 *   within N                    how far off a number may be, as a share of the right one (0: not at all)
 *   evidence TEXT               where the numbers come from: counted, timed, emulated, a model
 *   explain TEXT                what it means
 *
 * Any text may hold {SQL}, commands too: every number a lesson states is computed. A keyword with `gpu ` or `cpu `
 * before it is for a session on such a device only.
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
    char *name;     /* take: the value's; show: the item's key; choice: its letter; else NULL */
    char *text;     /* the rest, "" where there is none */
    size_t number;  /* in the file, from 1 */
} eb_lesson_line;

typedef struct eb_lesson_step {
    char *title;            /* the line's */
    size_t first, ask, end; /* lines [first, end), `ask` one of them */
} eb_lesson_step;

typedef struct eb_lesson {
    char *name, *path;
    const char *title, *about; /* lines' */
    eb_lesson_line *line;
    size_t lines;
    eb_lesson_step *step;
    size_t steps;
} eb_lesson;

/* EB_USAGE: "PATH:12: expected …, found …"; EB_IO where the file cannot be read. */
eb_code eb_lesson_read(const char *path, eb_lesson **out, eb_status *status);

/* The same of a text that is in memory, NUL-terminated; `path` is what messages call it, and has the name in it. */
eb_code eb_lesson_parse(const char *path, const char *text, eb_lesson **out, eb_status *status);
void eb_lesson_free(eb_lesson *lesson); /* NULL is fine */
