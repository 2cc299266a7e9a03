/* cells: splits texts of rows and columns into lines and cells. Nothing is copied. Bytes in a mapping may change during
 * the work; that can only change the cells found. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct eb_piece {
    const char *begin, *end;
} eb_piece;

/* The rest of a text. */
typedef struct eb_lines {
    const char *at, *end;
    size_t line; /* number of the last line taken, from 1 as in editors */
} eb_lines;

static inline size_t eb_piece_length(eb_piece text) { return (size_t)(text.end - text.begin); }

eb_piece eb_trimmed(eb_piece text); /* without the blanks around it */

/* Takes the next line that is neither empty nor a comment ('#'), without its line end. False at the end of the text. */
bool eb_take_line(eb_lines *lines, eb_piece *out);

/* The separator of a line: the first of the candidates, as ",;\t", that occurs outside quotes; otherwise ' ', meaning
 * runs of blanks. */
char eb_find_separator(eb_piece line, const char *candidates);

/* Takes one cell and its separator from the front of *rest; quotes stay. *more: a separator followed, so another cell
 * follows, possibly an empty one at the line's end. */
eb_piece eb_take_cell(char separator, eb_piece *rest, bool *more);

/* A cell without its outer quotes; doubled quotes inside stay doubled. */
eb_piece eb_unquoted(eb_piece cell);

/* Copies a cell's text to buffer without its outer quotes, doubled quotes as one. False: more than size − 1 bytes. */
bool eb_cell_text(eb_piece cell, char *buffer, size_t size);

/* The line without leading separators. */
eb_piece eb_start_of(char separator, eb_piece line);

size_t eb_count_cells(char separator, eb_piece line);
