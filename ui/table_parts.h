/* table_parts: what draw_table.c and table_view.c share. Not for others. */
#ifndef EB_UI_TABLE_PARTS_H
#define EB_UI_TABLE_PARTS_H

#include "shell/render_parts.h"
#include "ui/draw_table.h"

enum {
    EB_TABLE_GAP = 2,   /* columns between columns */
    EB_TABLE_MARKS = 2, /* before the first: the cursor's sign, the mark */
    EB_TABLE_LEAST = 6, /* columns that are left to a table's column, or it is not drawn */
};

/* Whether column c is drawn where `room` columns are left: whole, or at least its beginning. */
static inline bool eb_table_fits(size_t c, int width, int room)
{
    return room > 0 && (c == 0 || room >= width || room >= EB_TABLE_LEAST);
}

/* The column drawn behind column c when `left` is the first one shown. */
static inline size_t eb_table_next(size_t c, size_t left) { return c == 0 && left > 0 ? left : c + 1; }

/* The widest cell of each column; heap, NULL: out of memory. */
int *eb_grid_widths(const eb_grid *grid);

/* Moves top so that the cursor is among `rows` lines. */
void eb_table_view_show_cursor(eb_table_view *view, int rows);

#endif
