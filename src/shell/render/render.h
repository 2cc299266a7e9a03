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
#pragma once

#include "shell/render/parts.h"

eb_code eb_render(FILE *out, const eb_report *report, const eb_render_options *options, eb_status *status);

/* An error: text modes print "epsbench: COMMAND: message" to `err`, JSON prints its document to `out`. */
void eb_render_error(FILE *out, FILE *err, const char *command, const eb_status *failure, eb_mode mode);
