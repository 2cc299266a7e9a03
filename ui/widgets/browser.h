/* browser: the tables of reports as lists, one at a time: those of a panel, newest report first, or those of one
 * report. Each is sorted, filtered and scrolled as every list is (list_view.h), and a row offers the command that goes
 * on with it.
 */
#pragma once

#include "ui/desk.h"
#include "ui/widgets/list_view.h"

typedef struct eb_browser {
    eb_desk *desk;
    const char *panel;           /* the reports of this panel's commands … */
    const eb_report *report;     /* … or this one. Not owned */
    char command[32], table[48]; /* the shown table: its report's command, and its key */
    eb_list list;
} eb_browser;

/* Shows the tables of the panel's reports, or, with panel NULL, of `report`. False: there is none. eb_browser_close
 * frees. */
bool eb_browser_open(eb_browser *browser, eb_desk *desk, const char *panel, const eb_report *report);
void eb_browser_close(eb_browser *browser);

/* Shows the first table of the command's report that can be arranged so. EB_USAGE: none can. */
eb_code eb_browser_arrange(eb_browser *browser, const char *command, const eb_arrangement *wanted, eb_status *status);

/* True if the report has a table that can be listed. */
bool eb_has_lists(const eb_report *report);
/* True if a report of the panel has one. */
bool eb_panel_has_lists(const eb_desk *desk, const char *panel);

/* Draws the list and, on the row below the area, its keys. */
void eb_browser_draw(eb_browser *browser, eb_canvas *canvas, eb_rect area, eb_rect hints);

typedef enum eb_browsed { EB_BROWSE_UNUSED, EB_BROWSE_USED, EB_BROWSE_LEAVE } eb_browsed;
/* Keys of the list; Tab shows the next table, Enter puts the row's command on the command line. EB_BROWSE_LEAVE: the
 * list is to be closed. */
eb_browsed eb_browser_key(eb_browser *browser, eb_key key, eb_rect area);
