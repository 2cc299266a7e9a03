/* table: the state of reading a text of rows and columns, for csv.c and head.c. */
#pragma once

#include "io/columns.h"
#include "io/csv/cells.h"

typedef struct eb_text_table {
    const eb_bytes *bytes;
    eb_lines lines;    /* the rest of the text */
    const char *first; /* the first row */
    char separator;    /* ' ': runs of blanks */
    char decimal;      /* '.', ',', or 0: not known yet */
    char **name;       /* [names] of the columns; NULL: no names */
    size_t names;
    eb_columns columns;
    size_t n;        /* rows read */
    size_t left_out; /* rows with missing values */
    size_t filled;   /* missing values to replace; NAN until all rows are read */
    double *values;  /* [n × columns.d] */
    size_t capacity; /* room in values, in doubles */
    eb_labels *labels;
    char header[64];
} eb_text_table;

/* Starts at the beginning, behind a byte order mark. */
void eb_begin_text(const eb_bytes *bytes, eb_text_table *t);

/* Finds the separator and, if the first line is a header, the names. *line: the first row. */
eb_code eb_take_header(eb_text_table *t, eb_piece *line, eb_status *status);
void eb_forget_names(eb_text_table *t);

/* Reads a number. False: it is none. If the decimal sign is not known, the first number with a comma decides it. */
bool eb_read_cell(eb_text_table *t, eb_piece cell, double *out);

/* Fails because a cell of the row `line` is not a number. The message gives its place and content, and suggests
 * arguments if they can help. */
eb_code eb_fail_cell(const eb_text_table *t, eb_piece line, eb_piece cell, size_t column, eb_status *status);

/* A column's name for label=, or its number if the name needs quotes. Returns buffer. */
char *eb_column_name(const eb_text_table *t, size_t column, char *buffer, size_t size);

bool eb_is_id(const char *name); /* true for the names of columns that number the rows: id, name, label, index, none */

static inline size_t eb_offset_of(const eb_text_table *t, const char *at)
{
    return (size_t)(at - (const char *)t->bytes->data);
}
