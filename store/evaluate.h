/* evaluate: evaluates SQL expressions over a report, for lesson texts and rules that state numbers. The tables are in
 * memory; the session log is not involved.
 *
 * Each table, series and record of the last report taken is an SQL table named by its key, with the keys as columns.
 * The report's fields are the only row of table `report`. Booleans are 0 and 1, n/a is NULL. Named values are
 * parameters, as :lost.
 */
#pragma once

#include "core/base/job.h"
#include "core/report/report.h"

typedef struct eb_evaluator eb_evaluator;

eb_code eb_evaluator_new(eb_evaluator **out, eb_status *status);
void eb_evaluator_free(eb_evaluator *evaluator); /* NULL is fine */

/* Makes the tables of this report; those of the report before are dropped. */
eb_code eb_evaluator_take(eb_evaluator *evaluator, const eb_report *report, eb_status *status);

/* Sets a named value. Texts are copied. */
eb_code eb_evaluator_set(eb_evaluator *evaluator, const char *name, eb_value value, eb_status *status);

/* Evaluates `text`, an expression or a SELECT: *out is the first column of the first row, or n/a if there is no row. A
 * text in *out stays valid until the next call. EB_USAGE with SQLite's message, or naming a value that is not set. The
 * job (may be NULL) is tested for a cancel. */
eb_code eb_evaluator_get(eb_evaluator *evaluator, const char *text, eb_value *out, eb_job *job, eb_status *status);
