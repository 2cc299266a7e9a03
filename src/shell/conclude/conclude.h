/* conclude: the sentence that ends a finished command's report, made from the report's own numbers. Handlers that know
 * more say it themselves (eb_report_conclude); commands that are not in the list need none: their output is the answer.
 */
#ifndef EB_SHELL_CONCLUDE_CONCLUDE_H
#define EB_SHELL_CONCLUDE_CONCLUDE_H

#include "core/report/report.h"

/* Leaves a report alone that has a conclusion, or lacks what its sentence would be of. */
void eb_conclude(eb_report *report);

/* What it knows, by command (each in the file named after its commands' group). */
void eb_conclude_tune(eb_report *report);

#endif
