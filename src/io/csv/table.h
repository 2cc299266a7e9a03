/* table: a text of rows and columns while it is read: csv.c reads it. */
#pragma once

#include "io/columns.h"
#include "io/csv/cells.h"

typedef struct eb_text_table {
    const eb_bytes *bytes;
    eb_lines lines; /* what is left to read */
    char separator; /* ' ': runs of blanks */
    char **name;    /* [names] of the columns; NULL: they have none */
    size_t names;
    eb_columns columns;
    size_t n;        /* rows taken */
    size_t left_out; /* rows with missing values */
    size_t filled;   /* missing values to be filled in: NAN until all are known */
    double *values;  /* [n × columns.d] */
    size_t capacity; /* of values */
    eb_labels *labels;
    char header[64];
} eb_text_table;

/* From the beginning, behind a byte order mark. */
void eb_begin_text(const eb_bytes *bytes, eb_text_table *t);

/* The separator and, where the first line is a header, the names; *line is the first row. */
eb_code eb_take_header(eb_text_table *t, eb_piece *line, eb_status *status);
void eb_forget_names(eb_text_table *t);

bool eb_read_cell(eb_piece cell, double *out); /* false: it is no number */

/* A cell of the row `line` that should be a number: which one, what it is, and what can be asked for instead. */
eb_code eb_fail_cell(const eb_text_table *t, eb_piece line, eb_piece cell, size_t column, eb_status *status);

static inline size_t eb_offset_of(const eb_text_table *t, const char *at)
{
    return (size_t)(at - (const char *)t->bytes->data);
}
