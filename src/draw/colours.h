/* colours: how a role looks on terminals of 256, 16, 8 or no colours. Pure: the environment
 * is an argument. No curses. */
#ifndef EB_DRAW_COLOURS_H
#define EB_DRAW_COLOURS_H

#include <stdbool.h>
#include <stdint.h>

#include "draw/canvas.h"

typedef enum eb_scheme { EB_SCHEME_MONO, EB_SCHEME_8, EB_SCHEME_16, EB_SCHEME_256 } eb_scheme;

enum { EB_STYLE_BOLD = 1, EB_STYLE_DIM = 2, EB_STYLE_REVERSE = 4, EB_STYLE_UNDERLINE = 8 };

typedef struct eb_style {
    short foreground, background; /* colour numbers of the scheme, xterm's for 256; −1: the terminal's own */
    unsigned attributes;          /* EB_STYLE_… */
} eb_style;

/* colours: what the terminal says it has (terminfo's `colors`); no_color: NO_COLOR's value, NULL: not set. */
eb_scheme eb_scheme_for(int colours, const char *no_color);

/* What matters can be told apart in every scheme, EB_SCHEME_MONO too: cursor, selection, focus, errors. */
eb_style eb_style_of(eb_role role, eb_scheme scheme);

/* 0xRRGGBB of one of the 256 colours of xterm. */
uint32_t eb_colour_rgb(unsigned colour);

#endif
