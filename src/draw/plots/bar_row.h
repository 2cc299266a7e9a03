/* bar_row: one line with a label, a bar and what is written behind it. */
#pragma once

#include "draw/canvas.h"

typedef struct eb_bar_row {
    const char *label;
    eb_role role;     /* of the bar */
    double share;     /* of the bar's room, 0–1; NAN: "n/a" */
    double low, high; /* where its end may be: whiskers; not low < high: none */
    const char *text; /* behind the bar; NULL: nothing */
    eb_role text_role;
} eb_bar_row;

/* Draws on the area's first row. Rows of equal label_width and text_width have their bars below each other: so many
 * columns go to label and text, and where they leave no room for a bar there is none; the text goes first. */
void eb_draw_bar_row(eb_canvas *canvas, eb_rect area, int label_width, int text_width, const eb_bar_row *bar);

/* The columns of the text, if they are more than width: for the widths of rows below each other. */
int eb_wider(int width, const char *text);
