/* large: words in letters several rows high, for readers far away. A letter is made of dots; the size of a dot sets the
 * size of a letter. A character without a glyph (large_font.h) appears as its ASCII stand-in, or as '?'. */
#pragma once

#include "draw/canvas.h"

/* Sizes, the largest first. Without Unicode there are no half cells, so a dot of EB_LARGE and EB_LARGE_NARROW is a row
 * high. */
typedef enum eb_large {
    EB_LARGE_WIDE,   /* a dot is two columns by one row */
    EB_LARGE,        /* a dot is a column by half a row */
    EB_LARGE_NARROW, /* a dot is half a column by half a row */
} eb_large;

/* Rows of a line of text, and columns of this text; `unicode` is the canvas's. */
int eb_large_rows(eb_large size, bool unicode);
int eb_large_columns(eb_large size, bool unicode, const char *text);

/* x, y: the upper left corner. */
void eb_put_large(eb_canvas *canvas, eb_rect clip, int x, int y, eb_role role, eb_large size, const char *text);
