/* conclude: the sentence that ends a finished command's report, made from the report's own numbers. Handlers that know
 * more say it themselves; a command that is not in the list needs none: its output is the answer.
 */
#pragma once

#include "core/experiment/compare.h"
#include "core/report/report.h"

/* Leaves a report alone that has a conclusion, or lacks the numbers that its sentence is made of. */
void eb_conclude(eb_report *report);

/* How many of the reference's pairs run k kept, and who was faster where that is known. With more than two runs, what
 * each kept, unless `alone`. */
void eb_conclude_comparison(eb_report *report, const eb_comparison *comparison, size_t k, bool alone);

/* A note where rounding decides pairs that all lie at ε, with an ε for which it does not. */
void eb_note_ties(eb_report *report, const eb_comparison *comparison, size_t k);
