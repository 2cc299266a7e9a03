/* hints: what keys do, on one line: "Enter run  Tab complete". Each stands whole or not at all.
 */
#pragma once

#include "draw/canvas.h"

typedef struct eb_hint {
    const char *keys; /* "←/→" */
    const char *does; /* "move ε" */
} eb_hint;

/* One; returns where the next begins. */
int eb_put_hint(eb_canvas *canvas, eb_rect row, int x, const eb_hint *hint);

/* As many as there is room for; where some are left out, `more` (NULL: nothing) is the last. */
void eb_put_hints(eb_canvas *canvas, eb_rect row, const eb_hint *hints, size_t count, const eb_hint *more);

/* A panel's, up to the first without keys, and those that all panels have. */
#define EB_MAX_HINTS 14
void eb_put_panel_hints(eb_canvas *canvas, eb_rect row, const eb_hint *hints);

/* The next steps where there is nothing to show yet: a sentence, then keys or lines to type, each with what it does.
 * `steps` ends at keys == NULL. Returns the rows it takes, cut or not. */
int eb_draw_steps(eb_canvas *canvas, eb_rect area, const char *sentence, const eb_hint *steps);
