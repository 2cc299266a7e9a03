/* table_picture: draws tables that people see as pictures (report.h, eb_look), from the values under these keys.
 *
 * EB_AS_TIMELINE: a row is a bar with the keys block, lane (its name), slice, stage, begin_clocks, end_clocks. Each
 * lane of a block has a line, in order of appearance. A bar begins with the number of its slice and is filled by its
 * stage.
 *
 * EB_AS_MEMORY: a row is a level, the nearest to the arithmetic first. Keys: title; bytes, bytes_s that the level above
 * reads from it, peak_bytes_s, source ("model", "counted"); written_bytes, written_bytes_s, written_source for the
 * other direction; hit_rate, hit_source. A value of EB_NA is not drawn.
 *
 * EB_AS_CODE: a row is a line of a program. Keys: row, the line's number, or source, its place, "mma.cuh:12"; text;
 * made, what the compiler has made of it, if anything: beside the lines where all of that fits, else below each. A line
 * longer than the area goes on in the next one, below its text.
 */
#pragma once

#include "core/report/report.h"
#include "draw/canvas.h"

/* ---- what such a table tells ---- */

enum { EB_MOST_LANES = 32 };

typedef struct eb_timeline_bar {
    uint64_t block, slice, stage;
    const char *name;
    double begin, end;
} eb_timeline_bar;

typedef struct eb_timeline {
    struct eb_lane {
        uint64_t block;
        const char *name;
    } line[EB_MOST_LANES];
    size_t lines;
    unsigned blocks, stages;
    double end;
} eb_timeline;

eb_timeline eb_timeline_of(const eb_table *table);
eb_timeline_bar eb_timeline_bar_at(const eb_table *table, size_t row);
size_t eb_timeline_line(const eb_timeline *timeline, const eb_timeline_bar *bar); /* its lane */
bool eb_timeline_begins_block(const eb_timeline *timeline, size_t line);

typedef struct eb_memory_level {
    const char *title, *source, *written_source, *hit_source; /* "": unknown */
    double bytes, rate, peak, written, written_rate, hit_rate;
} eb_memory_level;

eb_memory_level eb_memory_level_at(const eb_table *table, size_t row);

/* ---- drawing ---- */

/* Rows of the picture, in an area of this width. */
int eb_table_picture_rows(const eb_table *table, int width);

/* Columns that the picture needs so that no line of code is broken; 0: it fits any width. */
int eb_table_picture_columns(const eb_table *table);

void eb_draw_table_picture(eb_canvas *canvas, eb_rect area, const eb_table *table);
