/* slides: draws a report of slides (shell/lessons/slides.h) as screens for readers far away: wide margins, few words,
 * and the largest heading that leaves room for the rest. Nothing is cut: the rest of a long slide goes to further
 * pages. */
#pragma once

#include "core/report/report.h"
#include "draw/canvas.h"

typedef struct eb_slide_view {
    size_t slide; /* from 0 */
    int page;     /* of the slide, from 0 */
    bool answer;  /* the question's answer is shown */
    bool hint;    /* the question's hint is shown */
    bool coarse;  /* the font has no quarters of a cell (draw/console.h) */
} eb_slide_view;

size_t eb_slides_count(const eb_report *report); /* 0: the report has no slides */

/* Number of the slide's pages on this many columns and rows, at least one. */
int eb_slide_pages(const eb_report *report, const eb_slide_view *view, bool unicode, int columns, int rows);

/* Draws a page of a slide. view->slide and view->page are first limited to existing ones. */
void eb_draw_slide(eb_canvas *canvas, eb_rect area, const eb_report *report, eb_slide_view *view);

/* "question", "evidence" or "answer"; "" after the last slide. */
const char *eb_slide_kind(const eb_report *report, size_t slide);
bool eb_slide_has_hint(const eb_report *report, size_t slide);
