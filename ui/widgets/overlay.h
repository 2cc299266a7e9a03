/* overlay: what lies over the panels for a moment: help, or the report of a command that no panel shows. Scrolled by
 * the usual keys, where tables are wider by ← → too, closed by Esc, Enter or q.
 */
#ifndef EB_UI_WIDGETS_OVERLAY_H
#define EB_UI_WIDGETS_OVERLAY_H

#include "ui/panels/panel.h"
#include "ui/widgets/help.h"

typedef enum eb_overlay_kind { EB_OVERLAY_NONE, EB_OVERLAY_HELP, EB_OVERLAY_REPORT, EB_OVERLAY_TEXT } eb_overlay_kind;

typedef struct eb_overlay {
    eb_overlay_kind kind;
    char title[80];
    eb_report *report; /* owned */
    char *text;        /* owned */
    eb_help_view help;
    int top, lines; /* first line shown (but of the help); how many there are */
    int left;       /* a report's first column shown */
} eb_overlay;

void eb_overlay_close(eb_overlay *overlay);
void eb_overlay_help(eb_overlay *overlay, bool words_first);
void eb_overlay_report(eb_overlay *overlay, eb_report *report);           /* takes it */
void eb_overlay_text(eb_overlay *overlay, const char *title, char *text); /* takes text, heap */

/* Over the area; `panel` is the one whose keys the help explains. */
void eb_overlay_draw(eb_overlay *overlay, eb_canvas *canvas, eb_rect area, const eb_panel *panel);

/* True when the key was for it. */
bool eb_overlay_key(eb_overlay *overlay, eb_key key, eb_rect area);

#endif
