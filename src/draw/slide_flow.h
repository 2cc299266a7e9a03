/* slide_flow: parts one below the other over the pages of an area. Drawing and measuring are the same walk: only what
 * is on the wanted page is drawn, nothing where there is no canvas.
 */
#pragma once

#include "core/report/report.h"
#include "draw/large.h"

typedef struct eb_flow {
    eb_canvas *canvas; /* NULL: only measured */
    bool unicode;      /* the canvas's */
    eb_rect area;      /* of a page */
    int page;          /* the one that is drawn */
    int at, y;         /* where the next part goes: its page, its row */
    int gap;           /* the row behind the last gap */
} eb_flow;

/* Pages that were begun, at least one. */
static inline int eb_flow_pages(const eb_flow *flow) { return flow->at + 1; }

/* Text broken at blanks; its lines begin at column x, before the first one stands `mark` (NULL: nothing). */
void eb_flow_text(eb_flow *flow, eb_role role, int x, const char *mark, eb_role mark_role, const char *text);

/* The same in large letters, an empty row between lines, which stay whole; how many lines that are. */
int eb_flow_large_lines(const eb_flow *flow, eb_large size, const char *text);
void eb_flow_large(eb_flow *flow, eb_role role, eb_large size, const char *text);

void eb_flow_gap(eb_flow *flow); /* an empty row, but not at the top of a page, nor two */

void eb_flow_keep(eb_flow *flow, int rows); /* what comes is on one page, as far as it has so many */

/* "title  value"; nothing of a field that people do not see. */
void eb_flow_field(eb_flow *flow, const eb_field *field);

/* A table's columns in as many strips as the width asks for, the first column in each; rows over pages, titles on each.
 */
void eb_flow_table(eb_flow *flow, const eb_table *table);

/* As high as there is room, on one page. */
void eb_flow_series(eb_flow *flow, const eb_series *series);
