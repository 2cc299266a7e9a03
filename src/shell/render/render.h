/* render: writes a report as text, JSON, CSV or Markdown to a stream. Width and colour are arguments and do not depend
 * on the locale or the terminal.
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

#include "shell/render/parts.h"

eb_code eb_render(FILE *out, const eb_report *report, const eb_render_options *options, eb_status *status);

/* Writes an error: "epsbench: COMMAND: message" to `err`, or in JSON a document to `out`. */
void eb_render_error(FILE *out, FILE *err, const char *command, const eb_status *failure, eb_mode mode);
