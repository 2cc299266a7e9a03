/* counters: the command `counters`: hardware counters of engines side by side (Table 6 of the FASTED paper), each value
 * with its source. Without a GPU the machine model's values stand in their place. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/experiment/experiment.h"
#include "core/team/team.h"
#include "kernels/device/counters.h"
#include "shell/commands/commands.h"
#include "shell/commands/run_report.h"
#include "shell/defaults.h"
#include "shell/lab/model_report.h"
#include "shell/lab/modelled_times.h"
#include "shell/radius/resolve.h"

enum { MOST_PROFILES = 8 };

typedef struct profile {
    const eb_run *run; /* trials measured before, without the profiler */
    bool collected;
    const char *source; /* of the values: "cupti", "model"; NULL: there are none */
    double *values;     /* [eb_counter_count()]; NAN: the hardware has no such counter, or the model does not know it */
    size_t passes;
    eb_team_counters each; /* of a team's run: what each device counted */
} profile;

typedef struct profiling {
    eb_session *session;
    eb_setup setup[MOST_PROFILES];
    eb_experiment_request request;
    eb_experiment e;
    profile profile[MOST_PROFILES];
    size_t count;
    bool refused;                                     /* the device refused its counters; it is not asked again */
    char why_not[sizeof((eb_status *)0)->message];    /* why there are no counters; "": no error so far */
    eb_machine machine;                               /* modelled for runs without a GPU */
    char unmodelled[sizeof((eb_status *)0)->message]; /* why the model knows nothing of a run; "": it does */
} profiling;

/* ---- counting ---- */

typedef struct work {
    const eb_run *run;
    eb_opened opened;
} work;

/* The work that the profiler repeats: the trials' count. EB_INTERNAL if it finds another number of pairs. */
static eb_code count_once(void *context, eb_status *status)
{
    work *w = context;
    const eb_run *run = w->run;
    const eb_question question = {.eps = run->eps};
    const eb_share whole = eb_share_whole(&w->opened.problem);
    uint64_t pairs = 0;
    eb_job_phase(w->opened.context.job, "profiling", run->n);
    eb_code failed = eb_ask_count(&w->opened, &question, &whole, &pairs, status);
    if (!failed && pairs != run->pairs)
        failed = eb_fail(status, EB_INTERNAL, "%s found %llu pairs while profiled and %llu before", run->setup.spec,
                         (unsigned long long)pairs, (unsigned long long)run->pairs);
    return failed;
}

static eb_code collect(const eb_session *session, profile *of, eb_job *job, eb_status *status)
{
    const eb_setup *setup = &of->run->setup;
    const eb_device *device = &setup->device;
    work w = {.run = of->run};
    eb_problem problem = eb_self_join(session->dataset);
    EB_TRY(eb_problem_open(setup, &problem, job, &w.opened, status));
    eb_code failed = EB_OK;
    if (eb_is_team(device)) {
        failed = eb_team_counters_collect(device, eb_counters_collect, count_once, &w, &of->each, status);
        eb_team_counters_total(&of->each, of->values);
        of->passes = of->each.passes;
    } else {
        failed = eb_counters_collect(device->index, count_once, &w, of->values, &of->passes, status);
    }
    eb_problem_close(&w.opened);
    of->collected = !failed;
    of->source = failed ? NULL : "cupti";
    return failed;
}

/* Takes the values from the machine model. A kernel that the model does not know is not an error: the report says so.
 */
static eb_code model_run(profiling *p, profile *of, eb_job *job, eb_status *status)
{
    const eb_run *run = of->run;
    eb_status why = {.message = ""};
    const eb_code failed = eb_modelled_counters(run->setup.engine, &run->setup.options, run->n, run->d,
                                                eb_selectivity(run->pairs, run->n), &p->machine, job, of->values, &why);
    if (failed == EB_CANCELLED || failed == EB_NO_MEMORY)
        return eb_fail(status, failed, "%s", why.message);
    if (failed)
        (void)snprintf(p->unmodelled, sizeof p->unmodelled, "%s", why.message);
    of->source = failed ? NULL : "model";
    return EB_OK;
}

/* Collects the counters of one run. Missing counters are not an error: p->why_not then has the reason, and the report
 * shows what is known without them. */
static eb_code collect_if_possible(profiling *p, profile *of, eb_job *job, eb_status *status)
{
    eb_status why = {.message = ""};
    const eb_device *device = &of->run->setup.device;
    of->values = calloc(eb_counter_count(), sizeof *of->values);
    if (!of->values)
        return eb_fail_memory(status, "counters", eb_counter_count() * sizeof *of->values);
    if (device->kind != EB_DEVICE_CUDA && p->why_not[0] == '\0')
        (void)snprintf(p->why_not, sizeof p->why_not,
                       "they are read on NVIDIA GPUs, and the device is %s; `set device=cuda:0` where there is one",
                       device->name);
    if (device->kind != EB_DEVICE_CUDA)
        return model_run(p, of, job, status);
    if (p->refused)
        return EB_OK;
    eb_code failed = collect(p->session, of, job, &why);
    if (failed == EB_NO_DEVICE) {
        p->refused = true;
        (void)snprintf(p->why_not, sizeof p->why_not, "%s", why.message);
        return EB_OK;
    }
    return failed ? eb_fail(status, failed, "%s", why.message) : EB_OK;
}

/* ---- the rows ---- */

typedef struct counter_row {
    const char *key, *title, *unit;
    double value;
    const char *source; /* NULL: the value was not measured */
} counter_row;

/* Row `index` of a run's counters: first the hardware's, then energy and rates. False beyond the last row. */
static bool row_at(const profile *of, size_t index, counter_row *out)
{
    const eb_run_numbers f = eb_run_numbers_of(of->run);
    size_t hardware = eb_counter_count();
    if (index < hardware) {
        const eb_counter *counter = eb_counter_at(index);
        *out = (counter_row){counter->key, counter->title, counter->unit, of->source ? of->values[index] : NAN,
                             of->source};
        if (isnan(out->value) && strcmp(counter->key, "sm_clock_hz") == 0 && !isnan(f.sm_clock_hz)) {
            out->value = f.sm_clock_hz;
            out->source = "nvml";
        }
        return true;
    }
    const counter_row others[] = {
        {"energy_j", "energy of the kernels", "joules", f.energy_j, isnan(f.energy_j) ? NULL : "nvml"},
        {"tflops_derived", "derived rate, 2·n²·d", "TFLOPS", f.tflops_derived, "time"},
        {"tflops_executed", "executed rate", "TFLOPS", f.tflops_executed, "time"},
    };
    if (index - hardware >= sizeof others / sizeof others[0])
        return false;
    *out = others[index - hardware];
    return true;
}

/* The log's word for a source: its rates have "model", operations over measured time. NULL: not logged, because a
 * prediction is no result of the run. */
static const char *logged_source(const char *source)
{
    if (!source || strcmp(source, "model") == 0)
        return NULL;
    return strcmp(source, "time") == 0 ? "model" : source;
}

static void log_counters(eb_session *session, const profile *of)
{
    eb_status failure;
    counter_row row;
    for (size_t k = 0; of->run->row > 0 && eb_session_logs(session) && row_at(of, k, &row); k++)
        if (logged_source(row.source) && eb_store_counter(session->store, of->run->row, row.key, row.value, row.unit,
                                                          logged_source(row.source), &failure))
            eb_session_log_failed(session, &failure);
}

/* ---- the report ---- */

/* Key of a run's column: the engine's name, or its spec if two runs have the same engine. */
static const char *key_of(const profiling *p, size_t k)
{
    const eb_setup *setup = &p->setup[k];
    size_t same = 0;
    for (size_t j = 0; j < p->count; j++)
        same += p->setup[j].engine == setup->engine;
    return same > 1 ? setup->spec : setup->engine->name;
}

static void report_counters(eb_report *report, const profiling *p)
{
    eb_table *table = EB_TABLE(report, EB_F(counters), "Counters", EB_F(metric), EB_F(figure_title), EB_F(unit));
    for (size_t k = 0; k < p->count; k++) {
        char key[EB_SPEC_TEXT + 8];
        (void)snprintf(key, sizeof key, "%s_source", key_of(p, k));
        EB_COLUMNS(table, &(eb_column){key_of(p, k), p->setup[k].spec, EB_PLAIN},
                   &(eb_column){key, EB_F(source)->title, EB_PLAIN});
    }
    counter_row row;
    for (size_t r = 0; row_at(&p->profile[0], r, &row); r++) {
        eb_value cells[3 + 2 * MOST_PROFILES] = {eb_text(row.key), eb_text(row.title), eb_text(row.unit)};
        for (size_t k = 0; k < p->count && row_at(&p->profile[k], r, &row); k++) {
            cells[3 + 2 * k] = eb_real(row.value);
            cells[4 + 2 * k] = eb_text(isnan(row.value) ? NULL : row.source);
        }
        eb_table_row(table, cells, 3 + 2 * p->count);
    }
}

/* For each run by a team a column for each of its devices; hardware counters alone, since rates are of all together. */
static void report_devices(eb_report *report, const profiling *p)
{
    eb_value cells[3 + MOST_PROFILES * EB_MOST_MEMBERS];
    eb_table *table = NULL;
    size_t teams = 0, used;
    for (size_t k = 0; k < p->count; k++)
        teams += p->profile[k].each.devices > 0;
    for (size_t k = 0; k < p->count; k++)
        for (unsigned d = 0; d < p->profile[k].each.devices; d++) {
            const char *device = p->profile[k].each.device[d].name;
            char key[EB_SPEC_TEXT + 24];
            (void)snprintf(key, sizeof key, "%s %s", key_of(p, k), device);
            if (!table)
                table = EB_TABLE(report, EB_F(device_counters), "Counters of each device", EB_F(metric),
                                 EB_F(figure_title), EB_F(unit));
            eb_table_column(table, &(eb_column){key, teams > 1 ? key : device, EB_PLAIN});
        }
    for (size_t r = 0; table && r < eb_counter_count(); r++) {
        const eb_counter *counter = eb_counter_at(r);
        cells[0] = eb_text(counter->key);
        cells[1] = eb_text(counter->title);
        cells[2] = eb_text(counter->unit);
        used = 3;
        for (size_t k = 0; k < p->count; k++)
            for (unsigned d = 0; d < p->profile[k].each.devices; d++) {
                const double *values = p->profile[k].each.device[d].values;
                cells[used++] = eb_real(values ? values[r] : NAN);
            }
        eb_table_row(table, cells, used);
    }
}

static void note_devices(eb_report *report, const profile *of)
{
    const eb_team_counters *each = &of->each;
    for (unsigned d = 0; d < each->devices && of->collected; d++)
        if (!each->device[d].values)
            eb_report_note(report, "%s: no counters of %s, so those of all devices together are n/a: %s",
                           of->run->setup.spec, each->device[d].name, each->device[d].why_not);
    if (of->collected)
        eb_report_note(
            report, "%s: of %u devices, counts and bytes are sums, the time is the longest, shares and rates are means",
            of->run->setup.spec, each->devices);
}

/* Of a team whose values are not all known, those of a device that was counted: all run the same kernels. */
static const double *values_of_kernels(const profile *of)
{
    for (unsigned d = 0; d < of->each.devices; d++)
        if (of->each.device[d].values)
            return of->each.device[d].values;
    return of->values;
}

static void report_paths(eb_report *report, const profiling *p)
{
    eb_table *table = EB_TABLE(report, EB_F(paths), "Which tensor cores ran", EB_HIDDEN(engine), EB_F(spec),
                               EB_F(tensor_path), EB_F(profiled_passes));
    for (size_t k = 0; k < p->count; k++) {
        const profile *of = &p->profile[k];
        char words[160] = "";
        if (of->collected)
            eb_counters_tensor_path(values_of_kernels(of), words, sizeof words);
        EB_ROW(table, eb_text(p->setup[k].engine->name), eb_text(p->setup[k].spec), words[0] ? eb_text(words) : eb_na(),
               of->collected ? eb_uint(of->passes) : eb_na());
    }
}

/* The number of passes depends on the counters and the chip only, so it is the same for all engines. */
static eb_value passes_of(const profiling *p)
{
    for (size_t k = 0; k < p->count; k++)
        if (p->profile[k].collected)
            return eb_uint(p->profile[k].passes);
    return eb_na();
}

/* Whether the machine model gives the values of any run. */
static bool is_modelled(const profiling *p)
{
    bool modelled = false;
    for (size_t k = 0; k < p->count; k++)
        modelled = modelled || (p->profile[k].source && strcmp(p->profile[k].source, "model") == 0);
    return modelled;
}

/* Comes last: the panel shows the last note. */
static void note_sources(eb_report *report, const profiling *p)
{
    if (p->why_not[0] != '\0')
        eb_report_note(report, "hardware counters are n/a: %s", p->why_not);
    if (p->unmodelled[0] != '\0')
        eb_report_note(report, "n/a: %s", p->unmodelled);
    if (is_modelled(p))
        eb_report_note(report,
                       "model: what the machine model predicts for one %s, not counted; n/a: it does not know. "
                       "Energy and rates are of the trials on %s",
                       p->machine.title, p->profile[0].run->setup.device.name);
}

static void report_profiles(eb_report *report, const profiling *p)
{
    const eb_run *runs[MOST_PROFILES];
    size_t measured = 0;
    for (size_t k = 0; k < p->count; k++)
        if (p->profile[k].run->trials_done > 0)
            runs[measured++] = p->profile[k].run;
    if (measured == 0)
        return;
    EB_FIELDS(report, {EB_F(n), eb_uint(runs[0]->n)}, {EB_F(d), eb_uint(runs[0]->d)},
              {EB_F(eps), eb_real(p->request.eps)}, {EB_F(device), eb_text(runs[0]->setup.device.name)},
              {EB_F(profiled_passes), passes_of(p)},
              {EB_F(modelled_gpu), is_modelled(p) ? eb_text(p->machine.title) : eb_na()});
    report_counters(report, p);
    report_devices(report, p);
    report_paths(report, p);
    eb_report_runs(report, "Measured without the profiler", runs, measured);
    for (size_t k = 0; k < measured; k++)
        eb_note_run(report, runs[k]);
    for (size_t k = 0; k < p->count; k++)
        if (p->profile[k].each.devices > 0)
            note_devices(report, &p->profile[k]);
    note_sources(report, p);
}

/* ---- counters ---- */

static eb_code profile_run(void *context, eb_experiment_cell *cell, const eb_measure_request *ask, eb_job *job,
                           eb_status *status)
{
    profiling *p = context;
    profile *of = &p->profile[cell - p->e.cell];
    (void)ask;
    of->run = &cell->run;
    EB_TRY(collect_if_possible(p, of, job, status));
    log_counters(p->session, of);
    return EB_OK;
}

/* Finds the GPU that is modelled for runs without one. */
static eb_code choose_machine(profiling *p, const eb_call *call, eb_status *status)
{
    const char *on = eb_call_text(call, "on");
    for (size_t k = 0; on && k < p->request.setups; k++)
        if (p->setup[k].device.kind == EB_DEVICE_CUDA)
            return eb_fail(status, EB_USAGE,
                           "on= names a GPU to model where there is none, and %s runs on %s: its counters are read",
                           p->setup[k].spec, p->setup[k].device.name);
    return eb_model_gpu(p->session, on, &p->machine, status);
}

static eb_code profile_all(profiling *p, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    const char *list = eb_call_text(call, "engines");
    eb_session *session = p->session;
    const eb_run_observer observer = eb_session_observer(session);
    eb_experiment_request *q = &p->request;
    *q = (eb_experiment_request){.what = "engine",
                                 .setup = p->setup,
                                 .points = session->dataset,
                                 .mode = EB_RUN_COUNT,
                                 .trials = (unsigned)eb_call_integer(call, "trials", session->settings.trials),
                                 .warm_up = eb_warm_up_of(eb_call_text(call, "warmup")),
                                 .looks = MOST_PROFILES,
                                 .limit_s = INFINITY,
                                 .host = {.context = p, .check = profile_run, .observer = &observer}};
    EB_TRY(
        eb_engine_list(session, list ? list : EB_FAST "," EB_TRUE, p->setup, MOST_PROFILES, &q->setups, job, status));
    EB_TRY(choose_machine(p, call, status));
    EB_TRY(eb_resolve_eps(session, call, report, &q->eps, job, status));
    eb_code failed = eb_experiment_run(q, job, &p->e, status);
    for (p->count = 0; p->count < p->e.cells; p->count++)
        p->profile[p->count].run = &p->e.cell[p->count].run;
    report_profiles(report, p); /* finished runs are reported even after an interruption */
    return failed;
}

eb_code eb_cmd_counters(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    profiling *p = calloc(1, sizeof *p);
    if (!p)
        return eb_fail_memory(status, "profiles", sizeof *p);
    p->session = session;
    eb_code failed = profile_all(p, call, report, job, status);
    for (size_t k = 0; k < p->count; k++) {
        free(p->profile[k].values);
        eb_team_counters_free(&p->profile[k].each);
    }
    eb_experiment_free(&p->e);
    free(p);
    return failed;
}
