/* lesson: reads a lesson, a text file of steps. In each step the person predicts a result; then commands compute the
 * answer, and a text explains it. Teachers can write lessons without C.
 *
 * man/epsbench-lesson.5 is the reference of the form. A line is a keyword and a text (texts.h); one that begins with
 * `gpu ` or `cpu ` counts only in a session on such a device. A step goes from its `step` line to the next one. Lines
 * before its `ask` are shown or run before the person answers, the others afterwards. Texts and commands may contain
 * {SQL}, which is replaced by its value, so that no number of a lesson needs to be written by hand. :NAME is a value of
 * a `take` line; :by says who measured: "this GPU", or the recorded one (recorded.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

typedef enum eb_lesson_word {
    EB_LESSON_TITLE,
    EB_LESSON_ABOUT,
    EB_LESSON_PART,
    EB_LESSON_LEVEL,
    EB_LESSON_MINUTES,
    EB_LESSON_AFTER,
    EB_LESSON_STEP,
    EB_LESSON_SAY,
    EB_LESSON_RUN,
    EB_LESSON_TAKE,
    EB_LESSON_SHOW,
    EB_LESSON_CODE,
    EB_LESSON_ASK,
    EB_LESSON_CHOICE,
    EB_LESSON_HINT,
    EB_LESSON_WRONG,
    EB_LESSON_SLIP,
    EB_LESSON_MODEL,
    EB_LESSON_MEASURED,
    EB_LESSON_RIGHT,
    EB_LESSON_WITHIN,
    EB_LESSON_APART,
    EB_LESSON_EVIDENCE,
    EB_LESSON_EXPLAIN,
    EB_LESSON_WORDS
} eb_lesson_word;

enum { EB_LESSON_ON_CPU = 1, EB_LESSON_ON_GPU = 2, EB_LESSON_ANYWHERE = 3 };

typedef struct eb_lesson_line {
    eb_lesson_word word;
    unsigned where; /* EB_LESSON_ON_… */
    char *name;     /* take: the value's name; show: the item's key; choice, wrong: the letter; slip: the factor; code:
                       the file; else NULL */
    char *columns;  /* show: the table's columns to show, with commas between; points into `name`; NULL: all */
    char *text;     /* the rest of the line, may be "" */
    size_t number;  /* in the file, from 1 */
} eb_lesson_line;

typedef struct eb_lesson_step {
    char *title;            /* points into the step's line */
    size_t first, ask, end; /* lines [first, end); `ask` is the index of the question's line */
} eb_lesson_step;

#define EB_LESSON_PARTS                                                                                                \
    "the question", "one distance", "the tensor core", "memory", "scheduling", "precision", "indexes", "measuring"
enum { EB_LESSON_PART_COUNT = 8, EB_LESSON_LONGEST_MINUTES = 600 };

typedef struct eb_lesson {
    char *name, *path;
    const char *title, *about; /* point into the lines */
    const char *part, *level;  /* as above; NULL: not said */
    const char *after;         /* names with blanks between; NULL: none */
    size_t part_number;        /* from 0 in the order of EB_LESSON_PARTS; EB_LESSON_PART_COUNT: none */
    unsigned minutes;          /* 0: not said */
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
