/* layout: the rectangles of the workbench's parts, as a pure function of the terminal's size and of the parts' wishes.
 * No curses, no canvas: a test calls it for every size from 1×1 to 300×300.
 *
 *   ┌ status line ─────────────────────────────────┐ 1 row: dataset, ε, S, device, clock, power, session
 *   │ tabs: 1 Data  2 Tune  …                      │ 1 row
 *   │ panel            │ second panel              │ side by side from EB_WIDE columns up, when asked for
 *   │ message, or progress of the running command  │ 1 row, more for a long message (at most EB_MESSAGE_ROWS)
 *   │ key hints                                    │ 1 row; the first to be left out when rows are scarce
 *   │ prompt> command line                         │ 1 row, more when the line is long (at most a third of the rows)
 *   └──────────────────────────────────────────────┘
 *
 * The rectangles lie inside the screen and never overlap; a part without room is empty.
 */
#pragma once

#include "draw/canvas.h"

enum { EB_MIN_COLUMNS = 40, EB_MIN_ROWS = 10, EB_WIDE = 140, EB_MESSAGE_ROWS = 5 };

typedef struct eb_layout_request {
    int columns, rows;
    int line_columns; /* columns of the prompt and the typed text */
    bool two_panels;  /* true if a second panel is wanted */
    int message_rows; /* rows of the message at this width; the panel keeps two thirds of the rows left */
} eb_layout_request;

typedef struct eb_layout {
    bool too_small; /* smaller than EB_MIN_*: only `panel` (the whole screen) is set, for the sentence that says so */
    eb_rect status, tabs, panel, second, message, hints, line;
} eb_layout;

eb_layout eb_layout_make(const eb_layout_request *request);
