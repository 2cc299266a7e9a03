/* table_parts: what draw_table.c and table_view.c share. Not for others. */
#ifndef EB_UI_TABLE_PARTS_H
#define EB_UI_TABLE_PARTS_H

#include "shell/render_parts.h"
#include "ui/draw_table.h"

/* The widest cell of each column; heap, NULL: out of memory. */
int *eb_grid_widths(const eb_grid *grid);

/* Moves top so that the cursor is among `rows` lines. */
void eb_table_view_show_cursor(eb_table_view *view, int rows);

#endif
