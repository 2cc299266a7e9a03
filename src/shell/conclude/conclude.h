/* conclude: the sentence that ends a finished command's report, made from the report's own numbers. Handlers that know
 * more say it themselves (comparison.h); a command that is not in the list needs none: its output is the answer.
 */
#ifndef EB_SHELL_CONCLUDE_CONCLUDE_H
#define EB_SHELL_CONCLUDE_CONCLUDE_H

#include "core/report/report.h"

/* Leaves a report alone that has a conclusion, or lacks the numbers that its sentence is made of. */
void eb_conclude(eb_report *report);

#endif
