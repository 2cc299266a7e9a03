/* report_view: draws a whole report as a scrollable page, one part below the other. Used for reports that the person
 * only reads. */
#pragma once

#include "core/report/report.h"
#include "draw/canvas.h"

enum {
    EB_PARTS_TEXT = 1,  /* fields, records, tables, raw text, notes */
    EB_PARTS_PLOTS = 2, /* series */
};

/* Draws the report from line *top on, and keeps *top within the report. Marks at the right edge show that there is more
 * above or below. NULL draws nothing. Returns the report's lines. */
int eb_draw_report(eb_canvas *canvas, eb_rect area, const eb_report *report, unsigned parts, int *top);

/* The visible part of a report. */
typedef struct eb_report_place {
    int top, left;             /* first visible line and column; kept within the report */
    double turn;               /* cells with turns (report.h) are shown up to this turn; NAN: all */
    int turns_from, turns_end; /* out: lines of the part with turns, its title included; equal: no such part */
} eb_report_place;

/* Like eb_draw_report, but tables keep their full width and are shown from column `left` on. A mark at the edge shows
 * that a line continues there. Text is still broken at the area's width. */
int eb_draw_wide_report(eb_canvas *canvas, eb_rect area, const eb_report *report, unsigned parts,
                        eb_report_place *place);

/* Columns of the report's widest table. */
int eb_report_columns(const eb_report *report, bool ascii);
