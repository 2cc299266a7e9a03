/* machine_report: reports the GPUs that the machine model knows, and where their limits are from. */
#pragma once

#include "core/model/machine.h"
#include "core/report/report.h"

void eb_report_machines(eb_report *report, const eb_machine *machines, size_t count);
/* Rates and limits of one. */
void eb_report_rates(eb_report *report, const eb_machine *machine);

/* Where a limit is from; n/a: unknown. */
eb_value eb_source_of(const eb_machine *machine, eb_machine_limit limit);
