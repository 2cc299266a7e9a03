/* hints: what keys do, on one line: "Enter run  Tab complete". A hint without room is left out as a whole. */
#pragma once

#include "draw/canvas.h"

typedef struct eb_hint {
    const char *keys; /* "←/→" */
    const char *does; /* "move ε" */
} eb_hint;

/* Draws one hint; returns the column where the next one begins. */
int eb_put_hint(eb_canvas *canvas, eb_rect row, int x, const eb_hint *hint);

/* Draws as many hints as there is room for; if some are left out, those of `more` come last, which ends at keys == NULL
 * (NULL: none). */
void eb_put_hints(eb_canvas *canvas, eb_rect row, const eb_hint *hints, size_t count, const eb_hint *more);

/* Draws a panel's hints, which end at the first without keys, and those that all panels share. `lists`: its reports
 * have tables. */
#define EB_MAX_HINTS 14
void eb_put_panel_hints(eb_canvas *canvas, eb_rect row, const eb_hint *hints, bool lists);

/* Draws what a person can do while a panel is empty: a sentence, then keys or lines to type, each with its effect.
 * `steps` ends at keys == NULL. Returns the rows of the whole text, even if the area has fewer. */
int eb_draw_steps(eb_canvas *canvas, eb_rect area, const char *sentence, const eb_hint *steps);
