/* plan: the command `plan`: what a join takes on the GPUs of several hosts, before anybody pays for them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/state_path.h"
#include "core/join/neighbours.h"
#include "core/model/predict.h"
#include "shell/commands/commands.h"
#include "shell/defaults.h"
#include "shell/lab/model_report.h"
#include "shell/lab/plan_report.h"

static bool has_kernels(const eb_engine *engine) { return engine->plan != NULL; }
static bool runs_on_cpu(const eb_engine *engine) { return engine->on[EB_DEVICE_CPU].run != NULL; }

/* The shape of the points, given or loaded. */
typedef struct points {
    size_t n, d;
    eb_dtype dtype;
    bool type_known;
} points;

static eb_code take_points(const eb_session *session, const eb_call *call, points *out, eb_status *status)
{
    static const eb_dtype of[] = {EB_F32, EB_F64, EB_F16, EB_U8, EB_I8, EB_I16, EB_I32}; /* type=, in its order */
    const eb_dataset *ds = session->dataset;
    const bool n = eb_call_has(call, "n"), d = eb_call_has(call, "d"), type = eb_call_has(call, "type");
    if (n != d)
        return eb_fail(status, EB_USAGE, "%s= needs %s= too: a shape has both, as in `plan n=1e9 d=128`", n ? "n" : "d",
                       n ? "d" : "n");
    if (!n && !ds)
        return eb_fail(status, EB_NO_DATASET,
                       "no dataset is loaded: `load demo` loads one, and `plan n=1e9 d=128 type=u8` needs none");
    *out = (points){.n = (size_t)eb_call_integer(call, "n", n ? 0 : (int64_t)ds->n),
                    .d = (size_t)eb_call_integer(call, "d", d ? 0 : (int64_t)ds->d),
                    .dtype = of[eb_call_choice(call, "type", 0)],
                    .type_known = type || !n};
    if (!n && !type)
        out->dtype = ds->dtype;
    return EB_OK;
}

static eb_code check_selectivity(const eb_call *call, const points *of, eb_status *status)
{
    const double S = eb_call_number(call, "S", 0), most = (double)of->n - 1;
    if (S <= most)
        return EB_OK;
    return eb_fail(status, EB_USAGE, "S=%g is not possible: each of %zu points has %.0f others", S, of->n, most);
}

/* ---- kernels ---- */

/* Asks the machine model. The engine may choose by the points; then a choice is assumed. */
static eb_code model_kernels(const eb_spec *spec, const points *of, eb_planned *plan, eb_job *job, eb_status *status)
{
    const eb_machine *machine = plan->fleet.machine;
    eb_spec assumed = *spec;
    eb_kernel_plan kernel;
    eb_prediction prediction;
    plan->way = spec->engine->assume ? spec->engine->assume(&assumed.options, of->dtype) : NULL;
    plan->work.chooses = plan->way != NULL;
    (void)eb_spec_text(&assumed, plan->modelled, sizeof plan->modelled);
    EB_TRY(spec->engine->plan(&assumed.options, of->n, of->d, machine, &kernel, status));
    kernel.selectivity = plan->work.selectivity;
    EB_TRY(eb_predict(&kernel, machine, 0, job, &prediction, status));
    plan->work.kernels_s = prediction.kernel_s;
    plan->assumes = kernel.assumes;
    eb_fleet_take_kernel(&plan->work, spec->engine, &kernel);
    return EB_OK;
}

static eb_code plan_gpus(eb_session *session, const eb_call *call, const points *of, eb_machine *machine,
                         eb_planned *plan, const eb_spec *spec, eb_job *job, eb_status *status)
{
    EB_TRY(eb_model_gpu(session, eb_call_text(call, "gpu"), machine, status));
    if (!(machine->capacity_bytes > 0 && machine->host_bytes_s > 0 && machine->peer_bytes_s > 0))
        return eb_fail(status, EB_NO_DEVICE,
                       "%s lacks one of capacity_bytes, host_bytes_s, peer_bytes_s, which a plan needs; `like = h200` "
                       "fills them in",
                       machine->name);
    plan->fleet.machine = machine;
    plan->device = machine->title;
    EB_TRY(model_kernels(spec, of, plan, job, status));
    EB_TRY(eb_store_find_earlier(session->store, plan->spec, machine->title, of->n, of->d, &plan->earlier, status));
    if (plan->earlier.run > 0 && plan->earlier.n == of->n)
        plan->work.kernels_s = plan->earlier.kernel_s;
    else
        plan->earlier.run = 0;
    return EB_OK;
}

/* ---- processors ---- */

static eb_code plan_processors(eb_session *session, const eb_call *call, const points *of, eb_device *cpu,
                               eb_planned *plan, eb_status *status)
{
    if (eb_call_has(call, "gpus"))
        return eb_fail(status, EB_USAGE, "gpus= is for GPUs; with gpu=cpu each host is one share");
    eb_device_cpu(cpu);
    EB_TRY(eb_store_find_earlier(session->store, plan->spec, cpu->model, of->n, of->d, &plan->earlier, status));
    const eb_earlier *e = &plan->earlier;
    if (e->run == 0)
        return eb_fail(status, EB_NO_ENGINE,
                       "there is no model of processors, and the log has no run of %s here on points of %zu "
                       "dimensions to scale from; `synth uniform 20000 %zu; join %s S=64` makes one",
                       plan->spec, of->d, of->d, plan->spec);
    const double more = (double)of->n / (double)e->n, rest = e->total_s - e->kernel_s;
    plan->device = cpu->model;
    plan->fleet.threads = e->threads;
    plan->work.kernels_s = e->kernel_s * more * more;
    plan->work.table_s = plan->work.counts ? 0 : fmax(0, rest) * more;
    return EB_OK;
}

/* ---- the command ---- */

static void take_fleet(const eb_call *call, eb_planned *plan)
{
    const eb_fleet_rates *usual = &eb_fleet_usual;
    plan->link_given = eb_call_has(call, "link");
    plan->disk_given = eb_call_has(call, "disk");
    plan->gpu_given = eb_call_has(call, "gpu");
    plan->fleet = (eb_fleet){.hosts = (unsigned)eb_call_integer(call, "hosts", 1),
                             .gpus = (unsigned)eb_call_integer(call, "gpus", 1),
                             .link_bytes_s = eb_call_number(call, "link", usual->link_bits_s) / 8,
                             .disk_bytes_s = eb_call_number(call, "disk", usual->disk_bytes_s),
                             .memory_bytes = (double)eb_call_size(call, "memory", 0)};
}

static void take_work(const eb_call *call, const points *of, eb_planned *plan)
{
    const bool counts = eb_call_flag(call, "count");
    const eb_distances kept = eb_distances_find(eb_call_text(call, "distances"));
    plan->S_given = eb_call_has(call, "S");
    plan->type_given = of->type_known;
    plan->dtype = eb_dtype_name(of->dtype);
    plan->work = (eb_fleet_work){.n = (double)of->n,
                                 .d = (double)of->d,
                                 .selectivity = eb_call_number(call, "S", fmin(EB_PLAN_SELECTIVITY, (double)of->n - 1)),
                                 .value_bytes = (double)eb_dtype_size(of->dtype),
                                 .distance_bytes = counts ? 0 : (double)eb_distances_width(kept),
                                 .counts = counts,
                                 .written = !counts && (plan->disk_given || plan->fleet.hosts > 1)};
}

eb_code eb_cmd_plan(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    eb_planned plan = {.spec = NULL};
    points of;
    eb_spec spec;
    eb_machine machine;
    eb_device cpu;
    char text[EB_SPEC_TEXT];
    const char *gpu = eb_call_text(call, "gpu"), *engine = eb_call_text(call, "engine");
    const bool processors = gpu && strcmp(gpu, "cpu") == 0;
    EB_TRY(take_points(session, call, &of, status));
    EB_TRY(check_selectivity(call, &of, status));
    take_fleet(call, &plan);
    take_work(call, &of, &plan);
    EB_TRY(eb_engine_that(session, engine ? engine : EB_SURE, processors ? runs_on_cpu : has_kernels, "be planned",
                          &spec, status));
    EB_TRY(eb_distances_check(eb_distances_find(eb_call_text(call, "distances")), spec.engine, status));
    spec.device[0] = '\0';
    plan.spec = eb_spec_text(&spec, text, sizeof text);
    plan.work.truth = eb_exactness_of(spec.engine, &spec.options) == EB_TRUTH;
    EB_TRY(processors ? plan_processors(session, call, &of, &cpu, &plan, status)
                      : plan_gpus(session, call, &of, &machine, &plan, &spec, job, status));
    eb_report_plan(report, &plan);
    return EB_OK;
}
