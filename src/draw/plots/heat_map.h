/* heat_map: a series of cells (EB_HEAT) as a map: x to the right, y upwards, in each cell its number on a shade of its
 * share of the greatest, and a bar as high: no colour tells what is not there without it.
 */
#pragma once

#include "core/report/report.h"
#include "draw/canvas.h"

/* Cells without a number show their mark; `at` (a point of the series, SIZE_MAX: none) is where the cursor is. Too
 * narrow for numbers, cells are bars alone; too small for that, a sentence says so. */
void eb_draw_heat_map(eb_canvas *canvas, eb_rect area, const eb_series *series, size_t at);

/* Cells that have turns (report.h): up to this one, which stands out; those to come are empty. */
void eb_draw_turns(eb_canvas *canvas, eb_rect area, const eb_series *series, double turn);

/* The last turn; 0: there is none. */
double eb_last_turn(const eb_series *series);

/* The point whose cell is at that place of a map drawn so; SIZE_MAX: there is none. */
size_t eb_heat_map_at(eb_rect area, const eb_series *series, int x, int y);

/* Rows that show every cell, with titles. */
int eb_heat_map_rows(const eb_series *series);
