/* slide_flow: places parts one below the other on the pages of an area. The same pass draws and measures: it draws only
 * the wanted page, and nothing without a canvas. */
#pragma once

#include "core/report/report.h"
#include "draw/large.h"

typedef struct eb_flow {
    eb_canvas *canvas; /* NULL: only measure */
    bool unicode;      /* the canvas's */
    eb_rect area;      /* area of a page */
    int page;          /* index of the page to draw */
    int at, y;         /* page and row of the next part */
    int gap;           /* row after the last gap */
} eb_flow;

static inline int eb_flow_pages(const eb_flow *flow) { return flow->at + 1; }

/* Places text broken at blanks. Its lines begin at column x; `mark` (NULL: none) stands before the first line. */
void eb_flow_text(eb_flow *flow, eb_role role, int x, const char *mark, eb_role mark_role, const char *text);

/* The number of lines of a text in large letters; and the same text placed, with an empty row between lines. A large
 * line is never split over pages. */
int eb_flow_large_lines(const eb_flow *flow, eb_large size, const char *text);
void eb_flow_large(eb_flow *flow, eb_role role, eb_large size, const char *text);

void eb_flow_gap(eb_flow *flow); /* adds an empty row, except at the top of a page or after a gap */

void eb_flow_keep(eb_flow *flow, int rows); /* goes to the next page unless `rows` rows are left */

/* Places "title  value"; nothing if people do not see the field. */
void eb_flow_field(eb_flow *flow, const eb_field *field);

/* Places a table in strips as wide as the area, the first column in each. Rows are split over pages, with titles on
 * each page. */
void eb_flow_table(eb_flow *flow, const eb_table *table);

/* Places a picture on one page, as high as there is room. */
void eb_flow_series(eb_flow *flow, const eb_series *series);
