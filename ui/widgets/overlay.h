/* overlay: a view over the panels: help, completion's list, lists, or the report of a command that no panel shows. It
 * scrolls by the usual keys, wide tables sideways by ← →; Esc, Enter or q closes it.
 */
#pragma once

#include "ui/panels/panel.h"
#include "ui/widgets/browser.h"
#include "ui/widgets/help.h"
#include "ui/widgets/report_view.h"

typedef enum eb_overlay_kind {
    EB_OVERLAY_NONE,
    EB_OVERLAY_HELP,
    EB_OVERLAY_REPORT,
    EB_OVERLAY_LISTS,
    EB_OVERLAY_TEXT
} eb_overlay_kind;

typedef struct eb_overlay {
    eb_overlay_kind kind;
    char title[80];
    eb_report *report; /* owned */
    char *text;        /* owned */
    eb_help_view help;
    eb_browser browser;    /* of EB_OVERLAY_LISTS */
    int top, lines;        /* first line shown (help has its own), and the number of lines */
    eb_report_place place; /* the visible part of the report; its top follows `top` */
    bool plays;            /* eb_overlay_tick shows turn after turn */
} eb_overlay;

void eb_overlay_close(eb_overlay *overlay);
void eb_overlay_help(eb_overlay *overlay, bool words_first);
void eb_overlay_report(eb_overlay *overlay, eb_report *report); /* takes ownership */
/* Shows the lists of the panel's reports, or, with panel NULL, of the overlay's own report. False: there is none. */
bool eb_overlay_lists(eb_overlay *overlay, eb_desk *desk, const char *panel);
/* text: a paragraph, or lines "NAME\tTEXT"; on the heap, the overlay takes ownership. */
void eb_overlay_text(eb_overlay *overlay, const char *title, char *text);

/* Draws over the area. `panel`: the panel whose keys the help explains. */
void eb_overlay_draw(eb_overlay *overlay, eb_canvas *canvas, eb_rect area, const eb_panel *panel);

/* True while a filter or columns are typed into a list. */
bool eb_overlay_types(const eb_overlay *overlay);

/* True if the overlay used the key. */
bool eb_overlay_key(eb_overlay *overlay, eb_key key, eb_rect area);

/* A report whose cells have turns (core/report/report.h) can be played: Space plays and pauses, . and , step forward
 * and back. */
bool eb_overlay_has_turns(const eb_overlay *overlay);
static inline bool eb_overlay_is_pace(eb_key key)
{
    return eb_key_is(key, ' ') || eb_key_is(key, '.') || eb_key_is(key, ',');
}
void eb_overlay_tick(eb_overlay *overlay); /* shows the next turn of a played report; stops after the last */

/* Number of turns that a moving picture of the screen has, shown by place.turn = 1, 2 …; NAN shows all turns. 0:
 * nothing visible moves. */
size_t eb_overlay_frames(const eb_overlay *overlay, eb_rect area);
