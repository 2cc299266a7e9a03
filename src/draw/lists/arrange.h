/* arrange: sorts a table, leaves out rows and columns: what `sort=`, `where=` and `columns=` mean at the prompt, and
 * the keys of every list on the workbench.
 *
 * Numbers are sorted as numbers, before words; words without regard to case. A missing value comes last in either
 * direction. Equal rows keep the table's order. The parts stay as they are typed, NULL or "": not wanted.
 */
#pragma once

#include "draw/lists/filter.h"

typedef struct eb_arrangement {
    const char *sort;    /* "engine,-kernel_s": '-' sorts downwards */
    const char *where;   /* filter.h */
    const char *columns; /* "run,engine": these columns, in this order */
} eb_arrangement;

static inline bool eb_arranges(const eb_arrangement *a)
{
    return (a->sort && a->sort[0]) || (a->where && a->where[0]) || (a->columns && a->columns[0]);
}

/* A table that has some rows and columns of another, in another order. Cells are copies whose texts belong to the other
 * table; a chosen column without a title has its key as title. */
typedef struct eb_arranged_table {
    eb_table table;
    size_t *row;      /* [table.rows]: the row of the other table */
    size_t *column;   /* [table.columns]: the column of the other table */
    size_t sorted_by; /* the first column sorted by, of the other table; EB_NOT_SORTED: none */
    bool descending;
} eb_arranged_table;
#define EB_NOT_SORTED SIZE_MAX

/* EB_USAGE: a column that the table lacks, or a comparison that cannot be made. On failure there is nothing to free. */
eb_code eb_table_arrange(const eb_table *table, const eb_arrangement *wanted, eb_arranged_table *out,
                         eb_status *status);
void eb_arranged_table_free(eb_arranged_table *arranged); /* leaves an empty table */

/* EB_USAGE: an arrangement that no table of these columns can have. */
eb_code eb_arrangement_check(const eb_arrangement *wanted, eb_column_set set, eb_status *status);

/* Arranges each table of the report that has all columns named, and says so in its title. `limit`: most rows; 0: all.
 * Pictures and tables drawn as pictures stay as they are. EB_USAGE: no table has the columns. */
eb_code eb_report_arrange(eb_report *report, const eb_arrangement *wanted, size_t limit, eb_status *status);

/* "where=kind=outlier sort=-kernel_s: 5 of 345 rows". Returns buffer. */
char *eb_arrangement_words(const eb_arrangement *wanted, size_t shown, size_t all, char *buffer, size_t size);
