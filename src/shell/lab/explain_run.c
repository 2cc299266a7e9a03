/* What limited a run, by rules. */
#include "shell/lab/explain_run.h"

#include <stdio.h>

#include "core/report/find.h"
#include "shell/lab/run_memory.h"
#include "shell/rules/rules.h"

static void put_finding(eb_report *report, const eb_finding *f, size_t place)
{
    char title[96];
    (void)snprintf(title, sizeof title, "%zu. %s", place, f->rule);
    eb_record *record = eb_report_record(report, f->rule, title);
    eb_record_field(record, "worth", "of end to end", EB_PERCENT, eb_real(f->worth));
    eb_record_field(record, "says", "found", EB_IDENTITY, eb_text(f->says));
    eb_record_field(record, "limit", "threshold", EB_IDENTITY, eb_text(f->limit));
    eb_record_field(record, "try", "try", EB_IDENTITY, eb_text(f->advice));
}

static void put_run(const eb_report *shown, eb_report *report)
{
    static const struct {
        const char *key, *title;
        eb_unit unit;
    } told[] = {{"run", "run", EB_IDENTITY},
                {"spec", "engine", EB_IDENTITY},
                {"device", "device", EB_IDENTITY},
                {"dataset", "dataset", EB_IDENTITY},
                {"kernel_s", "kernels, median", EB_SECONDS},
                {"total_s", "end to end, median", EB_SECONDS}};
    for (size_t k = 0; k < sizeof told / sizeof *told; k++)
        eb_report_field(report, told[k].key, told[k].title, told[k].unit, eb_report_find_field(shown, told[k].key));
}

static void put_notes(const eb_report *shown, const eb_findings *findings, eb_report *report)
{
    const eb_table *counters = eb_report_find_table(shown, "counters");
    const eb_value device = eb_report_find_field(shown, "device"), spec = eb_report_find_field(shown, "spec");
    eb_report_note(report, "%zu of %zu rules hold; what each is about is its greatest worth", findings->count,
                   findings->rules);
    if (device.kind == EB_TEXT && device.as.text[0] == 'c' && device.as.text[1] == 'u' && counters->rows == 0)
        eb_report_note(report,
                       "nothing was counted in this run: `counters %s` reads the hardware's counters, and more rules "
                       "can be tried",
                       spec.kind == EB_TEXT ? spec.as.text : "ENGINE");
}

static eb_code put_findings(eb_report *shown, eb_report *report, eb_job *job, eb_status *status)
{
    eb_findings findings;
    put_run(shown, report);
    if (eb_report_find_field(shown, "total_s").kind == EB_NA)
        return eb_fail(status, EB_NOT_FOUND, "the run has no trial that ended");
    EB_TRY(eb_findings_make(eb_run_rules, shown, &findings, job, status));
    for (size_t k = 0; k < findings.count; k++)
        put_finding(report, &findings.finding[k], k + 1);
    put_notes(shown, &findings, report);
    eb_report_run_memory(shown, report);
    eb_findings_free(&findings);
    return EB_OK;
}

eb_code eb_explain_run(const eb_session *session, int64_t run, eb_report *report, eb_job *job, eb_status *status)
{
    EB_TRY(eb_session_need_log(session, status));
    if (run == 0)
        EB_TRY(eb_store_last_run(session->store, session->session_row, &run, status));
    eb_report *shown = eb_report_new("show");
    if (!shown)
        return eb_fail_memory(status, "a report", sizeof *shown);
    eb_code failed = eb_store_show(session->store, run, shown, status);
    if (!failed)
        failed = put_findings(shown, report, job, status);
    eb_report_free(shown);
    return failed;
}
