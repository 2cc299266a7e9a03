/* render: writes a report as text, JSON, CSV, Markdown or a part of an HTML page to a stream. Width and colour are
 * arguments and do not depend on the locale or the terminal.
 *
 * JSON: one document per report on one line: {"schema":"epsbench/1","command":…,"ok":true,"data":{…},"notes":[…]}, with
 * "conclusion":… if the report has one; an error is
 * {"schema":"epsbench/1","command":…,"ok":false,"error":{"code":…,"message":…}}. In data a field is a member, a record
 * an object, a table an array of objects, a series an object of arrays (the named axes, a heat map's values, "low",
 * "high", "mark", "under", "over"), and raw text such as help a string "text". A record and a series with the same key
 * are one object. Reals have 17 significant digits; an integer beyond int64 is written as a real.
 *
 * CSV (RFC 4180, CRLF): a report of a single table or series is a header of keys and its rows, nothing else. Any other
 * report has sections, each after a line with its key and separated by an empty line; fields, members of records
 * ("record.key") and notes come first, as lines key,value.
 */
#pragma once

#include <stdio.h>

#include "draw/console.h"
#include "draw/format.h"
#include "draw/grid.h"
#include "shell/session.h"

typedef struct eb_render_options {
    eb_mode mode;
    unsigned width; /* columns of the terminal; 0: unlimited (a pipe) */
    bool unicode;   /* text mode: UTF-8 in plots and units, else ASCII; the other modes always write UTF-8 */
    bool console;   /* with unicode: only characters of a Linux console's font */
    bool colour;
    const eb_status *failure; /* JSON: why the command ended early, written as "error" beside the partial results; NULL:
                                 it succeeded */
} eb_render_options;

eb_code eb_render(FILE *out, const eb_report *report, const eb_render_options *options, eb_status *status);

/* Writes an error: "epsbench: COMMAND: message" to `err`, or in JSON a document to `out`. */
void eb_render_error(FILE *out, FILE *err, const char *command, const eb_status *failure, eb_mode mode);

/* A report as a part of a document: headings have this level (1 to 6), tables have units in their titles where a
 * column's numbers share one, and the conclusion is left out, since the document shows it. In HTML, pictures are SVG
 * (draw/figure) and all texts are escaped. */
eb_code eb_render_markdown_part(FILE *out, const eb_report *report, unsigned level, eb_status *status);
eb_code eb_render_html_part(FILE *out, const eb_report *report, unsigned level, eb_status *status);

/* Text of a document outside reports. Control characters become U+FFFD. */
void eb_put_markdown_text(FILE *out, const char *text); /* with Markdown's special characters escaped */
void eb_put_html_text(FILE *out, const char *text);     /* also fit for the value of an attribute in double quotes */

/* Writes a sentence whose lines to type stand in backticks: `code` writes these, `plain` the rest. A text with an odd
 * number of backticks is all plain. Both escape what they are given. */
void eb_put_sentence(FILE *out, const char *text, void (*plain)(FILE *, const char *),
                     void (*code)(FILE *, const char *));

/* A line of a document as code. */
void eb_put_markdown_code(FILE *out, const char *line);
void eb_put_html_code(FILE *out, const char *line);

/* Number of backticks that enclose this text in Markdown: one more than it has in a row. */
int eb_markdown_ticks(const char *text);
void eb_put_ticks(FILE *out, int count);

/* ---- shared by the renderers, private to this folder ---- */

eb_code eb_render_text(FILE *out, const eb_report *report, const eb_render_options *options, eb_status *status);
eb_code eb_render_json(FILE *out, const eb_report *report, const eb_status *failure, eb_status *status);
void eb_render_csv(FILE *out, const eb_report *report);
eb_code eb_render_markdown(FILE *out, const eb_report *report, eb_status *status);

void eb_render_json_error(FILE *out, const char *command, const eb_status *failure);

enum { EB_PLOT_WIDTH = 80 }; /* of drawings if the width is unlimited */

/* True for series, and for tables that are shown as pictures (report.h) and have rows. */
bool eb_is_drawn(const eb_item *item);

/* Writes the canvas in a terminal's font and frees it. */
eb_code eb_put_canvas(FILE *out, eb_canvas *canvas, eb_font font, eb_status *status);

/* Draws such an item, at most `width` characters wide. */
eb_code eb_put_drawing(FILE *out, const eb_item *item, unsigned width, eb_font font, eb_status *status);

/* Draws a series as a plot of at most width × height characters plus a title line and a legend: bars are horizontal, of
 * block characters; lines and points are braille dots with axes; half blocks on a console, '#' and '*' in ASCII. */
eb_code eb_put_series(FILE *out, const eb_series *series, unsigned width, unsigned height, eb_font font,
                      eb_status *status);
