/* rates_report: rates over n × d as a report: a heat map for each engine, curves over d beneath the limits, the cells.
 */
#ifndef EB_SHELL_LAB_RATES_REPORT_H
#define EB_SHELL_LAB_RATES_REPORT_H

#include "core/experiment/rates.h"
#include "core/report/report.h"

/* Of a map's cells without a rate, and of those with one (report.h, EB_HEAT). */
#define EB_RATE_MARKS                                                                                                  \
    {[EB_RATE_WAITING] = '.',                                                                                          \
     [EB_RATE_MEASURED] = 'm',                                                                                         \
     [EB_RATE_KNOWN] = 'k',                                                                                            \
     [EB_RATE_LONG] = '>',                                                                                             \
     [EB_RATE_REFUSED] = 'x'}

/* Also while cells are still to come. */
void eb_report_rates(eb_report *report, const eb_rates *rates);

#endif
