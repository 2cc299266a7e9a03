/* history: the typed lines, at most EB_HISTORY_LINES, kept between sessions in $XDG_STATE_HOME/epsbench/history. The
 * file is read again before it is replaced, so that lines of another running epsbench are not lost.
 */
#pragma once

#include "core/base/status.h"

#define EB_HISTORY_LINES 2000

/* Reads the file into readline's history. A missing file is no error. A file that is not a readable text file is never
 * changed, also not by eb_history_save. */
eb_code eb_history_load(eb_status *status);

/* Adds a line, unless it is blank or repeats the one before. */
void eb_history_add(const char *line);

/* Writes a temporary file and renames it. If that fails the old file stays and nothing is reported, because the program
 * is about to end. */
void eb_history_save(void);
