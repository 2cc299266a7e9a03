/* console: what a canvas looks like in the font of a Linux console (TERM=linux), which has 256 or 512 characters: half
 * blocks and three shades, but no braille, no eighths of blocks and no small triangles. Pure: the environment is an
 * argument. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "draw/canvas.h"

/* What characters there are to draw with. */
typedef enum eb_font { EB_FONT_ASCII, EB_FONT_CONSOLE, EB_FONT_UNICODE } eb_font;

/* terminal: TERM's value, NULL: not set. */
bool eb_is_console(const char *terminal);

/* One that only shows line after line, or is none: nothing may be drawn over. */
bool eb_is_dumb(const char *terminal);

/* What stands for a character there: what the font has stays. Something never becomes a blank. */
uint32_t eb_console_character(uint32_t character);

/* All cells; a band's dots become a shade, so that what stands out of it is seen without colours. */
void eb_canvas_to_console(eb_canvas *canvas);
