/* page: lines of text, possibly more than the area has rows. Lines above `top` and below the area are counted, but not
 * drawn.
 */
#pragma once

#include "draw/canvas.h"

typedef struct eb_page {
    eb_canvas *canvas; /* NULL: lines are only counted */
    bool ascii;        /* the canvas shows ASCII only, where some signs are wider */
    eb_rect area;
    int top;  /* the page's line in the area's first row */
    int line; /* the line where the next text begins */
} eb_page;

/* Adds text from column x on, broken at blanks into lines of the remaining width. */
void eb_page_text(eb_page *page, eb_role role, int x, const char *text);

/* Adds two texts side by side, the right one from `column` on; in a narrow area one below the other. */
void eb_page_pair(eb_page *page, eb_role role, int x, const char *left, int column, const char *right);

/* The canvas row of a line of the page; −1: not visible. */
int eb_page_row(const eb_page *page, int line);
