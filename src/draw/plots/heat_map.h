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
