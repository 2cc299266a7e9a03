/* lookup_report: look-up tables in shared memory by the bytes of an entry: conflicts and occupancy, by the model. */
#ifndef EB_SHELL_LAB_LOOKUP_REPORT_H
#define EB_SHELL_LAB_LOOKUP_REPORT_H

#include "core/model/machine.h"
#include "core/report/report.h"

/* Of m subspaces, by blocks of so many threads. */
void eb_report_lookup(eb_report *report, const eb_machine *machine, unsigned m, unsigned threads);

#endif
