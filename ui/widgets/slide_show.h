/* slide_show: a lesson's slides on the whole screen, a key a step: Space, Enter, → or PageDown on, ← or PageUp back,
 * Home and End, `a` the answer, `h` the hint, `:` the command line, q or Esc leaves.
 */
#pragma once

#include "draw/slides.h"
#include "ui/terminal/keys.h"

typedef struct eb_slide_show {
    eb_report *report; /* owned; NULL: nothing is shown */
    eb_slide_view view;
    bool types;        /* the command line is in the place of the keys: both are the workbench's */
    int columns, rows; /* it was drawn on */
    bool unicode;
} eb_slide_show;

/* Takes the report where it is one of slides; false: it is not. */
bool eb_slide_show_open(eb_slide_show *show, eb_report *report, bool coarse);
void eb_slide_show_close(eb_slide_show *show);
void eb_slide_show_draw(eb_slide_show *show, eb_canvas *canvas);
eb_rect eb_slide_show_line(const eb_canvas *canvas); /* where the keys are, or the command line */
void eb_slide_show_key(eb_slide_show *show, eb_key key);
