/* columns: chooses the coordinates and the label of a table, as columns= and label= ask.
 *
 * A column is given by its name or by its number, counted from 0; A..B means all columns from A to B. Coordinates have
 * the order in which they are given. Without columns= all columns but the label are coordinates.
 */
#pragma once

#include "io/reader.h"

#define EB_NO_COLUMN UINT32_MAX

typedef struct eb_columns {
    size_t count;         /* columns of the table */
    size_t d;             /* number of coordinates */
    uint32_t *coordinate; /* [count]: the coordinate that a column is, or EB_NO_COLUMN */
    size_t label;         /* the label's column; SIZE_MAX: none */
} eb_columns;

/* Chooses from a table of `count` columns as bytes->how asks. names NULL: the columns have no names. */
eb_code eb_columns_choose(const eb_bytes *bytes, size_t count, char *const *names, eb_columns *out, eb_status *status);
void eb_columns_free(eb_columns *columns); /* frees the members, not the struct */

/* True if `how` gives a column by name, so that the table must have names. */
bool eb_columns_are_named(const eb_reading *how);

/* Lists the columns with wanted[k] as "0..3,5"; a list longer than the buffer ends in "…". Returns buffer. */
char *eb_columns_words(char *buffer, size_t size, const bool *wanted, size_t count);

bool eb_is_plain_name(const char *name); /* true if the name needs no quotes on a command line */

/* True if a cell stands for a missing value: empty, NA, N/A, #N/A, NaN, null, none, ?, - or ., ignoring case. */
bool eb_is_missing(const char *text, size_t length);

bool eb_is_id(const char *name); /* true for the names of columns that number the rows: id, name, label, index, none */

/* The word for a column in columns= and label=: its name, or its number if it has none or the name needs quotes. May
 * return buffer. */
const char *eb_column_word(char *const *names, size_t column, char *buffer, size_t size);

/* Adds a line to the remarks if there is room. */
void eb_add_remark(char *out, size_t size, const char *line);

/* Adds what a person should know about the coordinates of a table: that one looks like an id, or that two are longitude
 * and latitude. `points` has the rows. */
void eb_columns_remark(const eb_bytes *bytes, const eb_columns *columns, char *const *names, const eb_points *points,
                       char *out, size_t size);
