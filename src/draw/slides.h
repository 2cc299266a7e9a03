/* slides: a report of slides (shell/lessons/slides.h) as screens for who sits far away: a heading as large as what is
 * below it leaves room for, wide margins, little else. Nothing is cut: what has no room goes on on another page of the
 * slide.
 */
#pragma once

#include "core/report/report.h"
#include "draw/canvas.h"

/* What is looked at. */
typedef struct eb_slide_view {
    size_t slide; /* from 0 */
    int page;     /* of the slide, from 0 */
    bool answer;  /* a question's answer is told */
    bool hint;    /* … its hint */
    bool coarse;  /* the font has no quarters of a cell (draw/console.h) */
} eb_slide_view;

size_t eb_slides_count(const eb_report *report); /* 0: it is no report of slides */

/* Its pages on so many columns and rows, at least one. */
int eb_slide_pages(const eb_report *report, const eb_slide_view *view, bool unicode, int columns, int rows);

/* Draws slide and page, which are kept within those there are. */
void eb_draw_slide(eb_canvas *canvas, eb_rect area, const eb_report *report, eb_slide_view *view);

/* "question", "evidence" or "answer"; "" beyond the last. */
const char *eb_slide_kind(const eb_report *report, size_t slide);
bool eb_slide_has_hint(const eb_report *report, size_t slide);
