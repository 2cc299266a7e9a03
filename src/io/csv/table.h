/* table: the state of reading a text of rows and columns, for csv.c and head.c. */
#pragma once

#include "io/columns.h"
#include "io/csv/cells.h"

/* What could not be read: a cell, or a row of another number of cells. */
typedef enum eb_badness { EB_NOTHING_BAD, EB_BAD_CELL, EB_BAD_ROW } eb_badness;
typedef struct eb_bad {
    eb_badness kind;
    eb_piece piece;
    size_t column; /* of the cell */
} eb_bad;

typedef struct eb_text_table {
    const eb_bytes *bytes;
    eb_lines lines;    /* the rest of the text */
    const char *first; /* the first row */
    char declared;     /* the separator that a first line "sep=;" names; 0: no such line */
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
    char header[64], units[32]; /* the first line, cut, if it holds names; a line of units under it; else "" */
    size_t units_line;
    eb_bad bad;
    bool numbered; /* column 0 numbered the rows and is left out */
} eb_text_table;

/* Starts at the beginning, behind a byte order mark. */
void eb_begin_text(const eb_bytes *bytes, eb_text_table *t);

/* Finds the separator and, if the first line is a header, the names. *line: the first row. */
eb_code eb_take_header(eb_text_table *t, eb_piece *line, eb_status *status);
void eb_forget_names(eb_text_table *t);

/* Reads a number. False: it is none. If the decimal sign is not known, the first number with a comma decides it. */
bool eb_read_cell(eb_text_table *t, eb_piece cell, double *out);

/* Reads a number with the decimal sign. The other sign may separate thousands if `sign` is not guessed. */
bool eb_read_as(eb_decimal sign, eb_piece cell, double *out);

bool eb_is_number(const eb_reading *how, eb_piece cell); /* true with one of the decimal signs that may occur */

/* True for a cell with a letter, or a date, that is no number. Digits with commas or dots are a number in some
 * country's notation. */
bool eb_is_text(eb_piece cell);

/* True if a coordinate between the first row and `end` has a decimal point. */
bool eb_has_points(const eb_text_table *t, const char *end);

/* Reads the whole table; on failure t->bad tells what could not be read. The caller frees the table in any case
 * (rows.c). */
eb_code eb_read_text(const eb_bytes *bytes, eb_text_table *t, eb_status *status);
void eb_free_text(eb_text_table *t); /* frees the members, not the struct */

static inline size_t eb_offset_of(const eb_text_table *t, const char *at)
{
    return (size_t)(at - (const char *)t->bytes->data);
}
