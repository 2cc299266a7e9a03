/* bar_row: one line of a chart: a label, a bar, and a text to the right of the bar. */
#pragma once

#include "draw/canvas.h"
#include "draw/utf8.h"

typedef struct eb_bar_row {
    const char *label;
    eb_role role;     /* of the bar */
    double share;     /* of the bar's room, 0–1; NAN: "n/a" */
    double low, high; /* range of the bar's end, drawn as whiskers; none unless low < high */
    const char *text; /* shown to the right of the bar; NULL: nothing */
    eb_role text_role;
} eb_bar_row;

/* Draws on the area's first row. label_width and text_width are columns; rows with equal widths have their bars
 * aligned. Where label and text leave no room for a bar, the bar is left out first, then the text is cut. */
void eb_draw_bar_row(eb_canvas *canvas, eb_rect area, int label_width, int text_width, const eb_bar_row *bar);
