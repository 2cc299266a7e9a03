/* table_view: a table to work with: scrolled, sorted, filtered, rows marked. */
#pragma once

#include "draw/table.h"
#include "ui/terminal/keys.h"

/* How a person looks at a table: scrolled, sorted, filtered, some rows marked. Rows are named by their index in the
 * table. */
typedef struct eb_table_view {
    size_t top;      /* first line shown */
    size_t cursor;   /* line with the cursor, among the lines of `order` */
    size_t left;     /* first column shown behind column 0, which stays; 0: all from the beginning */
    int sort_column; /* −1: as the table has them */
    bool descending;
    char filter[64];  /* rows without this text (case-insensitive, any cell) are left out */
    size_t marked[2]; /* rows; EB_NO_TABLE_ROW: none */
    size_t *order;    /* [lines] rows of the table, filtered and sorted; made by eb_table_view_update */
    size_t lines;
    bool still; /* to be looked at alone: no cursor is drawn */
    bool ascii; /* as drawn last: signs may be wider then, and with them the columns */
} eb_table_view;
#define EB_NO_TABLE_ROW SIZE_MAX

void eb_table_view_init(eb_table_view *view);
void eb_table_view_free(eb_table_view *view);
/* After the table, the sorting or the filter changed: rebuilds order, keeps cursor and top in range. */
void eb_table_view_update(eb_table_view *view, const eb_table *table);
/* ↑ ↓ PageUp PageDown Home End ← →, wheel, click on a row or a title (sorts). True when it was for the table. */
bool eb_table_view_key(eb_table_view *view, const eb_table *table, eb_key key, eb_rect area);
/* The row under the cursor, EB_NO_TABLE_ROW when there is none. */
size_t eb_table_view_row(const eb_table_view *view);

/* Titles, rows, a scroll mark at the right edge. Numbers right, cells formatted as in the REPL, columns as wide as they
 * need, the last ones dropped (and "▸" shown) when they do not fit. A cell that is one of SAME FASTER SLOWER UNCLEAR
 * gets its role. */
void eb_draw_table(eb_canvas *canvas, eb_rect area, const eb_table *table, eb_table_view *view, bool focused);
