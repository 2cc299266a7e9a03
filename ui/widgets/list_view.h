/* list_view: a report's table as an interactive list: filtered while a person types, sorted by keys. Cursor and marks
 * stay on their rows when a new report replaces the table.
 */
#pragma once

#include "ui/widgets/table_view.h"

typedef struct eb_list {
    const eb_column *identity; /* the column whose numbers identify rows ("run"); NULL: none */
    eb_table_view view;
    bool typing;        /* characters go to the filter */
    unsigned long seen; /* the report's count (desk.h) when the view was made */
    const eb_table *table;
    int64_t at, marked[2]; /* identities of the cursor's and the marked rows; −1: none. marked[0] is the older mark */
} eb_list;

void eb_list_init(eb_list *list, const eb_column *identity);
void eb_list_free(eb_list *list);

/* Call before each use, with the desk's present table (NULL: none) and the count of its report. */
void eb_list_follow(eb_list *list, const eb_table *table, unsigned long count);

/* Moves the cursor, sorts ('<' '>' 'r', a click on a title) and filters ('/' and then text; Enter keeps the filter, Esc
 * clears it). True if the list used the key. */
bool eb_list_key(eb_list *list, eb_key key, eb_rect area);

/* Marks the row at the cursor, or unmarks it. A third mark replaces the oldest. */
void eb_list_mark(eb_list *list);

/* The identity of the row at the cursor (−1: none), and the row itself (EB_NO_TABLE_ROW: none). */
int64_t eb_list_at(const eb_list *list);
size_t eb_list_row(const eb_list *list);

/* The title of the column that the list is sorted by; NULL: the table's own order. */
const char *eb_list_sorted_by(const eb_list *list);

/* Draws a title line (title, rows shown of all, filter) and the table. */
void eb_list_draw(eb_list *list, eb_canvas *canvas, eb_rect area, const char *title, bool focused);
