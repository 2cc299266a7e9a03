/* rates_report: rates over n × d as a report: a heat map for each engine, curves over d beneath the limits, the cells.
 */
#pragma once

#include "core/experiment/experiment.h"
#include "core/report/report.h"

/* Of a map's cells without a rate, and of those with one (report.h, EB_HEAT). */
#define EB_RATE_MARKS                                                                                                  \
    {[EB_CELL_WAITING] = '.',                                                                                          \
     [EB_CELL_MEASURED] = 'm',                                                                                         \
     [EB_CELL_KNOWN] = 'k',                                                                                            \
     [EB_CELL_LONG] = '>',                                                                                             \
     [EB_CELL_REFUSED] = 'x'}

/* Of the axes n and d; also while cells are still to come. */
void eb_report_rates(eb_report *report, const eb_experiment *e);
