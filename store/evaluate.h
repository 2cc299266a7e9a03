/* evaluate: SQL expressions over what a report holds, for texts that state numbers. Nothing of the session log: the
 * tables live in memory.
 *
 * Each table, series and record of the report taken last is an SQL table of its key, with its columns' keys; the fields
 * are the one row of `report`. Booleans are 0 and 1, n/a is NULL. Named values are parameters: :lost.
 */
#pragma once

#include "core/base/job.h"
#include "core/report/report.h"

typedef struct eb_evaluator eb_evaluator;

eb_code eb_evaluator_new(eb_evaluator **out, eb_status *status);
void eb_evaluator_free(eb_evaluator *evaluator); /* NULL is fine */

/* In place of the report before. */
eb_code eb_evaluator_take(eb_evaluator *evaluator, const eb_report *report, eb_status *status);

/* A named value, in place of one of that name. */
eb_code eb_evaluator_set(eb_evaluator *evaluator, const char *name, eb_value value, eb_status *status);

/* What `text`, an expression or a SELECT, is worth: the first column of its first row; EB_NA where there is no row. A
 * text stays valid until the next call. EB_USAGE with SQLite's complaint, or naming a value that is not set. The job
 * (may be NULL) is looked at for a cancel. */
eb_code eb_evaluator_get(eb_evaluator *evaluator, const char *text, eb_value *out, eb_job *job, eb_status *status);
