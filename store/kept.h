/* kept: a report as JSON, as the log keeps it, and back. Titles and units are kept with the values, so that a report of
 * an older program reads as it was shown.
 *
 * {"command":…,"dataset":…,"items":[…],"notes":[…],"text":…}: an item has "kind" (field, record, table, series), "key",
 * "title", "page". A field has "unit" and "value"; a record "fields"; a table "columns" and "rows"; a series "shape",
 * the axes "x", "y", "z", each with "key", "title", "unit" and "values", and "low", "high", "mark", "names". null means
 * unknown; integers have no point.
 */
#pragma once

#include "core/base/status.h"
#include "core/report/report.h"

enum {
    EB_KEPT_BYTES = 256 << 10, /* a longer report is not kept */
    EB_KEPT_ROWS = 500,        /* of a table; a note of the kept report says that rows are left out */
    EB_KEPT_POINTS = 500,      /* of a line; a longer one keeps points at even distances, and its last one */
};

/* The report as JSON on the heap; NULL in *text if it is longer than EB_KEPT_BYTES. The conclusion is not in it. */
eb_code eb_kept_write(const eb_report *report, char **text, eb_status *status);

/* The report of such a text; the caller frees it. NULL: out of memory. Items that are not as described are left out,
 * since others may write to the log. */
eb_report *eb_kept_read(const char *text);
