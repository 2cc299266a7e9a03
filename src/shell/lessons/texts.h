/* texts: reads the text format of lessons and rules, and fills values into texts.
 *
 * A line is a keyword and a text. A line that begins with blanks continues the previous line. Lines that begin with '#'
 * and empty lines are skipped.
 */
#pragma once

#include <stdio.h>

#include "store/evaluate.h"

typedef struct eb_keyed_reader {
    const char *at; /* the rest of the text */
    size_t next;    /* number of lines read */
    size_t number;  /* number of the current line, from 1 */
    char *line;     /* the current line with its continuations, joined by one blank; heap, owned by the reader */
} eb_keyed_reader;

/* *text: the next line, in the reader's memory until the next call; the caller may cut it. NULL: no more lines. Call
 * eb_keyed_end after the last call. */
eb_code eb_keyed_next(eb_keyed_reader *reader, char **text, eb_status *status);
void eb_keyed_end(eb_keyed_reader *reader);

/* Cuts the first word off *text and returns it; *text then begins after the word and its blanks. */
char *eb_keyed_cut(char **text);

/* Writes the text to `out` with each {SQL} (store/evaluate.h) replaced by its value, formatted for people. EB_USAGE if
 * a { has no }, SQLite reports an error, or an expression is NULL. */
eb_code eb_fill_in(eb_evaluator *values, const char *text, FILE *out, eb_job *job, eb_status *status);

/* Like eb_fill_in, but returns the text in *out, on the heap; *out is NULL after a failure. */
eb_code eb_fill_in_text(eb_evaluator *values, const char *text, char **out, eb_job *job, eb_status *status);

/* Like eb_fill_in_text, for a command: numbers have no separators, as in 15159. */
eb_code eb_fill_in_command(eb_evaluator *values, const char *text, char **out, eb_job *job, eb_status *status);
