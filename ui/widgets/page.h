/* page: text in lines, more of them than the area has rows. Lines before `top` and behind the area are counted, not
 * drawn.
 */
#pragma once

#include "draw/canvas.h"

typedef struct eb_page {
    eb_canvas *canvas; /* NULL: lines are only counted */
    bool ascii;        /* how the canvas shows text: signs may be wider then */
    eb_rect area;
    int top;  /* the line of the page that is the area's first row */
    int line; /* where the next text goes */
} eb_page;

/* Text broken at blanks into lines as wide as the area behind column x; the next text goes below. */
void eb_page_text(eb_page *page, eb_role role, int x, const char *text);

/* Two texts side by side, the right one from `column` on; below each other where the area is too narrow for both. */
void eb_page_pair(eb_page *page, eb_role role, int x, const char *left, int column, const char *right);

/* The area's row on which the page's line is, −1: not in sight. */
int eb_page_row(const eb_page *page, int line);
