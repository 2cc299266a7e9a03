/* render: a report as text, JSON, CSV or Markdown, into a stream. Pure: width and colour are arguments, not the
 * locale's or the terminal's.
 *
 * JSON: one document per report on one line: {"schema":"epsbench/1","command":…,"ok":true,"data":{…},"notes":[…]},
 * with "conclusion":… where there is one; an
 * error: {"schema":"epsbench/1","command":…,"ok":false,"error":{"code":…,"message":…}}. Fields are members of data,
 * records objects, tables arrays of objects, series objects of arrays ("low", "high", "mark", "under", "over" beside
 * the named axes, and what a map's cells are worth; a record and a series of one key are one object), help and the like
 * a string "text". Reals have 17 significant digits; an integer beyond int64 is written as a real.
 *
 * CSV (RFC 4180, CRLF): a report of a single table or series is its header of keys and its rows, nothing else. Any
 * other has sections, a line with the section's key before and an empty line between; fields, records' ("record.key")
 * and notes come first as key,value.
 */
#ifndef EB_SHELL_RENDER_RENDER_H
#define EB_SHELL_RENDER_RENDER_H

#include <stdio.h>

#include "core/base/status.h"
#include "core/report/report.h"
#include "draw/console.h"
#include "shell/session.h"

typedef struct eb_render_options {
    eb_mode mode;
    unsigned width; /* columns of the terminal; 0: unlimited (a pipe) */
    bool unicode;   /* block characters in plots, signs in units; else ASCII. Text only: the other forms are UTF-8 */
    bool console;   /* … but no more than a Linux console's font has of them */
    bool colour;
    const eb_status *failure; /* JSON: why the command ended before it was done; its document has "error" beside what
                                 was finished. NULL: it succeeded */
} eb_render_options;

eb_code eb_render(FILE *out, const eb_report *report, const eb_render_options *options, eb_status *status);

/* An error: text modes print "epsbench: COMMAND: message" to `err`, JSON prints its document to `out`. */
void eb_render_error(FILE *out, FILE *err, const char *command, const eb_status *failure, eb_mode mode);

/* A series as a plot of at most width × height characters (plus a title line and a legend): bars across with block
 * characters, lines and points in braille dots with axes; half blocks on a console, '#' and '*' in ASCII. */
eb_code eb_put_series(FILE *out, const eb_series *series, unsigned width, unsigned height, eb_font font,
                      eb_status *status);

/* A table that is seen as a picture (report.h), as high as it is. */
eb_code eb_put_picture(FILE *out, const eb_table *table, unsigned width, eb_font font, eb_status *status);

#endif
