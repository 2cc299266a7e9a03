/* listing: draws the lines of a program with their numbers (EB_AS_CODE, table_picture.h). */
#pragma once

#include "core/report/report.h"
#include "draw/canvas.h"

int eb_listing_rows(const eb_table *table, int width);
int eb_listing_columns(const eb_table *table); /* of the longest line with its number */
void eb_draw_listing(eb_canvas *canvas, eb_rect area, const eb_table *table);
