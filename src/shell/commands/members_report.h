/* members_report: reports what each device of a team did. */
#pragma once

#include "core/experiment/measure.h"
#include "core/report/report.h"

/* Mean time of the members' kernels over the longest, 0–1: how even their parts were. NAN if the run has no members, or
 * they tell no time. */
double eb_run_evenness(const eb_run *run);

/* Table "members": a row for each device of each run by a team, with its part of the work, times, energy and clock in
 * the last trial. Programs also see the parts of the time that people do not. No table if no run is a team's. */
void eb_report_members(eb_report *report, const eb_run *const *runs, size_t count);
