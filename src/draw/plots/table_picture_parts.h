/* table_picture_parts: the pictures of table_picture.h one by one. Not for others. */
#ifndef EB_DRAW_PLOTS_TABLE_PICTURE_PARTS_H
#define EB_DRAW_PLOTS_TABLE_PICTURE_PARTS_H

#include "core/report/report.h"
#include "draw/canvas.h"

int eb_timeline_rows(const eb_table *table);
void eb_draw_timeline(eb_canvas *canvas, eb_rect area, const eb_table *table);
int eb_memory_chart_rows(const eb_table *table);
void eb_draw_memory_chart(eb_canvas *canvas, eb_rect area, const eb_table *table);

#endif
