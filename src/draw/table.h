/* table: tables and records of a report on a canvas. */
#pragma once

#include "core/report/report.h"
#include "draw/canvas.h"
#include "draw/grid.h"

/* The role of a verdict, a state, "n/a"; any other word's is the usual one. */
eb_role eb_role_of_word(const char *text, eb_role usual);

/* A table without a view: as many rows as fit; a turned one (report.h) turned. Returns the
 * lines it takes, cut or not. */
int eb_draw_plain_table(eb_canvas *canvas, eb_rect area, const eb_table *table);

/* The columns it takes so that nothing of it is cut; 0: memory is out. */
int eb_plain_table_columns(const eb_table *table, bool ascii);

/* A bar of `share` (0–1) of the area's first row, with eighths of blocks ('#' in ASCII); NAN draws "n/a". */
void eb_draw_meter(eb_canvas *canvas, eb_rect area, eb_role role, double share);

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
