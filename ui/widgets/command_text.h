/* command_text: command lines that panels make out of reports. */
#pragma once

#include "core/report/report.h"

/* The line that repeats a run, from what `show` reports of it: its command, at its ε where the command left ε to the
 * session. Before it, unless sha256 (NULL: unknown) is that of the run's points, what loads or makes them. Heap; NULL:
 * the report does not say enough, or out of memory. */
char *eb_rerun_line(const eb_report *show, const char *sha256);
