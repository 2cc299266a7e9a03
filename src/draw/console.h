/* console: how a canvas looks in the font of a Linux console (TERM=linux). That font has 256 or 512 characters: half
 * blocks and three shades, but no braille, no eighths of blocks and no small triangles. Pure functions: the environment
 * is an argument. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "draw/canvas.h"

typedef enum eb_font { EB_FONT_ASCII, EB_FONT_CONSOLE, EB_FONT_UNICODE } eb_font;

/* terminal: the value of TERM, NULL: not set. */
bool eb_is_console(const char *terminal);

/* True if TERM is "dumb", empty or not set: such a terminal only shows line after line, and cannot be drawn on. */
bool eb_is_dumb(const char *terminal);

/* Returns the character to show on the console in place of `character`; characters of the console's font are returned
 * unchanged. A visible character never becomes a blank. */
uint32_t eb_console_character(uint32_t character);

/* Replaces the characters of all cells. A band's dots become a shade, so that a line over the band is seen without
 * colours. */
void eb_canvas_to_console(eb_canvas *canvas);
