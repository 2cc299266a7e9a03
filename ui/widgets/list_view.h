/* list_view: a table of a report as a list to work with: filtered as a person types, sorted by keys, its cursor and
 * marks staying with what they are on when a new report of it comes.
 */
#pragma once

#include "ui/widgets/table_view.h"

typedef struct eb_list {
    const eb_column *identity; /* the column of numbers that name the rows ("run"); NULL: none */
    eb_table_view view;
    bool typing;        /* characters go to the filter */
    unsigned long seen; /* the report's count when the view was made */
    const eb_table *table;
    int64_t at, marked[2]; /* identities; −1: none. The mark made first is marked[0] */
} eb_list;

void eb_list_init(eb_list *list, const eb_column *identity);
void eb_list_free(eb_list *list);

/* Before each use: the table as the desk has it now (NULL: none), and the count of its report. */
void eb_list_follow(eb_list *list, const eb_table *table, unsigned long count);

/* Moves the cursor, sorts ('<' '>' 'r', a click on a title), filters ('/' and then any text; Enter keeps it, Esc drops
 * it). */
bool eb_list_key(eb_list *list, eb_key key, eb_rect area);

/* Marks the row at the cursor, or takes its mark away; of two marks the older gives way. */
void eb_list_mark(eb_list *list);

/* The identity of the row at the cursor, −1: none; that row, EB_NO_TABLE_ROW. */
int64_t eb_list_at(const eb_list *list);
size_t eb_list_row(const eb_list *list);

/* The title of the column it is sorted by; NULL: none, it lies as the table has it. */
const char *eb_list_sorted_by(const eb_list *list);

/* A title line (what, how many of how many, the filter), then the table. */
void eb_list_draw(eb_list *list, eb_canvas *canvas, eb_rect area, const char *title, bool focused);
