/* explain: the command `explain`: how an engine decides one pair of points, or what limited a run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/spec.h"
#include "core/files/state_path.h"
#include "core/report/find.h"
#include "core/report/report.h"
#include "shell/commands/commands.h"
#include "shell/lab/memory_report.h"
#include "shell/radius/resolve.h"
#include "shell/rules/rules.h"
#include "shell/session.h"

/* ---- a run's memory ---- */

static size_t size_of(const eb_report *shown, const eb_column *key)
{
    const double value = eb_number_of(shown, key);
    return value > 0 ? (size_t)value : 0;
}

/* False: the model does not know the run's kernel or GPU. */
static bool model_run(const eb_report *shown, const eb_machine *machine, eb_memory *out)
{
    eb_spec spec;
    eb_kernel_plan plan;
    eb_prediction prediction;
    const size_t n = size_of(shown, EB_F(n)), d = size_of(shown, EB_F(d));
    const double clock_hz = eb_number_of(shown, EB_F(sm_clock_hz));
    const double selectivity = eb_number_of(shown, EB_F(selectivity));
    if (!machine || n < 2 || d == 0 || eb_spec_parse(eb_text_of(shown, EB_F(spec)), NULL, &spec, NULL) ||
        !spec.engine->plan || spec.engine->plan(&spec.options, n, d, machine, &plan, NULL))
        return false;
    plan.selectivity = isnan(selectivity) ? plan.selectivity : selectivity;
    if (eb_predict(&plan, machine, isnan(clock_hz) ? 0 : clock_hz, NULL, &prediction, NULL))
        return false;
    *out = eb_memory_of_model(&plan, machine, &prediction);
    return true;
}

static bool find_model(const eb_report *shown, eb_memory *out)
{
    char path[4096];
    eb_machine *machines;
    size_t count;
    const char *gpu = eb_value_text(eb_record_find(eb_report_find_record(shown, EB_F(device_details)), EB_F(model)));
    if (!gpu[0] || eb_machines(eb_config_path("gpus", path, sizeof path) ? path : NULL, &machines, &count, NULL))
        return false;
    const bool found = model_run(shown, eb_machine_find(machines, count, gpu), out);
    free(machines);
    return found;
}

/* Reports the memory traffic of a run. shown: the run's report by `show`. Bytes come from the run's counters, else from
 * the machine model, and notes say which; rates are over the kernels' median time. Nothing if neither has bytes. */
static void report_run_memory(const eb_report *shown, eb_report *report)
{
    eb_memory memory = eb_memory_unknown();
    const bool modelled = find_model(shown, &memory);
    const size_t counted = eb_memory_take_counters(&memory, eb_report_find_table(shown, EB_F(counters)));
    memory.seconds = eb_number_of(shown, EB_F(kernel_s));
    eb_report_memory(report, "Memory: what the level above reads, over the kernels' median time", &memory);
    if (counted > 0)
        eb_report_note(report, "counted: in separate passes, not in the timed trials");
    if (modelled)
        eb_report_note(report, "model: predicted for such a kernel, not measured in this run");
}

/* ---- what limited a run ---- */

static void put_finding(eb_report *report, const eb_finding *f, size_t place)
{
    char title[96];
    (void)snprintf(title, sizeof title, "%zu. %s", place, f->rule);
    eb_record *record = eb_report_record(report, &(eb_column){.key = f->rule}, title);
    EB_RECORD_FIELDS(record, {EB_F(worth), eb_real(f->worth)}, {EB_F(says), eb_text(f->says)},
                     {EB_F(threshold_told), eb_text(f->limit)}, {EB_F(try), eb_text(f->advice)});
}

static void put_run(const eb_report *shown, eb_report *report)
{
    static const eb_column *const told[] =
        EB_LIST(EB_F(run), EB_F(spec), EB_F(device), EB_F(dataset), EB_F(kernel_median_s), EB_F(total_median_s));
    for (size_t k = 0; k < sizeof told / sizeof told[0]; k++)
        eb_report_field(report, told[k], eb_report_find_field(shown, told[k]));
}

static void put_notes(const eb_report *shown, const eb_findings *findings, eb_report *report)
{
    const eb_table *counters = eb_report_find_table(shown, EB_F(counters));
    if (findings->count == 0)
        eb_report_note(report, "none of the %zu checks found a bottleneck in this run", findings->rules);
    else
        eb_report_note(report,
                       "%zu of %zu checks found a bottleneck; a share of end to end is the most that removing that "
                       "bottleneck can save",
                       findings->count, findings->rules);
    if (strncmp(eb_text_of(shown, EB_F(device)), "cu", 2) == 0 && counters->rows == 0)
        eb_report_note(
            report,
            "this run has no counters: `counters %s` reads the hardware's counters, and more checks can then "
            "be made",
            eb_value_text_or(eb_report_find_field(shown, EB_F(spec)), "ENGINE"));
}

static eb_code put_findings(eb_report *shown, eb_report *report, eb_job *job, eb_status *status)
{
    eb_findings findings;
    put_run(shown, report);
    if (eb_report_find_field(shown, EB_F(total_s)).kind == EB_NA)
        return eb_fail(status, EB_NOT_FOUND, "the run has no finished trial");
    EB_TRY(eb_findings_make(eb_run_rules, shown, &findings, job, status));
    for (size_t k = 0; k < findings.count; k++)
        put_finding(report, &findings.finding[k], k + 1);
    put_notes(shown, &findings, report);
    report_run_memory(shown, report);
    eb_findings_free(&findings);
    return EB_OK;
}

/* A record for each rule that applies to the run (shell/rules/rules.h), greatest worth first. run 0: the newest run. */
static eb_code explain_run(const eb_session *session, int64_t run, eb_report *report, eb_job *job, eb_status *status)
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

/* ---- a pair of points ---- */

static eb_code find_end(const eb_session *session, const eb_call *call, const char *name, size_t *end,
                        eb_status *status)
{
    const size_t n = session->dataset->n;
    if (!eb_call_has(call, name))
        return eb_fail(status, EB_USAGE,
                       "expected two points, counted from 0: explain I J; or explain run, explain run N");
    *end = (size_t)eb_call_integer(call, name, 0);
    if (*end < n)
        return EB_OK;
    return eb_fail(status, EB_USAGE, "there is no point %zu: the dataset's points are 0 to %zu", *end, n - 1);
}

static bool explains(const eb_engine *engine) { return engine->explain != NULL; }

static eb_code explain_pair(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    size_t i, j;
    double eps = NAN;
    eb_spec spec;
    EB_TRY(find_end(session, call, "i", &i, status));
    EB_TRY(find_end(session, call, "j", &j, status));
    EB_TRY(eb_engine_that(session, eb_call_text(call, "engine"), explains, "explain a pair", &spec, status));
    EB_TRY(eb_resolve_eps(session, call, report, &eps, job, status));
    const eb_labels *labels = session->dataset->labels;
    EB_FIELDS(report, {EB_F(point_i), eb_uint(i)}, {EB_F_IF(labels, label_i), eb_text(eb_label_if_any(labels, i))},
              {EB_F(point_j), eb_uint(j)}, {EB_F_IF(labels, label_j), eb_text(eb_label_if_any(labels, j))},
              {EB_F(eps), eb_real(eps)});
    return spec.engine->explain(session->dataset, i, j, eps, &spec.options, report, status);
}

eb_code eb_cmd_explain(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    if (eb_call_has(call, "run"))
        return explain_run(session, eb_call_integer(call, "run", 0), report, job, status);
    EB_TRY(eb_session_check_dataset(session, status));
    EB_TRY(explain_pair(session, call, report, job, status));
    return eb_session_check_dataset(session, status); /* refuses the report if the points changed meanwhile */
}
