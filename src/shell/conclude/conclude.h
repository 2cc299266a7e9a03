/* conclude: the sentence that ends a command's report, made from the report's own numbers. Some handlers set it
 * themselves because they know more. Commands whose output is already the answer have none.
 */
#pragma once

#include "core/experiment/compare.h"
#include "core/report/report.h"

/* Adds the conclusion of the report's command, unless the report has one or lacks the numbers for it. */
void eb_conclude(eb_report *report);

/* Says which share of the reference's pairs run k kept, and which run was faster if that is clear. With more than two
 * runs it says what each kept, unless `alone` is set. */
void eb_conclude_comparison(eb_report *report, const eb_comparison *comparison, size_t k, bool alone);

/* If several pairs tie at ε, so that rounding decides which are found: adds a note, if possible with an ε that avoids
 * it. */
void eb_note_ties(eb_report *report, const eb_comparison *comparison, size_t k);
