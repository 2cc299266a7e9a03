/* command_text: command lines that panels derive from reports. */
#pragma once

#include "core/report/report.h"

/* The line that repeats a run, from the report of `show`: the run's command, with the run's ε where the command took
 * the session's. A command that loads or makes the points comes before it, unless sha256, the hash of the loaded points
 * (NULL: unknown), is that of the run's points. On the heap; NULL if the report lacks the values, or out of memory. */
char *eb_rerun_line(const eb_report *show, const char *sha256);
