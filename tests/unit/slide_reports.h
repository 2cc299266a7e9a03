/* slide_reports: a small but awkward report of slides like those of the lessons (shell/lessons/slides.h): a choice, a
 * number, a table too wide and too long, a transposed table, a plot. Header-only. */
#pragma once

#include <string.h>

#include <stdio.h>

#include "core/report/report.h"
#include "tests/unit/named.h"

enum { SR_SLIDES = 6, SR_ROWS = 40, SR_COLUMNS = 12 };

static inline eb_record *sr_slide(eb_report *r, unsigned number, const char *kind, const char *heading, unsigned step)
{
    char key[40], title[120];
    (void)snprintf(key, sizeof key, "slide_%u", number);
    (void)snprintf(title, sizeof title, "%u of %d: %s", number, (int)SR_SLIDES, heading);
    eb_record *record = eb_report_record(r, EB_KEY(key), title);
    eb_report_page(r);
    eb_record_field(record, EB_NAMED("kind", NULL, EB_IDENTITY), eb_text(kind));
    eb_record_field(record, EB_NAMED("heading", NULL, EB_IDENTITY), eb_text(heading));
    eb_record_field(record, EB_NAMED("step", NULL, EB_PLAIN), eb_uint(step));
    eb_record_field(record, EB_NAMED("steps", NULL, EB_PLAIN), eb_uint(2));
    return record;
}

static inline void sr_field(eb_record *record, const char *key, const char *text)
{
    const bool hidden = strcmp(key, "right") == 0 || strcmp(key, "hint") == 0;
    eb_record_field(record, EB_NAMED(key, hidden ? NULL : key, EB_IDENTITY), eb_text(text));
}

static inline void sr_tables(eb_report *r)
{
    char text[40], keys[SR_COLUMNS][8];
    eb_table *wide = eb_report_table(r, EB_KEY("slide_2_wide"), "Wide and long");
    for (int c = 0; c < SR_COLUMNS; c++) {
        (void)snprintf(keys[c], sizeof keys[c], "col%02d", c);
        eb_table_column(wide, EB_NAMED(keys[c], keys[c], EB_IDENTITY));
    }
    for (int row = 0; row < SR_ROWS; row++) {
        eb_value cell[SR_COLUMNS];
        char texts[SR_COLUMNS][40];
        for (int c = 0; c < SR_COLUMNS; c++) {
            (void)snprintf(text, sizeof text, c == 0 ? "row%02d" : "cell-%02d-%02d", row, c);
            (void)snprintf(texts[c], sizeof texts[c], "%s", text);
            cell[c] = eb_text(texts[c]);
        }
        eb_table_row(wide, cell, SR_COLUMNS);
    }
    eb_table *turned = eb_report_table(r, EB_KEY("slide_3_turned"), "Turned");
    for (int c = 0; c < SR_COLUMNS; c++) {
        (void)snprintf(text, sizeof text, "line%02d", c);
        eb_table_column(turned, EB_NAMED(text, text, EB_IDENTITY));
    }
    eb_value one[SR_COLUMNS];
    for (int c = 0; c < SR_COLUMNS; c++)
        one[c] = eb_text(keys[c]);
    eb_table_row(turned, one, SR_COLUMNS);
    eb_table_turn(turned);
}

/* Six slides of two steps: a choice with all its evidence, then a number. */
static inline eb_report *sr_report(void)
{
    static const double x[] = {1, 2, 3}, y[] = {1, 4, 9};
    eb_report *r = eb_report_new("lesson");
    eb_report_field(r, EB_NAMED("lesson", "lesson", EB_IDENTITY), eb_text("A lesson of ε"));
    eb_report_field(r, EB_NAMED("slides", NULL, EB_PLAIN), eb_uint(SR_SLIDES));
    eb_record *s = sr_slide(r, 1, "question", "Far from ε", 1);
    sr_field(s, "given", "Something is given here, in a sentence that is long enough to be broken on a narrow screen.");
    sr_field(s, "question", "Which of them is it?");
    sr_field(s, "a", "the first");
    sr_field(s, "b", "the second, which takes some more words than one line of a narrow screen has room for");
    sr_field(s, "right", "b");
    sr_field(s, "hint", "A hint helps.");
    s = sr_slide(r, 2, "evidence", "Far from ε", 1);
    sr_field(s, "run", "tune S=16");
    sr_field(s, "evidence", "counted");
    const size_t first = r->items;
    sr_tables(r);
    eb_series *series =
        eb_report_series(r, EB_KEY("slide_2_curve"), "A curve", EB_LINE, sizeof x / sizeof *x, x, y, NULL, NULL);
    eb_series_axes(series, EB_NAMED("x", "ex", EB_PLAIN), false, EB_NAMED("y", "why", EB_PLAIN), false);
    eb_report_rename(r, first, EB_KEY("slide_2_item"));
    s = sr_slide(r, 3, "answer", "Far from ε", 1);
    sr_field(s, "right", "b");
    sr_field(s, "expected", "b: the second");
    sr_field(s, "why", "Because it is so.");
    s = sr_slide(r, 4, "question", "One switch: a heading of many words", 2);
    sr_field(s, "question", "How many are they?");
    sr_field(s, "right", "1.5");
    s = sr_slide(r, 5, "evidence", "One switch: a heading of many words", 2);
    sr_field(s, "run", "info");
    s = sr_slide(r, 6, "answer", "One switch: a heading of many words", 2);
    sr_field(s, "right", "1.5");
    sr_field(s, "expected", "1.5");
    sr_field(s, "run", "info; tune S=32");
    sr_field(s, "why", "So it was computed.");
    return r;
}
