/* slide_show: a lesson's slides on the whole screen. Space, Enter, → or PageDown go forward, ← or PageUp back; Home and
 * End; `a` shows the answer, `h` the hint, `:` the command line; q or Esc leaves.
 */
#pragma once

#include "draw/slides.h"
#include "ui/terminal/keys.h"

typedef struct eb_slide_show {
    eb_report *report; /* owned; NULL: no slides are shown */
    eb_slide_view view;
    bool types;        /* the workbench's command line replaces the hints about keys */
    int columns, rows; /* of the canvas as last drawn */
    bool unicode;
} eb_slide_show;

/* Takes ownership of a report of slides; false if the report has none. */
bool eb_slide_show_open(eb_slide_show *show, eb_report *report, bool coarse);
void eb_slide_show_close(eb_slide_show *show);
void eb_slide_show_draw(eb_slide_show *show, eb_canvas *canvas);
eb_rect eb_slide_show_line(const eb_canvas *canvas); /* the row of the hints or the command line */
void eb_slide_show_key(eb_slide_show *show, eb_key key);
