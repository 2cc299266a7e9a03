/* plot_parts: what the files that draw plots share. Not for others. */
#ifndef EB_DRAW_PLOTS_PLOT_PARTS_H
#define EB_DRAW_PLOTS_PLOT_PARTS_H

#include "draw/plots/dots.h"
#include "draw/plots/plot.h"
#include "draw/plots/ticks.h"
#include "draw/utf8.h"

/* An axis as it is drawn (ticks.h). */
eb_span eb_axis_span(const eb_axis *axis);

/* The cell of the plot, from its left or lower end, that holds the place of a share, in braille dots as all that is
 * drawn. */
int eb_plot_cell_across(const eb_plot *plot, double share);
int eb_plot_cell_up(const eb_plot *plot, double share);

/* What parts of a bar are filled with: they differ in that, not in colour only. */
typedef struct eb_filling {
    uint32_t block;
    char ascii;
} eb_filling;
eb_filling eb_filling_of(size_t part);

/* What stands in a cell of the canvas; NULL outside the canvas or the plot. */
const eb_cell *eb_plot_cell(const eb_canvas *canvas, const eb_plot *plot, int x, int y);

#endif
