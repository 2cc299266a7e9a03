#include "draw/layout.h"

/* Removes `rows` rows from the top, or from the bottom, and returns them. */
static eb_rect off_top(eb_rect *rest, int rows)
{
    eb_rect taken = {rest->x, rest->y, rest->width, rows};
    rest->y += rows;
    rest->height -= rows;
    return taken;
}

static eb_rect off_bottom(eb_rect *rest, int rows)
{
    rest->height -= rows;
    return (eb_rect){rest->x, rest->y + rest->height, rest->width, rows};
}

static int line_rows(const eb_layout_request *request)
{
    int columns = request->line_columns > 0 ? request->line_columns : 1;
    int needed = (columns + request->columns - 1) / request->columns, most = request->rows / 3;
    return needed < most ? needed : most;
}

/* Rows of the message, out of those that it shares with the panel. */
static int message_rows(const eb_layout_request *request, int shared)
{
    int most = shared / 3 < EB_MESSAGE_ROWS ? shared / 3 : EB_MESSAGE_ROWS;
    int wanted = request->message_rows < most ? request->message_rows : most;
    return wanted > 1 ? wanted : 1;
}

eb_layout eb_layout_make(const eb_layout_request *request)
{
    enum { ROWS_WITH_HINTS = 14 };
    eb_rect rest = {0, 0, request->columns, request->rows};
    eb_layout l = {.too_small = request->columns < EB_MIN_COLUMNS || request->rows < EB_MIN_ROWS, .panel = rest};
    if (l.too_small)
        return l;
    l.status = off_top(&rest, 1);
    l.tabs = off_top(&rest, 1);
    l.line = off_bottom(&rest, line_rows(request));
    if (request->rows >= ROWS_WITH_HINTS)
        l.hints = off_bottom(&rest, 1);
    l.message = off_bottom(&rest, message_rows(request, rest.height));
    l.panel = rest;
    if (request->two_panels && request->columns >= EB_WIDE) {
        l.panel.width = rest.width / 2;
        l.second = (eb_rect){rest.x + l.panel.width, rest.y, rest.width - l.panel.width, rest.height};
    }
    return l;
}
