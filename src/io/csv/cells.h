/* cells: texts of rows and columns taken apart: lines, separators, cells, quotes. Nothing is copied; bytes in a mapping
 * may change under it, and only make other cells then.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct eb_piece {
    const char *begin, *end;
} eb_piece;

/* What is left to read of a text. */
typedef struct eb_lines {
    const char *at, *end;
    size_t line; /* of the one last taken, from 1, as editors count */
} eb_lines;

static inline size_t eb_piece_length(eb_piece text) { return (size_t)(text.end - text.begin); }

eb_piece eb_trimmed(eb_piece text); /* without the blanks around it */

/* The next line that says something, without its end: neither empty nor beginning with '#'. */
bool eb_take_line(eb_lines *lines, eb_piece *out);

/* Comma, semicolon or tab, the first of these that stands outside quotes; else ' ', for runs of blanks. */
char eb_find_separator(eb_piece line);

/* The same of a row of numbers: where tabs and blanks are mixed, both only separate. */
char eb_separator_of_row(eb_piece line);

/* Takes one cell from the front of *rest, and the separator behind it. *more: a separator was there, so another cell
 * follows (an empty one at the end of the line, say). Quotes are left on. */
eb_piece eb_take_cell(char separator, eb_piece *rest, bool *more);

/* A cell without the quotes around it; those doubled inside stay so. */
eb_piece eb_unquoted(eb_piece cell);

/* What a cell says, doubled quotes once, as text in buffer; false: more than size − 1 bytes. */
bool eb_cell_text(eb_piece cell, char *buffer, size_t size);

/* The line without what only separates at its beginning. */
eb_piece eb_start_of(char separator, eb_piece line);

size_t eb_count_cells(char separator, eb_piece line);
