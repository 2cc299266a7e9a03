/* comparison: the sentence that a comparison ends with, and what is said where its pairs tie at ε. */
#ifndef EB_SHELL_CONCLUDE_COMPARISON_H
#define EB_SHELL_CONCLUDE_COMPARISON_H

#include "core/experiment/compare.h"
#include "core/report/report.h"

/* How many of the reference's pairs run k kept, and who was faster where that is known. With more than two runs, what
 * each kept, unless `alone`. */
void eb_conclude_comparison(eb_report *report, const eb_comparison *comparison, size_t k, bool alone);

/* A note where rounding decides pairs that all lie at ε, with an ε for which it does not. */
void eb_note_ties(eb_report *report, const eb_comparison *comparison, size_t k);

#endif
