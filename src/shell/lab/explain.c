/* One pair of points, as an engine tells what it does with it; and what limited a run. */
#include <math.h>

#include "shell/commands/commands.h"
#include "shell/commands/engine_list.h"
#include "shell/lab/explain_run.h"

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
    EB_TRY(eb_engine_that(session, eb_call_text(call, "engine"), explains, "a pair", &spec, status));
    EB_TRY(eb_session_resolve_eps(session, call, report, &eps, job, status));
    eb_report_field(report, "i", "point", EB_IDENTITY, eb_uint(i));
    eb_report_field(report, "j", "and point", EB_IDENTITY, eb_uint(j));
    eb_report_field(report, "eps", "ε", EB_PLAIN, eb_real(eps));
    return spec.engine->explain(session->dataset, i, j, eps, &spec.options, report, status);
}

eb_code eb_cmd_explain(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    if (eb_call_has(call, "run"))
        return eb_explain_run(session, eb_call_integer(call, "run", 0), report, job, status);
    EB_TRY(eb_session_check_dataset(session, status));
    EB_TRY(explain_pair(session, call, report, job, status));
    return eb_session_check_dataset(session, status); /* of points that have changed nothing is shown */
}
