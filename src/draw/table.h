/* table: tables and records of a report on a canvas. */
#ifndef EB_DRAW_TABLE_H
#define EB_DRAW_TABLE_H

#include "core/report/report.h"
#include "draw/canvas.h"

/* The role of a verdict, a state, "n/a"; any other word's is the usual one. */
eb_role eb_role_of_word(const char *text, eb_role usual);

/* A table without a view: as many rows as fit; a turned one (report.h) turned. Returns the
 * lines it takes, cut or not. */
int eb_draw_plain_table(eb_canvas *canvas, eb_rect area, const eb_table *table);

/* The columns it takes so that nothing of it is cut; 0: memory is out. */
int eb_plain_table_columns(const eb_table *table, bool ascii);

/* A bar of `share` (0–1) of the area's first row, with eighths of blocks ('#' in ASCII); NAN draws "n/a". */
void eb_draw_meter(eb_canvas *canvas, eb_rect area, eb_role role, double share);

#endif
