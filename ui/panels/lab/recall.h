/* recall: the panel Lab's third part: recall against throughput as the FP8 paper draws it, a line for each format of
 * look-up tables with the spread of its trials, from `recall` as it grows point by point, or from the log (`recalls
 * N`). A letter stands at each point, so that lines are told apart without colours.
 */
#pragma once

#include "draw/canvas.h"
#include "ui/desk.h"
#include "ui/terminal/keys.h"

typedef struct eb_recall_view {
    char mark;       /* of the line that is looked at; 0: nobody chose, it is the point with the best recall */
    uint64_t nprobe; /* and which point of it */
    bool table;      /* looked at where only one has room */
    int top;         /* of a list out of the log: its first line shown */
} eb_recall_view;

/* The running experiment's as far as it is, else the newest; NULL: there is none. */
const eb_report *eb_recall_report_of(const eb_desk *desk);

/* When it came, as eb_desk_report_stamp; 0: there is none, ULONG_MAX: it is of an experiment that runs. */
unsigned long eb_recall_stamp(const eb_desk *desk);

/* Curve and table: beside each other where `beside`, below each other where there are rows for it; else the one that
 * the view says. What `recalls` lists or compares is shown as it is. */
void eb_draw_recall(eb_recall_view *view, const eb_report *report, eb_canvas *canvas, eb_rect area, bool beside);

/* ←/→ go along a line, ↑/↓ to another format's point at the same nprobe; a list scrolls. True when it was for them. */
bool eb_recall_key(eb_recall_view *view, const eb_report *report, eb_key key, int height);
