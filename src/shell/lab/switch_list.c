#include "shell/lab/switch_list.h"

#include <math.h>
#include <stdio.h>

#include "core/base/parallel.h"
#include "core/experiment/time_words.h"
#include "shell/defaults.h"
#include "shell/lab/ablation_report.h"
#include "shell/lab/modelled_times.h"

/* ---- the switches ---- */

/* "" becomes n/a. */
static eb_value names_or_na(const char *names) { return names[0] ? eb_text(names) : eb_na(); }

static double published_slowdown(const eb_engine *engine, const eb_option *flag)
{
    return flag->published_tflops > 0 ? engine->published_tflops / flag->published_tflops : NAN;
}

static eb_value published_rate(double tflops) { return tflops > 0 ? eb_real(tflops) : eb_na(); }

/* "paper|best" becomes "paper, best". */
static eb_value presets_of(const eb_option *flag, char *buffer, size_t size)
{
    char preset[64];
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t k = 0; flag->presets && used < size && eb_choice_at(flag->presets, k, preset, sizeof preset); k++) {
        int written = snprintf(buffer + used, size - used, "%s%s", used ? ", " : "", preset);
        used += written > 0 ? (size_t)written : 0;
    }
    return names_or_na(buffer);
}

/* The list's engine, and its modelled times on the paper's GPU for the paper's n and d. */
typedef struct listing {
    const eb_engine *engine;
    const eb_options *base;
    eb_options all;
    eb_modelling modelling;
    double base_s, without_s[EB_MOST_OPTIONS];
} listing;

/* Models one variant, which takes some tenths of a second; several threads run these tasks. The last task is the base;
 * the others leave out one switch, if the paper has a figure for it. */
static eb_code model_one(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    (void)status;
    listing *l = context;
    eb_options without = *l->base;
    if (task == l->engine->options.count) {
        l->base_s = eb_modelled_s(&l->modelling, l->base);
        return EB_OK;
    }
    const eb_option *flag = &l->engine->options.option[task];
    l->without_s[task] = NAN;
    if (flag->type != EB_ARG_FLAG || !(flag->published_tflops > 0))
        return EB_OK;
    eb_options_leave_out(&without, flag);
    l->without_s[task] = eb_modelled_s(&l->modelling, &without);
    return EB_OK;
}

static void add_switch(eb_table *table, const listing *l, const eb_option *flag)
{
    char presets[128], also[128];
    eb_options without = l->all;
    eb_options_leave_out(&without, flag);
    const uint32_t others = eb_flags_lost(&l->all, &without) & ~(UINT32_C(1) << (flag - l->engine->options.option));
    EB_ROW(table, eb_text(flag->name), eb_text(flag->help), presets_of(flag, presets, sizeof presets),
           eb_text(flag->needs), names_or_na(eb_flag_names(&l->engine->options, others, ", ", also, sizeof also)),
           published_rate(flag->published_tflops), eb_real(published_slowdown(l->engine, flag)),
           eb_real(l->without_s[flag - l->engine->options.option] / l->base_s));
}

void eb_report_switches(eb_report *report, const eb_engine *engine, const eb_options *base, eb_job *job)
{
    char title[80];
    (void)snprintf(title, sizeof title, "%s's optimisations", engine->title);
    eb_table *table = EB_TABLE(report, EB_F(switches), title, EB_F(switch), EB_F(summary), EB_F(preset), EB_F(needs),
                               EB_F(also_off), EB_F(published_tflops), EB_F(published_slowdown), EB_F(model_slowdown));
    listing l = {.engine = engine,
                 .base = base,
                 .modelling = eb_modelling_of(engine, EB_PUBLISHED_GPU, EB_PUBLISHED_N, EB_PUBLISHED_D)};
    l.modelling.job = job;
    eb_status unsaid; /* a time that cannot be modelled is n/a, not an error */
    l.base_s = NAN;
    (void)eb_parallel(eb_cpu_count(), engine->options.count + 1, model_one, &l, job, &unsaid);
    eb_options_default(&engine->options, &l.all);
    for (size_t k = 0; k < engine->options.count; k++)
        if (engine->options.option[k].type == EB_ARG_FLAG)
            add_switch(table, &l, &engine->options.option[k]);
    eb_report_field(report, EB_F(published_tflops), published_rate(engine->published_tflops));
    eb_note_published(report, engine);
    if (engine->plan)
        eb_report_note(
            report, "the model's slowdown is predicted by `model` for %s, n = %d, d = %d, and unverified for that GPU",
            EB_PUBLISHED_GPU, EB_PUBLISHED_N, EB_PUBLISHED_D);
}

/* ---- modelled times of an ablation ---- */

/* A setup of the spec on an assumed GPU, if the engine has options for GPUs. */
static eb_setup setup_of(const eb_spec *spec)
{
    eb_setup setup = {.engine = spec->engine,
                      .options = spec->options,
                      .device = {.kind = EB_DEVICE_CPU, .name = "cpu"}};
    for (size_t k = 0; k < spec->engine->options.count; k++)
        if (spec->engine->options.option[k].devices & EB_ON_CUDA)
            setup.device = (eb_device){.kind = EB_DEVICE_CUDA, .name = "a GPU"};
    (void)eb_spec_text(spec, setup.spec, sizeof setup.spec);
    return setup;
}

static void add_prediction(eb_table *table, const eb_spec *spec, const eb_ablation_plan *plan,
                           const eb_switch_sets *sets, size_t k, const double *model_s)
{
    eb_spec own = {.engine = spec->engine, .options = sets->set[k].options};
    const eb_options *from = &sets->set[eb_is_step(plan->way, k) ? k - 1 : 0].options;
    const uint32_t named = sets->set[k].named,
                   changed = plan->from_bare ? eb_flags_lost(&own.options, from) : eb_flags_lost(from, &own.options);
    char names[EB_OPTIONS_TEXT], also[EB_OPTIONS_TEXT], text[EB_SPEC_TEXT];
    (void)eb_flag_names(from->list, named, " + ", names, sizeof names);
    EB_ROW(table, eb_text(named ? names : eb_baseline_name(plan->from_bare)),
           names_or_na(eb_flag_names(from->list, changed & ~named, ", ", also, sizeof also)),
           eb_text(eb_spec_text(&own, text, sizeof text)), eb_real(model_s[k]),
           eb_real(plan->from_bare ? model_s[0] / model_s[k] : model_s[k] / model_s[0]));
}

eb_code eb_report_predictions(eb_report *report, const eb_spec *spec, const eb_ablation_plan *plan, eb_job *job,
                              eb_status *status)
{
    const eb_setup setup = setup_of(spec);
    eb_modelling modelling = eb_modelling_of(spec->engine, EB_PUBLISHED_GPU, EB_PUBLISHED_N, EB_PUBLISHED_D);
    const bool bare = plan->from_bare;
    eb_switch_sets sets;
    double model_s[EB_MOST_VARIANTS];
    char title[80];
    modelling.job = job;
    EB_TRY(eb_choose_switch_sets(&setup, plan, &sets, status));
    (void)snprintf(title, sizeof title, "%s, by the machine model", eb_ablation_title(plan->way, bare));
    EB_FIELDS(report, {EB_F(ablation), eb_text(eb_ablation_name(plan->way, bare))},
              {EB_F(from), eb_text(bare ? "bare" : "all")});
    eb_table *table = EB_TABLE(report, EB_F(predictions), title, EB_F(switch), bare ? EB_F(also_on) : EB_F(also_off),
                               EB_F(spec), EB_F(model_s), bare ? EB_F(model_speedup) : EB_F(model_slowdown));
    for (size_t k = 0; k < sets.count; k++) {
        model_s[k] = eb_modelled_s(&modelling, &sets.set[k].options);
        add_prediction(table, spec, plan, &sets, k, model_s);
        EB_TRY(eb_job_check(job, status));
    }
    return EB_OK;
}
