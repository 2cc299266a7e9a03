/* large: words in letters of several rows, for who sits far away. A letter is made of dots; how large it is, is how
 * large a dot is. What the letters lack (large_font.h) is shown as ASCII shows it, or as '?'.
 */
#pragma once

#include "draw/canvas.h"

/* From the largest. Without Unicode there are no half cells: dots of EB_LARGE and EB_LARGE_NARROW are a row high. */
typedef enum eb_large {
    EB_LARGE_WIDE,   /* a dot is two columns by one row */
    EB_LARGE,        /* a column by half a row */
    EB_LARGE_NARROW, /* half a column by half a row */
} eb_large;

/* Rows a line of them takes, and columns of this text; `unicode`: the canvas's. */
int eb_large_rows(eb_large size, bool unicode);
int eb_large_columns(eb_large size, bool unicode, const char *text);

/* The upper left corner at x, y. */
void eb_put_large(eb_canvas *canvas, eb_rect clip, int x, int y, eb_role role, eb_large size, const char *text);
