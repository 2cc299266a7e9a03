/* columns: which columns of a table are coordinates, and which one is the label: what columns= and label= mean.
 *
 * A column is named, or counted from 0; A..B are all from one to the other. Coordinates stand in the order in which
 * they are named. Without columns= all are, but the label.
 */
#pragma once

#include "io/reader.h"

#define EB_NO_COLUMN UINT32_MAX

typedef struct eb_columns {
    size_t count;         /* of the table */
    size_t d;             /* how many are coordinates */
    uint32_t *coordinate; /* [count]: which one a column is; EB_NO_COLUMN: none */
    size_t label;         /* its column; SIZE_MAX: none */
} eb_columns;

/* What bytes->how asks of a table of `count` columns; names NULL: they have none. */
eb_code eb_columns_choose(const eb_bytes *bytes, size_t count, char *const *names, eb_columns *out, eb_status *status);
void eb_columns_free(eb_columns *columns); /* frees what it holds */

/* Whether they are asked for by name, so that the table must have some. */
bool eb_columns_are_named(const eb_reading *how);

/* "0..3,5", cut with "…" where the buffer ends: the columns for which wanted[] holds. Returns buffer. */
char *eb_columns_words(char *buffer, size_t size, const bool *wanted, size_t count);

bool eb_is_plain_name(const char *name); /* it needs no quotes where it is typed */

/* Whether a cell stands for a value that is missing: empty, NA, N/A, #N/A, NaN, null, none, ?, - or ., in any case. */
bool eb_is_missing(const char *text, size_t length);
