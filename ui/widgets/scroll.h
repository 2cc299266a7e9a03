/* scroll: lines of which an area shows some, from *top on. */
#pragma once

#include "draw/canvas.h"
#include "ui/terminal/keys.h"

/* Moves *top: ↑ ↓ PageUp PageDown Home End, wheel. True when the key was one of them. */
bool eb_scroll_key(int *top, eb_key key, int height);

/* Keeps *top so that the area is full as long as there are lines for it, and puts a mark at its right edge where there
 * is more above or below. */
void eb_scroll_fit(eb_canvas *canvas, eb_rect area, int lines, int *top);
