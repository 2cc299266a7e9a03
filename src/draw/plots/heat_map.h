/* heat_map: draws a series of cells (EB_HEAT) as a map: x to the right, y upwards. Each cell shows its number on a
 * shade, and a bar whose height says the same as the shade, so no information is in colour alone. */
#pragma once

#include "core/report/report.h"
#include "draw/canvas.h"

/* Cells without a number show their mark. `at` is the point under the cursor; SIZE_MAX: none. Cells too narrow for
 * numbers are bars alone; an area too small for bars shows a sentence. */
void eb_draw_heat_map(eb_canvas *canvas, eb_rect area, const eb_series *series, size_t at);

/* Draws cells that have turns (report.h) up to this turn, which stands out; later cells stay empty. */
void eb_draw_turns(eb_canvas *canvas, eb_rect area, const eb_series *series, double turn);

/* The last turn; 0 if there is none. */
double eb_last_turn(const eb_series *series);

/* The point whose cell covers (x, y) on a map drawn in this area; SIZE_MAX if there is none. */
size_t eb_heat_map_at(eb_rect area, const eb_series *series, int x, int y);

/* Number of rows that show every cell, with titles. */
int eb_heat_map_rows(const eb_series *series);

/* ---- what every drawing of a map needs ---- */

enum { EB_MOST_HEAT_STEPS = 256 };

/* The different values along an axis, ascending. */
typedef struct eb_heat_axis {
    double value[EB_MOST_HEAT_STEPS];
    size_t count;
} eb_heat_axis;

void eb_heat_axis_take(eb_heat_axis *axis, double value);
size_t eb_heat_axis_place(const eb_heat_axis *axis, double value); /* the value's index; count: it is none of them */

/* At most four characters: 0.12, 1.23, 12.3, 123; a tiny number is not printed as 0. whole: all numbers are counts. */
const char *eb_heat_number(double z, bool whole, char *buffer, size_t size);

const char *eb_short_count(double x, char *buffer, size_t size); /* 512, 1k, 31.6k, 1M */

/* The marks of cells without a number, and what each means; NULL: another mark. */
#define EB_HEAT_MARKS ">x.-"
const char *eb_heat_mark(char mark);
