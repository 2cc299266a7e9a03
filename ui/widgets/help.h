/* help: the help page over the panels (F1 or '?'): the keys of the panel and of the workbench, all commands by group
 * from the command table, and the terms on the panel from the glossary. The command at the cursor shows its usage.
 */
#pragma once

#include "shell/language/glossary.h"
#include "ui/panels/panel.h"

typedef struct eb_help_view {
    int top;               /* first line shown */
    size_t cursor;         /* a visible command; EB_NO_COMMAND: none is visible */
    const eb_panel *panel; /* as last drawn */
    bool words_first;      /* terms follow the panel's keys; otherwise they come last */
    const eb_term *column; /* explained at the top of the page; NULL: none */
    bool ascii;
    int width, height;
} eb_help_view;
#define EB_NO_COMMAND SIZE_MAX

void eb_help_init(eb_help_view *view, bool words_first);

/* Draws the page from line view->top on, and keeps top within the page. The cursor stays visible, and stays on its
 * command when the size changes. `panel`: the panel whose keys and terms are explained; NULL: none. Returns the page's
 * lines. */
int eb_help_draw(eb_canvas *canvas, eb_rect area, eb_help_view *view, const eb_panel *panel);

/* ↑ ↓ go from command to command, and line by line elsewhere; PageUp PageDown Home End and the wheel scroll. True if
 * the help used the key. `area`: as last drawn. */
bool eb_help_key(eb_help_view *view, eb_key key, eb_rect area);
