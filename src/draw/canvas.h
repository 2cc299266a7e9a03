/* canvas: the screen as a grid of cells in memory. All drawing goes to a canvas; screen.c shows it through ncurses,
 * `dump` and the tests write it as plain text. No curses, no locale.
 *
 * Coordinates are columns and rows from 0. All drawing is clipped to its rectangle and to the canvas, so no caller
 * needs to know how small a terminal is. A character two columns wide takes two cells, the second with character 0; a
 * wide character that the edge would cut in half becomes a blank. A cell keeps the first combining character that
 * follows its character.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/status.h"

/* The meaning of a cell. colours.c gives its look on a terminal of 256, 16, 8 or no colours. Colour is never the only
 * signal. */
typedef enum eb_role {
    EB_ROLE_TEXT,
    EB_ROLE_DIM, /* units, less important text */
    EB_ROLE_TITLE,
    EB_ROLE_FRAME,
    EB_ROLE_FOCUS,    /* frame and title of the panel that gets the keys */
    EB_ROLE_STATUS,   /* the line at the top */
    EB_ROLE_HINT,     /* key hints: the explanation */
    EB_ROLE_KEY,      /* key hints: the key */
    EB_ROLE_HEADER,   /* a table's titles */
    EB_ROLE_SELECTED, /* the row with the cursor */
    EB_ROLE_MARKED,   /* a row marked for diff */
    EB_ROLE_GOOD,
    EB_ROLE_BAD,
    EB_ROLE_WARNING,
    EB_ROLE_AXIS,
    EB_ROLE_BAND,   /* a confidence band */
    EB_ROLE_TARGET, /* a wanted S on the curve */
    EB_ROLE_CURSOR, /* the ε that the keys ← and → move */
    EB_ROLE_PROMPT,
    EB_ROLE_SERIES, /* EB_ROLE_SERIES + k, k < EB_SERIES_ROLES: parts of a bar, engines in a plot */
    EB_ROLE_LAST = EB_ROLE_SERIES + 5,
    EB_ROLE_HEAT, /* EB_ROLE_HEAT + k, k < EB_HEAT_ROLES: shades of a map's cells, the smallest values first */
    EB_ROLE_HOTTEST = EB_ROLE_HEAT + 5,
    EB_ROLES
} eb_role;
#define EB_SERIES_ROLES 6
#define EB_HEAT_ROLES 6

typedef struct eb_rect {
    int x, y, width, height; /* empty when width or height ≤ 0 */
} eb_rect;

/* The part of r that is also in clip. */
eb_rect eb_rect_cut(eb_rect r, eb_rect clip);
/* r without its border of one cell. */
eb_rect eb_rect_inside(eb_rect r);
static inline bool eb_rect_empty(eb_rect r) { return r.width <= 0 || r.height <= 0; }
static inline bool eb_rect_has(eb_rect r, int x, int y)
{
    return x >= r.x && x - r.x < r.width && y >= r.y && y - r.y < r.height;
}

typedef struct eb_cell {
    uint32_t character; /* Unicode; 0: right half of the cell before it */
    uint32_t combining; /* 0: none */
    uint8_t role;
} eb_cell;

typedef struct eb_canvas {
    int width, height;
    bool unicode;  /* false: only ASCII is put in cells (ε becomes "eps", blocks '#', frames '+-|') */
    eb_cell *cell; /* [height × width], row-major */
} eb_canvas;

static inline eb_cell *eb_cell_at(const eb_canvas *canvas, int x, int y)
{
    return &canvas->cell[(size_t)y * (size_t)canvas->width + (size_t)x];
}

/* Makes a canvas of blank cells, 1 ≤ width, height ≤ 4096. After EB_NO_MEMORY the canvas is unchanged. */
eb_code eb_canvas_resize(eb_canvas *canvas, int width, int height, eb_status *status);
void eb_canvas_free(eb_canvas *canvas); /* frees the cells, not the struct */
void eb_canvas_clear(eb_canvas *canvas);
eb_rect eb_canvas_rect(const eb_canvas *canvas);

/* Draws UTF-8 text on row y from column x, cut at clip's right edge, and at its left edge where x lies before it.
 * Characters that could steer a terminal become U+FFFD ('?' in ASCII). Returns the columns of the whole text, cut or
 * not. */
int eb_put(eb_canvas *canvas, eb_rect clip, int x, int y, eb_role role, const char *text);
int eb_putf(eb_canvas *canvas, eb_rect clip, int x, int y, eb_role role, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* eb_put, but the text ends at column `right` (exclusive). */
int eb_put_right(eb_canvas *canvas, eb_rect clip, int right, int y, eb_role role, const char *text);
/* eb_put, but text too long for the clip ends in "…" ("~" in ASCII). */
int eb_put_short(eb_canvas *canvas, eb_rect clip, int x, int y, eb_role role, const char *text);
/* Sets one cell. On an ASCII canvas `ascii` replaces a character beyond ASCII. */
void eb_put_cell(eb_canvas *canvas, eb_rect clip, int x, int y, eb_role role, uint32_t character, char ascii);
/* Draws text broken at blanks into lines of the rectangle's width. Returns the number of lines it takes, cut or not. */
int eb_put_wrapped(eb_canvas *canvas, eb_rect area, eb_role role, const char *text);

void eb_fill(eb_canvas *canvas, eb_rect area, eb_role role);                     /* blanks */
void eb_frame(eb_canvas *canvas, eb_rect area, eb_role role, const char *title); /* a box; title may be NULL */
void eb_recolour(eb_canvas *canvas, eb_rect area, eb_role role);                 /* changes roles only */

/* Writes plain text in UTF-8: a line for each row, without trailing blanks. */
eb_code eb_canvas_dump(const eb_canvas *canvas, FILE *out, eb_status *status);
