/* run_memory: the memory chart of a run that is in the log. */
#ifndef EB_SHELL_LAB_RUN_MEMORY_H
#define EB_SHELL_LAB_RUN_MEMORY_H

#include "core/report/report.h"

/* shown: what the log knows of the run (`show`). Bytes are its counters', and the machine model's where nothing was
 * counted and the model knows engine and GPU; rates are over its kernels' median time. Says in notes which are which;
 * nothing where neither knows any. */
void eb_report_run_memory(const eb_report *shown, eb_report *report);

#endif
