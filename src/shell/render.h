/* render: a report as text, JSON, CSV or Markdown, into a stream. Pure: width and colour are arguments.
 *
 * JSON: one document per report on one line: {"schema":"epsbench/1","command":…,"ok":true,"data":{…},"notes":[…]}; an error:
 * {"schema":"epsbench/1","command":…,"ok":false,"error":{"code":…,"message":…}}. Tables are arrays of objects, series
 * objects of arrays.
 */
#ifndef EB_SHELL_RENDER_H
#define EB_SHELL_RENDER_H

#include <stdio.h>

#include "core/report.h"
#include "core/status.h"
#include "shell/session.h"

typedef struct eb_render_options {
    eb_mode mode;
    unsigned width;  /* columns of the terminal; 0: unlimited (a pipe) */
    bool unicode;    /* block characters in plots; else ASCII */
    bool colour;
} eb_render_options;

eb_code eb_render(FILE *out, const eb_report *report, const eb_render_options *options, eb_status *status);

/* An error: text modes print "epsbench: COMMAND: message" to `err`, JSON prints its document to `out`. */
void eb_render_error(FILE *out, FILE *err, const char *command, const eb_status *failure, eb_mode mode);

/* A value as people read it: "12.3 ms", "1,048,576", "n/a". Returns buffer. */
char *eb_format_value(char *buffer, size_t size, eb_value value, eb_unit unit);

#endif
