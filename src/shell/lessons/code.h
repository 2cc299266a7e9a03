/* code: shows a function of a kernel in kernels/ladder, for the lines `code FILE FUNCTION` of lessons. */
#pragma once

#include "core/base/status.h"
#include "core/report/report.h"

/* Adds the table "code" with the columns row, the line's number in the file, and text. It is drawn as a listing
 * (EB_AS_CODE). The lines are the function's, with the comment above it. title NULL: names the function and the file.
 * EB_USAGE, naming what there is, if no such file or function exists. */
eb_code eb_code_show(const char *file, const char *function, const char *title, eb_report *report, eb_status *status);

/* Like eb_code_show, for a text in memory. */
eb_code eb_code_show_text(const char *text, const char *file, const char *function, const char *title,
                          eb_report *report, eb_status *status);
