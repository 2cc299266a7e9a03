/* history: the REPL's lines, kept between sessions in $XDG_STATE_HOME/epsbench/history, at most EB_HISTORY_LINES of
 * them. Lines of a program running meanwhile are not lost: the file is read again before it is replaced.
 */
#pragma once

#include "core/base/status.h"

#define EB_HISTORY_LINES 2000

/* Reads the file into readline's history. A missing one is fine; what is no file of a history is left alone, also by
 * eb_history_save. */
eb_code eb_history_load(eb_status *status);

/* Adds a line, unless it is blank or repeats the one before. */
void eb_history_add(const char *line);

/* Writes the file by temporary file and rename. A file that cannot be written leaves the old one: history is no
 * reason to trouble a person who is leaving. */
void eb_history_save(void);
