/* table: draws a report's tables and records on a canvas. */
#pragma once

#include "core/report/report.h"
#include "draw/canvas.h"
#include "draw/grid.h"

/* The role of a verdict, of a state and of "n/a"; `usual` for any other word. */
eb_role eb_role_of_word(const char *text, eb_role usual);

/* Draws as many rows of a table as fit; a turned table (report.h) is drawn turned. Returns the number of lines, cut or
 * not. */
int eb_draw_plain_table(eb_canvas *canvas, eb_rect area, const eb_table *table);

/* Columns of the whole table without cuts; 0: out of memory. */
int eb_plain_table_columns(const eb_table *table, bool ascii);

/* Draws a bar of `share` (0–1) on the area's first row, in eighths of blocks ('#' in ASCII). NAN draws "n/a". */
void eb_draw_meter(eb_canvas *canvas, eb_rect area, eb_role role, double share);

enum {
    EB_TABLE_GAP = 2,   /* columns between columns */
    EB_TABLE_LEAST = 6, /* fewest columns for a table's column; with less room it is not drawn */
};

/* True if column c is drawn with `room` columns left: the whole column, or at least its beginning. */
static inline bool eb_table_fits(size_t c, int width, int room)
{
    return room > 0 && (c == 0 || room >= width || room >= EB_TABLE_LEAST);
}

/* The column drawn after column c when `left` is the first one shown. */
static inline size_t eb_table_next(size_t c, size_t left) { return c == 0 && left > 0 ? left : c + 1; }

/* The width of each column's widest cell. Heap; NULL: out of memory. */
int *eb_grid_widths(const eb_grid *grid);

/* Draws one row of a grid: column 0, then the columns from `first` on. True if a column did not fit. */
bool eb_put_grid_row(eb_canvas *canvas, eb_rect line, const eb_grid *grid, const int *width, size_t row, size_t first,
                     eb_role role);
