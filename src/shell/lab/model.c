/* model: the command `model`: the machine model's prediction for an engine's kernel, beside measurements in the log. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/state_path.h"
#include "shell/code/kernel_code.h"
#include "shell/commands/commands.h"
#include "shell/defaults.h"
#include "shell/lab/machine_report.h"
#include "shell/lab/model_report.h"

enum { USUAL_N = 100000, USUAL_D = 128 };

static bool plans(const eb_engine *engine) { return engine->plan != NULL; }

/* "h200, a100-sxm" */
static char *machine_names(const eb_machine *machines, size_t count, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t k = 0; k < count && used < size; k++) {
        const int written = snprintf(buffer + used, size - used, "%s%s", k > 0 ? ", " : "", machines[k].name);
        used += written > 0 ? (size_t)written : 0;
    }
    return buffer;
}

static eb_code refuse_machine(const char *name, const eb_machine *machines, size_t count, eb_status *status)
{
    char names[400];
    return eb_fail(status, EB_NO_DEVICE,
                   "the model knows no GPU called %.40s; it knows %s; `help model` says how to "
                   "describe another",
                   name, machine_names(machines, count, names, sizeof names));
}

eb_code eb_model_machine(const eb_session *session, const char *name, const eb_machine *machines, size_t count,
                         const eb_machine **out, eb_status *status)
{
    eb_device device;
    eb_status none;
    *out = name ? eb_machine_find(machines, count, name) : NULL;
    if (name)
        return *out ? EB_OK : refuse_machine(name, machines, count, status);
    if (eb_session_device(session, &device, &none) == EB_OK && device.kind == EB_DEVICE_CUDA)
        *out = eb_machine_find(machines, count, device.model);
    for (size_t k = 0; k < count && !*out; k++)
        *out = machines[k].measured > 0 ? &machines[k] : NULL;
    return *out ? EB_OK : eb_fail(status, EB_INTERNAL, "the model was checked against none of the GPUs that it knows");
}

static eb_code all_machines(eb_machine **out, size_t *count, eb_status *status)
{
    char path[4096];
    return eb_machines(eb_config_path("gpus", path, sizeof path) ? path : NULL, out, count, status);
}

eb_code eb_model_gpu(const eb_session *session, const char *name, eb_machine *out, eb_status *status)
{
    eb_machine *machines;
    const eb_machine *found;
    size_t count;
    EB_TRY(all_machines(&machines, &count, status));
    const eb_code failed = eb_model_machine(session, name, machines, count, &found, status);
    if (!failed)
        *out = *found;
    free(machines);
    return failed;
}

/* Takes `candidates=` for an engine with an index. */
static eb_code take_candidates(const eb_call *call, const eb_spec *spec, eb_modelled *of, eb_status *status)
{
    eb_kernel_plan *plan = &of->plan;
    const double candidates = eb_call_number(call, "candidates", 0);
    if (!(candidates > 0))
        return EB_OK;
    if (!(plan->candidates > 0))
        return eb_fail(status, EB_USAGE, "candidates= is for engines with an index, and %s computes all pairs",
                       spec->engine->name);
    plan->candidates = candidates < (double)plan->n ? candidates : (double)plan->n;
    of->candidates_given = true;
    return EB_OK;
}

static eb_code make_plan(const eb_session *session, const eb_call *call, const eb_spec *spec, eb_modelled *of,
                         eb_status *status)
{
    const eb_dataset *ds = session->dataset;
    const size_t n = (size_t)eb_call_integer(call, "n", ds ? (int64_t)ds->n : USUAL_N),
                 d = (size_t)eb_call_integer(call, "d", ds ? (int64_t)ds->d : USUAL_D);
    EB_TRY(spec->engine->plan(&spec->options, n, d, of->machine, &of->plan, status));
    of->plan.misaligned = (unsigned)eb_call_integer(call, "misaligned", of->plan.misaligned);
    if (of->plan.misaligned % of->plan.alignment != 0)
        return eb_fail(status, EB_USAGE, "misaligned=%u is no multiple of %u: %s could not read there",
                       of->plan.misaligned, of->plan.alignment, of->plan.title);
    return take_candidates(call, spec, of, status);
}

/* What the compiler makes of the kernel instead of what the model predicts of it. */
static eb_code show_code(const eb_call *call, const eb_spec *spec, const eb_modelled *of, eb_report *report,
                         eb_job *job, eb_status *status)
{
    eb_kernel_source source;
    if (!spec->engine->source)
        return eb_fail(status, EB_USAGE,
                       "code= is for kernels that are compiled at run time, as those of " EB_FAST ", and %s has none",
                       spec->engine->name);
    spec->engine->source(&of->plan, &source);
    const eb_code_asked asked = {.title = of->spec,
                                 .file = source.file,
                                 .name = source.name,
                                 .compute = of->machine->compute,
                                 .sass = strcmp(eb_call_text(call, "code"), "sass") == 0,
                                 .whole = eb_call_flag(call, "whole")};
    return eb_kernel_code(&asked, report, job, status);
}

static eb_model_parts parts_of(const eb_call *call)
{
    const bool pictures = eb_call_flag(call, "pictures"), tables = eb_call_flag(call, "tables");
    return pictures == tables ? EB_MODEL_ALL : pictures ? EB_MODEL_PICTURES : EB_MODEL_TABLES;
}

static eb_code model_kernel(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    eb_spec spec;
    eb_machine machine;
    eb_modelled of = {.machine = &machine};
    char text[EB_SPEC_TEXT];
    EB_TRY(eb_engine_that(session, eb_call_text(call, "engine"), plans, "be modelled", &spec, status));
    EB_TRY(eb_model_gpu(session, eb_call_text(call, "on"), &machine, status));
    EB_TRY(make_plan(session, call, &spec, &of, status));
    spec.device[0] = '\0';
    of.spec = eb_spec_text(&spec, text, sizeof text);
    if (eb_call_has(call, "code"))
        return show_code(call, &spec, &of, report, job, status);
    EB_TRY(
        eb_store_find_measured(session->store, of.spec, of.machine->title, of.plan.n, of.plan.d, &of.measured, status));
    of.published = strcmp(of.spec, EB_ABLATED) == 0 ? eb_published_why_of(spec.engine, "") : NULL;
    const double measured_S = of.measured.selectivity;
    of.plan.selectivity = eb_call_number(call, "S", isnan(measured_S) ? of.plan.selectivity : measured_S);
    EB_TRY(eb_predict(&of.plan, of.machine, eb_call_number(call, "clock", 0) * 1e6, job, &of.prediction, status));
    eb_report_model(report, &of, parts_of(call));
    return EB_OK;
}

static eb_code list_machines(eb_report *report, eb_status *status)
{
    eb_machine *machines;
    size_t count;
    EB_TRY(all_machines(&machines, &count, status));
    eb_report_machines(report, machines, count);
    free(machines);
    return EB_OK;
}

static eb_code list_rates(const eb_session *session, const char *on, eb_report *report, eb_status *status)
{
    eb_machine machine;
    EB_TRY(eb_model_gpu(session, on, &machine, status));
    eb_report_rates(report, &machine);
    return EB_OK;
}

eb_code eb_cmd_model(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    const char *on = eb_call_text(call, "on");
    if (eb_call_flag(call, "whole") && !eb_call_has(call, "code"))
        return eb_fail(status, EB_USAGE, "whole is for code=, as `model code=ptx whole`");
    if (!eb_call_flag(call, "devices"))
        return model_kernel(session, call, report, job, status);
    return on ? list_rates(session, on, report, status) : list_machines(report, status);
}
