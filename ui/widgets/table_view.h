/* table_view: an interactive table: scrolling, sorting, filtering, chosen columns, marked rows. */
#pragma once

#include "draw/lists/arrange.h"
#include "draw/table.h"
#include "ui/terminal/keys.h"

enum { EB_LIST_TEXT = 256 }; /* bytes of a part of an arrangement */

/* The state of such a table. Rows are identified by their index in the table. */
typedef struct eb_table_view {
    size_t top;    /* first line shown */
    size_t cursor; /* the cursor's line */
    size_t left;   /* first column shown after column 0, which always shows; 0: nothing is scrolled away */
    char sort[EB_LIST_TEXT], where[EB_LIST_TEXT], columns[EB_LIST_TEXT]; /* draw/lists/arrange.h; "": none */
    eb_status wrong;         /* why a part cannot be followed, which is then left out; message "": all are */
    size_t marked[2];        /* rows; EB_NO_TABLE_ROW: none */
    eb_arranged_table shown; /* line k is row shown.row[k]; made by eb_table_view_update */
    size_t rows;             /* of the table */
    int sort_column; /* the shown column that the lines are sorted by first; −1: the table's own order, or not shown */
    bool still;      /* no cursor is drawn */
    bool ascii;      /* as last drawn; some signs, and so columns, are wider in ASCII */
} eb_table_view;
#define EB_NO_TABLE_ROW SIZE_MAX

void eb_table_view_init(eb_table_view *view);
void eb_table_view_free(eb_table_view *view);
/* Call after the table or a part of the arrangement has changed: rebuilds the lines, keeps cursor and top in range. */
void eb_table_view_update(eb_table_view *view, const eb_table *table);
/* ↑ ↓ PageUp PageDown Home End ← →, the wheel, a click on a row or on a title (sorts). True if the table used the key.
 */
bool eb_table_view_key(eb_table_view *view, const eb_table *table, eb_key key, eb_rect area);
/* The row at the cursor; EB_NO_TABLE_ROW: none. */
size_t eb_table_view_row(const eb_table_view *view);
/* True if columns are hidden at the right, in an area of this width. */
bool eb_table_view_is_cut(const eb_table_view *view, int width);

/* Sorts by a shown column (−1: the table's own order) without another update. */
void eb_table_view_sort(eb_table_view *view, int column, bool descending);

/* Draws titles, rows and a scroll mark at the right edge. Numbers are right-aligned, cells are formatted as at the
 * prompt. Columns that do not fit are left out at the right, where "▸" shows then. Verdicts (SAME, FASTER, SLOWER,
 * UNCLEAR) have their own colours. */
void eb_draw_table(eb_canvas *canvas, eb_rect area, eb_table_view *view, bool focused);
