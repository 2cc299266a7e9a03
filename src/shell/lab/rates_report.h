/* rates_report: reports rates over n × d: a heat map for each engine, curves over d with the limits, and all cells. */
#pragma once

#include "core/experiment/experiment.h"
#include "core/report/report.h"

/* Mark of a map's cell, by cell state (report.h, EB_HEAT). */
#define EB_RATE_MARKS                                                                                                  \
    {[EB_CELL_WAITING] = '.',                                                                                          \
     [EB_CELL_MEASURED] = 'm',                                                                                         \
     [EB_CELL_KNOWN] = 'k',                                                                                            \
     [EB_CELL_LONG] = '>',                                                                                             \
     [EB_CELL_REFUSED] = 'x'}

/* Reports an experiment over the axes n and d, also while cells are still missing. */
void eb_report_rates(eb_report *report, const eb_experiment *e);
