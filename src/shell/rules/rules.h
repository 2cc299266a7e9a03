/* rules: what a report means, by rules that are data (run.rules has the form): conditions over its numbers, each with
 * what it says, why its threshold is there, and what to try.
 */
#pragma once

#include "core/base/job.h"
#include "core/report/report.h"

/* A rule that holds. Texts are heap. */
typedef struct eb_finding {
    char *rule;
    double worth; /* share of the end-to-end time it is about, 0–1 */
    char *says, *limit, *advice;
} eb_finding;

typedef struct eb_findings {
    eb_finding *finding; /* worth most first */
    size_t count, rules; /* of how many rules */
} eb_findings;

/* The rules of run.rules. */
extern const char eb_run_rules[];

/* What holds of the report of `show N` (store/store.h). A table that it lacks is empty to rules. EB_USAGE where a rule
 * cannot be read, with its line. */
eb_code eb_findings_make(const char *rules, eb_report *shown, eb_findings *out, eb_job *job, eb_status *status);
void eb_findings_free(eb_findings *findings); /* frees what it holds */
