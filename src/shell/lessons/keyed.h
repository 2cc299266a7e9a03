/* keyed: texts for people to write: lines of a keyword and a text, which goes on in lines that begin with blanks. '#'
 * begins a comment line; empty lines are nothing.
 */
#pragma once

#include <stddef.h>

#include "core/base/status.h"

typedef struct eb_keyed_reader {
    const char *at; /* what is left */
    size_t next;    /* lines that were read */
    size_t number;  /* of the line that is in `line`, from 1 */
    char *line;     /* heap, the reader's: keyword and text, joined by one blank where it went on */
} eb_keyed_reader;

/* *text: the next line, in the reader's memory until the next call and free to be cut; NULL: there is none. Call until
 * then, or eb_keyed_end. */
eb_code eb_keyed_next(eb_keyed_reader *reader, char **text, eb_status *status);
void eb_keyed_end(eb_keyed_reader *reader);

/* The first word of *text, which then begins behind it and its blanks. */
char *eb_keyed_cut(char **text);
