/* ablate: the command `ablate`: measures an engine's optimisations, each left out or added to the bare kernel. */
#include <stdlib.h>
#include <string.h>

#include "shell/commands/commands.h"
#include "shell/defaults.h"
#include "shell/lab/ablation_report.h"
#include "shell/lab/modelled_times.h"
#include "shell/radius/resolve.h"

static bool has_flags(const eb_engine *engine, unsigned devices)
{
    bool found = false;
    for (size_t k = 0; k < engine->options.count; k++)
        found |= engine->options.option[k].type == EB_ARG_FLAG && (engine->options.option[k].devices & devices);
    return found;
}

/* The spec in argument "engine" or "preset", else EB_ABLATED. EB_USAGE if both are given. */
static eb_code choose_spec(const eb_call *call, const char **spec, eb_status *status)
{
    const char *engine = eb_call_text(call, "engine"), *preset = eb_call_text(call, "preset");
    if (engine && preset)
        return eb_fail(status, EB_USAGE, "engine and preset are both given; %s alone says the same as preset=", preset);
    *spec = engine ? engine : preset ? preset : EB_ABLATED;
    return EB_OK;
}

static eb_code find_setup(eb_session *session, const char *spec, eb_setup *setup, eb_job *job, eb_status *status)
{
    eb_spec parsed;
    EB_TRY(eb_spec_parse(spec, &session->settings.engines, &parsed, status));
    const char *name = parsed.engine->name;
    if (!has_flags(parsed.engine, EB_ON_ALL))
        return eb_fail(status, EB_USAGE, "%s has no switches to leave out; `help %s` shows what it has", name, name);
    EB_TRY(eb_session_setup_rated(session, spec, setup, job, status));
    if (!has_flags(setup->engine, 1u << setup->device.kind))
        return eb_fail(status, EB_NO_ENGINE,
                       "ablate needs a CUDA device, as `set device=cuda:0` chooses one: the switches are "
                       "those of %s's GPU kernel, and on %s it has none; `ablate list` shows them without a GPU",
                       name, setup->device.name);
    return eb_session_check_dataset(session, status);
}

/* Lists the engine's switches. If the call says which variants to run, their times are predicted too. */
static eb_code list_flags(const eb_session *session, const eb_call *call, const char *spec,
                          const eb_ablation_plan *plan, eb_report *report, eb_job *job, eb_status *status)
{
    static const char *const which[] = {"by", "only", "subsets", "from"};
    eb_spec parsed;
    bool predicted = false;
    EB_TRY(eb_spec_parse(spec, &session->settings.engines, &parsed, status));
    for (size_t k = 0; k < sizeof which / sizeof which[0]; k++)
        predicted |= eb_call_has(call, which[k]);
    eb_report_switches(report, parsed.engine, &parsed.options, job);
    EB_TRY(eb_job_check(job, status));
    return predicted ? eb_report_predictions(report, &parsed, plan, job, status) : EB_OK;
}

/* ---- choice of variants ---- */

static eb_code choose_plan(const eb_call *call, eb_ablation_plan *plan, eb_status *status)
{
    const char *by = eb_call_text(call, "by"), *from = eb_call_text(call, "from"), *only = eb_call_text(call, "only"),
               *subsets = eb_call_text(call, "subsets");
    const bool bare = from && strcmp(from, "bare") == 0;
    if (subsets && (by || only))
        return eb_fail(status, EB_USAGE, "subsets= says all of what runs: give it without %s=", by ? "by" : "only");
    *plan = eb_ablation_of(subsets ? "subsets" : by);
    plan->names = subsets ? subsets : only;
    if (by && from && plan->way == EB_ONE_AT_A_TIME && plan->from_bare != bare)
        return eb_fail(status, EB_USAGE, "by=%s begins with %s; found from=%s", by,
                       bare ? "everything on" : "the bare kernel", from);
    if (from)
        plan->from_bare = bare;
    return EB_OK;
}

/* ---- measuring ---- */

/* The variants measured so far, with their modelled times. */
typedef struct watch {
    eb_ablation ablation;
    eb_modelling modelling;
    size_t modelled; /* variants in model_s */
    double model_s[EB_MOST_VARIANTS];
} watch;

static void report_so_far(void *context, eb_report *report)
{
    watch *w = context;
    for (; w->modelled < w->ablation.e.begun; w->modelled++)
        w->model_s[w->modelled] = eb_modelled_s(&w->modelling, &w->ablation.setup[w->modelled].options);
    eb_report_ablation(report, &w->ablation, w->model_s);
}

static eb_code run_ablation(eb_session *session, const eb_measure_request *request, const eb_ablation_plan *plan,
                            eb_report *report, eb_job *job, eb_status *status)
{
    watch *w = calloc(1, sizeof *w);
    if (!w)
        return eb_fail_memory(status, "an ablation", sizeof *w);
    const eb_run_observer observer = eb_session_observer(session);
    w->modelling =
        eb_modelling_of(request->setup->engine, request->setup->device.model, session->dataset->n, session->dataset->d);
    eb_live_tell(session->live, report_so_far, w);
    eb_code failed = eb_ablate(request, plan, &observer, job, &w->ablation, status);
    eb_live_tell(session->live, NULL, NULL);
    report_so_far(w, report); /* finished variants are reported even after an interruption */
    eb_ablation_free(&w->ablation);
    free(w);
    return failed;
}

eb_code eb_cmd_ablate(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    const char *spec;
    eb_setup setup;
    eb_ablation_plan plan;
    eb_measure_request request = {.setup = &setup,
                                  .problem = eb_self_join(session->dataset),
                                  .trials = (unsigned)eb_call_integer(call, "trials", session->settings.trials),
                                  .warm_up = eb_warm_up_of(eb_call_text(call, "warmup"))};
    EB_TRY(choose_spec(call, &spec, status));
    EB_TRY(choose_plan(call, &plan, status));
    if (eb_call_flag(call, "list"))
        return list_flags(session, call, spec, &plan, report, job, status);
    EB_TRY(find_setup(session, spec, &setup, job, status));
    request.memory = eb_budget_of(&setup, 1, session->dataset, session->settings.memory_limit);
    EB_TRY(eb_resolve_eps(session, call, report, &request.eps, job, status));
    eb_session_drop_neighbours(session);
    eb_code failed = run_ablation(session, &request, &plan, report, job, status);
    EB_TRY(eb_session_check_dataset(session, status));
    return failed;
}
