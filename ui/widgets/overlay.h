/* overlay: what lies over the panels for a moment: help, or the report of a command that no panel shows. Scrolled by
 * the usual keys, where tables are wider by ← → too, closed by Esc, Enter or q.
 */
#pragma once

#include "ui/panels/panel.h"
#include "ui/widgets/help.h"
#include "ui/widgets/report_view.h"

typedef enum eb_overlay_kind { EB_OVERLAY_NONE, EB_OVERLAY_HELP, EB_OVERLAY_REPORT, EB_OVERLAY_TEXT } eb_overlay_kind;

typedef struct eb_overlay {
    eb_overlay_kind kind;
    char title[80];
    eb_report *report; /* owned */
    char *text;        /* owned */
    eb_help_view help;
    int top, lines;        /* first line shown (but of the help); how many there are */
    eb_report_place place; /* how one looks at the report; its top is the one above */
    bool plays;            /* turns pass (eb_overlay_tick) */
} eb_overlay;

void eb_overlay_close(eb_overlay *overlay);
void eb_overlay_help(eb_overlay *overlay, bool words_first);
void eb_overlay_report(eb_overlay *overlay, eb_report *report);           /* takes it */
void eb_overlay_text(eb_overlay *overlay, const char *title, char *text); /* takes text, heap: a paragraph, or
                                                                              lines "NAME\tTEXT" */

/* Over the area; `panel` is the one whose keys the help explains. */
void eb_overlay_draw(eb_overlay *overlay, eb_canvas *canvas, eb_rect area, const eb_panel *panel);

/* True when the key was for it. */
bool eb_overlay_key(eb_overlay *overlay, eb_key key, eb_rect area);

/* A report whose cells have turns (report.h): Space plays and pauses, . and , are a turn on and back. */
bool eb_overlay_has_turns(const eb_overlay *overlay);
static inline bool eb_overlay_is_pace(eb_key key)
{
    return eb_key_is(key, ' ') || eb_key_is(key, '.') || eb_key_is(key, ',');
}
void eb_overlay_tick(eb_overlay *overlay); /* while it plays: the next turn; after the last it ends */

/* How a picture of the screen moves: turn `frame` of so many, as eb_overlay_draw will show it; NAN for place.turn shows
 * all. 0: nothing that is seen moves. */
size_t eb_overlay_frames(const eb_overlay *overlay, eb_rect area);
