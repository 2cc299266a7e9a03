/* table_picture: draws tables that people see as pictures (report.h, eb_look), from the values under these keys.
 *
 * EB_AS_TIMELINE: a row is a bar with the keys block, lane (its name), slice, stage, begin_clocks, end_clocks. Each
 * lane of a block has a line, in order of appearance. A bar begins with the number of its slice and is filled by its
 * stage.
 *
 * EB_AS_MEMORY: a row is a level, the nearest to the arithmetic first. Keys: title; bytes, bytes_s that the level above
 * reads from it, peak_bytes_s, source ("model", "counted"); written_bytes, written_bytes_s, written_source for the
 * other direction; hit_rate, hit_source. A value of EB_NA is not drawn.
 */
#pragma once

#include "core/report/report.h"
#include "draw/canvas.h"

int eb_table_picture_rows(const eb_table *table);

void eb_draw_table_picture(eb_canvas *canvas, eb_rect area, const eb_table *table);
