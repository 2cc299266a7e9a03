/* rules: finds what limited a run by the rules of a text (run.rules describes the format). A rule is a condition on the
 * report's numbers with a finding, the reason for its threshold, and advice.
 */
#pragma once

#include "core/base/job.h"
#include "core/report/report.h"

/* A rule that holds. Texts are heap. */
typedef struct eb_finding {
    char *rule;
    double worth; /* the largest share of the end-to-end time that the advice can save, 0–1 */
    char *says, *limit, *advice;
} eb_finding;

typedef struct eb_findings {
    eb_finding *finding; /* the greatest worth first */
    size_t count, rules; /* rules that hold, rules tested */
} eb_findings;

/* The rules of run.rules. */
extern const char eb_run_rules[];

/* Tests all rules on the report of `show N` (store/store.h), to which empty tables are added where it lacks them.
 * EB_USAGE with the line's number if a rule cannot be read. */
eb_code eb_findings_make(const char *rules, eb_report *shown, eb_findings *out, eb_job *job, eb_status *status);
void eb_findings_free(eb_findings *findings); /* frees the members */
