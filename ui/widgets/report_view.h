/* report_view: a whole report on a canvas, one part below the other, scrolled: for what is read rather than worked
 * with. */
#pragma once

#include "core/report/report.h"
#include "draw/canvas.h"

enum {
    EB_PARTS_TEXT = 1,  /* fields, records, tables, raw text, notes */
    EB_PARTS_PLOTS = 2, /* series */
};

/* Draws the lines from *top on, which is kept within the report; a mark at the right edge says that there is more above
 * or below. NULL draws nothing. Returns the lines of the whole. */
int eb_draw_report(eb_canvas *canvas, eb_rect area, const eb_report *report, unsigned parts, int *top);

/* How one looks at a report. */
typedef struct eb_report_place {
    int top, left;             /* its first line and column that are seen; kept within the report */
    double turn;               /* cells that have turns (report.h) are seen up to this one; NAN: all */
    int turns_from, turns_end; /* out: their lines on the page, title and all; equal: there are none */
} eb_report_place;

/* The same with tables as wide as they are, from column `left` on; a mark at the edge of each line that goes on there.
 * Text is broken at the area's width all the same. */
int eb_draw_wide_report(eb_canvas *canvas, eb_rect area, const eb_report *report, unsigned parts,
                        eb_report_place *place);

/* How many its widest table takes. */
int eb_report_columns(const eb_report *report, bool ascii);
