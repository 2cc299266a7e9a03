/* table_parts: a table drawn row by row, for table.c and for the widget that scrolls and sorts one. */
#ifndef EB_DRAW_TABLE_PARTS_H
#define EB_DRAW_TABLE_PARTS_H

#include "draw/grid.h"
#include "draw/table.h"

enum {
    EB_TABLE_GAP = 2,   /* columns between columns */
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

/* One row of a grid from column `first` on, column 0 before it; true when a column did not fit. */
bool eb_put_grid_row(eb_canvas *canvas, eb_rect line, const eb_grid *grid, const int *width, size_t row, size_t first,
                     eb_role role);

#endif
