/* columns: finds a table's columns by the names that people type: the key as in JSON or the title, in any case. */
#pragma once

#include "core/base/status.h"
#include "core/report/report.h"

/* The columns that names are looked for in; the columns of a table, or those that tables of a command can have. */
typedef struct eb_column_set {
    size_t count;
    const eb_column *column; /* not owned */
} eb_column_set;

/* A column named in a list, and whether '-' stood before the name. */
typedef struct eb_named_column {
    size_t column;
    bool descending;
} eb_named_column;

/* EB_USAGE: "no column `kernl_s`; did you mean kernel_s? There are: …". */
eb_code eb_column_find(eb_column_set set, const char *name, size_t length, size_t *column, eb_status *status);

/* Reads "engine,-kernel_s". Commas or blanks separate names; a title with blanks stands between commas. A repeated
 * column counts once. `signs`: '-' may stand before a name. *out: heap, [*count]. EB_USAGE: an unknown column, or none.
 */
eb_code eb_columns_read(eb_column_set set, const char *list, bool signs, eb_named_column **out, size_t *count,
                        eb_status *status);

/* The name that people are told: the title if it is one word of small letters, else the key. */
const char *eb_column_called(const eb_column *column);
