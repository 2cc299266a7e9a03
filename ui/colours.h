/* colours: how a role looks on this terminal: colours out of 256, 16 or 8, or only bold, dim, underlined and reversed.
 */
#ifndef EB_UI_COLOURS_H
#define EB_UI_COLOURS_H

#include "ui/canvas.h"

/* After curses has started. colour false: monochrome (NO_COLOR). */
void eb_colours_start(bool colour);

typedef struct eb_look {
    unsigned long attributes; /* curses' A_… */
    short pair;
} eb_look;

eb_look eb_look_of(eb_role role);

/* The same for pictures of the screen (svg.c): foreground and background as 0xRRGGBB, and whether it is bold. */
typedef struct eb_paint {
    unsigned foreground, background;
    bool bold;
} eb_paint;

eb_paint eb_paint_of(eb_role role);

#endif
