/* table_view: an interactive table: scrolling, sorting, filtering, marked rows. */
#pragma once

#include "draw/table.h"
#include "ui/terminal/keys.h"

/* The state of such a table. Rows are identified by their index in the table. */
typedef struct eb_table_view {
    size_t top;      /* first line shown */
    size_t cursor;   /* index of the cursor's line in `order` */
    size_t left;     /* first column shown after column 0, which always shows; 0: nothing is scrolled away */
    int sort_column; /* −1: the table's own order */
    bool descending;
    char filter[64];  /* only rows with this text in a cell are shown (case-insensitive) */
    size_t marked[2]; /* rows; EB_NO_TABLE_ROW: none */
    size_t *order;    /* [lines] rows of the table, filtered and sorted; made by eb_table_view_update */
    size_t lines;
    bool still; /* no cursor is drawn */
    bool ascii; /* as last drawn; some signs, and so columns, are wider in ASCII */
} eb_table_view;
#define EB_NO_TABLE_ROW SIZE_MAX

void eb_table_view_init(eb_table_view *view);
void eb_table_view_free(eb_table_view *view);
/* Call after the table, the sorting or the filter has changed: rebuilds order, keeps cursor and top in range. */
void eb_table_view_update(eb_table_view *view, const eb_table *table);
/* ↑ ↓ PageUp PageDown Home End ← →, the wheel, a click on a row or on a title (sorts). True if the table used the key.
 */
bool eb_table_view_key(eb_table_view *view, const eb_table *table, eb_key key, eb_rect area);
/* The row at the cursor; EB_NO_TABLE_ROW: none. */
size_t eb_table_view_row(const eb_table_view *view);

/* Draws titles, rows and a scroll mark at the right edge. Numbers are right-aligned, cells are formatted as at the
 * prompt. Columns that do not fit are left out at the right, where "▸" shows then. Verdicts (SAME, FASTER, SLOWER,
 * UNCLEAR) have their own colours. */
void eb_draw_table(eb_canvas *canvas, eb_rect area, const eb_table *table, eb_table_view *view, bool focused);
