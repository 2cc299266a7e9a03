/* recall: the part of the panel Lab with recall against throughput, drawn as in the FP8 paper: a line for each format
 * of look-up tables, with the spread of its trials. The points come from `recall`, one by one while it runs, or from
 * the log (`recalls N`). Each point is a letter, so that lines differ without colours.
 */
#pragma once

#include "draw/canvas.h"
#include "ui/desk.h"
#include "ui/terminal/keys.h"

typedef struct eb_recall_view {
    char mark;       /* the chosen point's line; 0: none was chosen, which means the point with the best recall */
    uint64_t nprobe; /* the chosen point on that line */
    bool table;      /* where there is room for one only, show the table */
    int top;         /* first line shown of a list from the log */
} eb_recall_view;

/* The running experiment's report so far, or else the newest one; NULL: none. */
const eb_report *eb_recall_report_of(const eb_desk *desk);

/* The stamp of that report, as eb_desk_report_stamp; 0: none; ULONG_MAX: the experiment is running. */
unsigned long eb_recall_stamp(const eb_desk *desk);

/* Draws curve and table: side by side if `beside`, one below the other if there are enough rows, otherwise the one that
 * the view chooses. A list or comparison of `recalls` is drawn as a plain report. */
void eb_draw_recall(eb_recall_view *view, const eb_report *report, eb_canvas *canvas, eb_rect area, bool beside);

/* ←/→ choose the next point on the line, ↑/↓ another format's point of the same nprobe; a list scrolls. True if the key
 * was used. */
bool eb_recall_key(eb_recall_view *view, const eb_report *report, eb_key key, int height);
