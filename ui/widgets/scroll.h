/* scroll: scrolls an area that shows a part of a list of lines; *top is the first line shown. */
#pragma once

#include "draw/canvas.h"
#include "ui/terminal/keys.h"

/* Moves *top by ↑ ↓ PageUp PageDown Home End and the wheel. True if the key was one of them. */
bool eb_scroll_key(int *top, eb_key key, int height);

/* Limits *top so that the area is filled if there are enough lines, and marks the right edge where there is more above
 * or below. */
void eb_scroll_fit(eb_canvas *canvas, eb_rect area, int lines, int *top);
