/* help: what lies over the panels after F1 or '?': what the keys do in the panel and everywhere, every command, by
 * groups, from the command table, and the words on the panel, from the glossary. The command under the cursor shows how
 * it is typed.
 */
#pragma once

#include "shell/language/glossary.h"
#include "ui/panels/panel.h"

typedef struct eb_help_view {
    int top;               /* first line shown */
    size_t cursor;         /* a command in sight, EB_NO_COMMAND: there is none */
    const eb_panel *panel; /* as drawn last */
    bool words_first;      /* right behind the panel's keys, else at the end */
    const eb_term *column; /* explained before all else; NULL: none */
    bool ascii;
    int width, height;
} eb_help_view;
#define EB_NO_COMMAND SIZE_MAX

void eb_help_init(eb_help_view *view, bool words_first); /* its beginning */

/* Draws the lines from view->top on, which is kept within the page. The cursor is in sight, and stays on its command
 * when the size changes. `panel` is the one whose keys and words are explained, NULL: none. Returns the lines of the
 * whole. */
int eb_help_draw(eb_canvas *canvas, eb_rect area, eb_help_view *view, const eb_panel *panel);

/* ↑ ↓ from command to command, line by line where there is none; PageUp PageDown Home End, wheel. True when it was for
 * the help. `area` is what draw was given last. */
bool eb_help_key(eb_help_view *view, eb_key key, eb_rect area);
