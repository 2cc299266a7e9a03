/* list_view: a report's table as an interactive list: filtered while a person types, sorted by keys, with chosen
 * columns. Cursor and marks stay on their rows when the list is arranged anew or a new report replaces the table.
 */
#pragma once

#include "ui/widgets/hints.h"
#include "ui/widgets/table_view.h"

typedef enum eb_list_typing { EB_LIST_MOVES, EB_LIST_FILTERS, EB_LIST_PICKS } eb_list_typing;

typedef struct eb_list {
    const eb_column *identity; /* the column whose numbers identify rows ("run"); NULL: none */
    eb_table_view view;
    eb_list_typing typing;     /* characters go to the filter or to the names of columns; 0: to neither */
    char chosen[EB_LIST_TEXT]; /* the columns that a person chose; "": none … */
    char usual[EB_LIST_TEXT];  /* … then these are shown; "": all */
    unsigned long seen;        /* the report's count (desk.h) when the view was made */
    const eb_table *table;
    int64_t at, marked[2]; /* identities of the cursor's and the marked rows; −1: none. marked[0] is the older mark */
} eb_list;

void eb_list_init(eb_list *list, const eb_column *identity);
void eb_list_free(eb_list *list);

/* Call before each use, with the desk's present table (NULL: none) and the count of its report. */
void eb_list_follow(eb_list *list, const eb_table *table, unsigned long count);

/* Moves the cursor, sorts ('<' '>' 'r', a click on a title), filters ('/' and then text; Enter keeps the filter), and
 * chooses columns ('C' and then names; Tab completes them). Esc shows all again. True if the list used the key. */
bool eb_list_key(eb_list *list, eb_key key, eb_rect area);

/* Marks the row at the cursor, or unmarks it. A third mark replaces the oldest. */
void eb_list_mark(eb_list *list);

/* The identity of the row at the cursor (−1: none), and the row itself (EB_NO_TABLE_ROW: none). */
int64_t eb_list_at(const eb_list *list);
size_t eb_list_row(const eb_list *list);

/* Sorts, filters and chooses columns as a command asks; the cursor goes to the first row. */
void eb_list_arrange(eb_list *list, const eb_arrangement *wanted);
/* True if the list is sorted, filtered, or has chosen columns: Esc shows all again. */
bool eb_list_is_arranged(const eb_list *list);
/* Sets the columns shown while none are chosen. Call before eb_list_follow. */
void eb_list_usual_columns(eb_list *list, const char *names);

/* The title of the column that the list is sorted by; NULL: the table's own order. */
const char *eb_list_sorted_by(const eb_list *list);

/* Draws a title line (title, rows shown of all, filter, order, columns) and the table. */
void eb_list_draw(eb_list *list, eb_canvas *canvas, eb_rect area, const char *title, bool focused);

/* The keys of every list, for a panel's hints. */
#define EB_LIST_HINTS                                                                                                  \
    {"/", "filter"}, {"< > r", "sort"}, { "C", "columns" }
