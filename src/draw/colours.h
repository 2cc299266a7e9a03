/* colours: how a role looks on terminals of 256, 16, 8 or no colours, on a dark background and on a light one. Pure
 * functions: the environment is an argument. No curses.
 *
 * Assumptions: the first 16 colours are xterm's (eb_colour_rgb); a dark background is black or EB_DARK_GROUND, a light
 * one white. Under these, text has a contrast of at least 4.5 to its background, and EB_ROLE_FRAME and EB_ROLE_BAND,
 * which are no text, at least 3 (WCAG 2.1), also where bold makes the first 8 colours bright.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "draw/canvas.h"

typedef enum eb_scheme { EB_SCHEME_MONO, EB_SCHEME_8, EB_SCHEME_16, EB_SCHEME_256 } eb_scheme;

/* The choices of `set theme=`. AUTO follows the terminal's background; MONO uses no colours. */
typedef enum eb_theme { EB_THEME_AUTO, EB_THEME_DARK, EB_THEME_LIGHT, EB_THEME_MONO } eb_theme;
#define EB_THEMES "auto|dark|light|mono" /* in that order */

/* Background and plain text of a picture. */
#define EB_DARK_GROUND 0x1A1B1Eu
#define EB_DARK_INK 0xC9CCD1u
#define EB_LIGHT_GROUND 0xFFFFFFu
#define EB_LIGHT_INK 0x24292Fu

enum { EB_STYLE_BOLD = 1, EB_STYLE_DIM = 2, EB_STYLE_REVERSE = 4, EB_STYLE_UNDERLINE = 8 };

typedef struct eb_style {
    short foreground, background; /* colour numbers of the scheme, xterm's for 256; −1: the terminal's own */
    unsigned attributes;          /* EB_STYLE_… */
} eb_style;

/* colours: the terminal's number of colours (terminfo's `colors`); no_color: the value of NO_COLOR, NULL: not set. */
eb_scheme eb_scheme_for(int colours, const char *no_color);

/* Cursor, selection, focus and errors can be told apart in every scheme, also in EB_SCHEME_MONO. */
eb_style eb_style_of(eb_role role, eb_scheme scheme, bool light);

/* 0xRRGGBB of one of xterm's 256 colours. */
uint32_t eb_colour_rgb(unsigned colour);

/* True if black text is easier to read than white text on this background. */
bool eb_is_light(uint32_t rgb);

/* Contrast of two colours, 1 … 21 (WCAG 2.1). */
double eb_contrast(uint32_t a, uint32_t b);
