/* bars: times of runs that answered the same question (document.h), as bars: a chart for each question that several
 * runs answered. */
#pragma once

#include <stdio.h>

#include "core/base/status.h"
#include "core/report/report.h"

enum { EB_MOST_CHARTS = 8, EB_MOST_BARS = 24 }; /* what is beyond stands in the table of runs */

eb_code eb_bars_markdown(const eb_table *runs, FILE *out, eb_status *status); /* characters in blocks of text */
eb_code eb_bars_html(const eb_table *runs, FILE *out, eb_status *status);     /* figures */
