#include "shell/lab/ablation_report.h"

#include <math.h>
#include <stdio.h>

#include "core/base/parallel.h"
#include "core/experiment/time_words.h"
#include "shell/commands/run_report.h"
#include "shell/defaults.h"
#include "shell/lab/modelled_times.h"

/* "" becomes n/a. */
static eb_value names_or_na(const char *names) { return names[0] ? eb_text(names) : eb_na(); }

static eb_value published_rate(double tflops) { return tflops > 0 ? eb_real(tflops) : eb_na(); }

static const char *sameness_name(eb_sameness sameness)
{
    static const char *const names[] =
        {[EB_SAME_COUNT] = "same count", [EB_IDENTICAL] = "identical", [EB_DIFFERENT] = "DIFFERENT"};
    return sameness == EB_RESULTS_UNKNOWN ? NULL : names[sameness];
}

/* Data that the report needs for every variant. */
typedef struct account {
    const eb_ablation *ablation;
    const eb_experiment_cell *baseline;
    const double *model_s;
    bool published; /* the paper has figures for such variants */
} account;

/* True if the paper has figures for these variants: the unchanged preset without each switch in turn. */
static bool is_published(const eb_ablation *a)
{
    const eb_options *all = &a->e.cell[0].run.setup.options;
    bool any = false, each = true;
    for (size_t k = 0; k < all->list->count; k++)
        if (all->list->option[k].published_tflops > 0) {
            any = true;
            each &= eb_option_is_added(all, &all->list->option[k]);
        }
    return a->way == EB_ONE_AT_A_TIME && !a->from_bare && any && each && eb_options_are_presets(all);
}

/* The only switch that the variant names; NULL: it names several, or it is the baseline. */
static const eb_option *single(const account *of, const eb_experiment_cell *v)
{
    const eb_option_list *list = v->run.setup.options.list;
    for (size_t k = 0; k < list->count; k++)
        if (of->ablation->named[v - of->baseline] == UINT64_C(1) << k)
            return &list->option[k];
    return NULL;
}

/* Slowdown against the baseline, or speedup against the bare kernel, with the ends of its interval. */
typedef struct change {
    double ratio, low, high, model;
    eb_value verdict, reason;
} change;

static change change_of(const account *of, const eb_experiment_cell *v, eb_judgement *j)
{
    const double *model_s = of->model_s;
    *j = eb_judge_runs(&of->baseline->run, &v->run, eb_figure_kernel.key);
    change c = {.ratio = j->ratio,
                .low = j->low,
                .high = j->high,
                .model = model_s[v - of->baseline] / model_s[0],
                .verdict = eb_text(eb_verdict_name(j->verdict)),
                .reason = eb_text(j->reason)};
    if (v == of->baseline) {
        c.low = c.high = NAN;
        c.verdict = c.reason = eb_na();
    }
    return of->ablation->from_bare ? (change){1 / c.ratio, 1 / c.high, 1 / c.low, 1 / c.model, c.verdict, c.reason} : c;
}

static const char *summary_of(const account *of, const eb_experiment_cell *v)
{
    if (v == of->baseline)
        return of->ablation->from_bare ? "every switch of the preset off" : "every switch of the preset on";
    return single(of, v) ? single(of, v)->help : NULL;
}

static double published_tflops(const account *of, const eb_experiment_cell *v)
{
    if (!of->published)
        return NAN;
    return v == of->baseline ? v->run.setup.engine->published_tflops : single(of, v)->published_tflops;
}

static eb_value published_change(const account *of, const eb_experiment_cell *v)
{
    const double all = of->baseline->run.setup.engine->published_tflops, own = published_tflops(of, v);
    return own > 0 ? eb_real(all / own) : eb_na();
}

/* True if the switches that changed with a variant's are found against the previous variant, not the baseline. */
static bool is_step(eb_ablation_way way, size_t variant) { return way == EB_ONE_AFTER_ANOTHER && variant > 0; }

static const char *baseline_name(bool from_bare) { return from_bare ? "(bare)" : "(all on)"; }

static void add_variant(eb_table *table, const account *of, const eb_experiment_cell *v)
{
    const bool step = is_step(of->ablation->way, (size_t)(v - of->baseline));
    const eb_options *from = &(step ? &v[-1] : of->baseline)->run.setup.options, *own = &v->run.setup.options;
    const uint64_t changed = of->ablation->from_bare ? eb_flags_lost(own, from) : eb_flags_lost(from, own),
                   chosen = of->ablation->named[v - of->baseline];
    char named[EB_OPTIONS_TEXT], also[EB_OPTIONS_TEXT], set[EB_OPTIONS_TEXT];
    eb_run_numbers f = eb_run_numbers_of(&v->run);
    eb_judgement j;
    const change c = change_of(of, v, &j);
    (void)eb_flag_names(own->list, chosen, " + ", named, sizeof named);
    EB_ROW(table, eb_text(v == of->baseline ? baseline_name(of->ablation->from_bare) : named),
           names_or_na(eb_flag_names(own->list, changed & ~chosen, ", ", also, sizeof also)),
           eb_text(eb_options_preset(own, set, sizeof set)), eb_real(f.kernel.median), eb_real(f.kernel.cov),
           eb_real(f.tflops_derived), eb_real(f.tflops_executed), eb_real(f.limit_share), eb_real(c.ratio),
           eb_real(c.low), eb_real(c.high), c.verdict, c.reason, published_rate(published_tflops(of, v)),
           published_change(of, v), eb_real(c.model), f.pairs, eb_text(sameness_name(v->sameness)),
           eb_uint(v->run.trials_done), eb_text(eb_run_state_name(v->run.state)), eb_text(summary_of(of, v)),
           eb_text(v->run.setup.spec));
}

static const char *ablation_title(eb_ablation_way way, bool from_bare)
{
    static const char *const titles[][2] = {
        [EB_ONE_AT_A_TIME] = {"Without each switch", "With each switch alone"},
        [EB_ONE_AFTER_ANOTHER] = {"Without one switch after another", "With one switch after another"},
        [EB_ALL_SUBSETS] = {"Without every subset", "With every subset"},
        [EB_NAMED_SUBSETS] = {"Without these switches", "With these switches"},
    };
    return titles[way][from_bare];
}

/* Ablations from all switches on and from the bare kernel report different numbers, so their keys differ. */
static void add_columns(eb_table *table, const account *of)
{
    const bool bare = of->ablation->from_bare;
    EB_COLUMNS(table, EB_F(switch), bare ? EB_F(also_on) : EB_F(also_off), EB_F(switches), EB_F(kernel_median_s),
               EB_F(kernel_cov), EB_F(tflops_derived), EB_F(tflops_executed), EB_F(limit_share),
               bare ? EB_F(speedup) : EB_F(slowdown), bare ? EB_F(speedup_low) : EB_F(slowdown_low),
               bare ? EB_F(speedup_high) : EB_F(slowdown_high), EB_F(verdict), EB_HIDDEN(reason),
               EB_F_IF(of->published, published_tflops), EB_F_IF(of->published, published_slowdown),
               bare ? EB_F(model_speedup) : EB_F(model_slowdown), EB_F(pairs), EB_F(results), EB_F(trials), EB_F(state),
               EB_F(summary), EB_HIDDEN(spec));
}

static void report_variants(eb_report *report, const account *of)
{
    const eb_ablation *a = of->ablation;
    eb_table *table = eb_report_table(report, EB_F(variants), ablation_title(a->way, a->from_bare));
    add_columns(table, of);
    for (size_t k = 0; k < a->e.begun; k++)
        if (a->e.cell[k].run.trials_done > 0)
            add_variant(table, of, &a->e.cell[k]);
}

/* Notes which hardware and data the published figures of the engine's switches are for. */
static void note_published(eb_report *report, const eb_engine *engine)
{
    if (engine->published_note)
        eb_report_note(report, "%s", engine->published_note);
    if (engine->published_tflops > 0)
        eb_report_note(report, EB_PUBLISHED_BRIEF);
}

static void report_notes(eb_report *report, const account *of)
{
    const eb_experiment *e = &of->ablation->e;
    const eb_run_state last = e->cell[e->begun - 1].run.state;
    if (last == EB_RUN_RUNNING)
        eb_report_note(report, "variant %zu of %zu", e->begun, e->cells);
    else if (e->begun < e->cells || last == EB_RUN_PARTIAL)
        eb_report_note(report, "ended at variant %zu of %zu", e->begun, e->cells);
    eb_warn_of_run(report, &e->cell[0].run); /* all variants have the same warning, since they round alike */
    for (size_t k = 0; k < e->begun; k++)
        eb_note_limit(report, &e->cell[k].run);
    for (size_t k = 0; k < e->begun; k++)
        if (e->cell[k].sameness == EB_SAME_COUNT) {
            eb_report_note(report, "\"same count\": the neighbour tables do not fit the memory limit, so only |R| was "
                                   "compared; `set memory=SIZE` raises it, a smaller ε makes them smaller");
            break;
        }
    if (of->published)
        note_published(report, of->baseline->run.setup.engine);
}

void eb_report_ablation(eb_report *report, const eb_ablation *a, const double *model_s)
{
    if (a->e.begun == 0 || a->e.cell[0].run.trials_done == 0)
        return;
    const account of = {a, &a->e.cell[0], model_s, is_published(a)};
    const eb_run *baseline = &a->e.cell[0].run;
    char preset[EB_OPTIONS_TEXT];
    eb_run_numbers f = eb_run_numbers_of(baseline);
    EB_FIELDS(report, {EB_F(engine), eb_text(baseline->setup.engine->name)},
              {EB_F(device), eb_text(baseline->setup.device.name)},
              {EB_F(preset), names_or_na(eb_options_preset(&baseline->setup.options, preset, sizeof preset))},
              {EB_F(ablation), eb_text(eb_ablation_name(a->way, a->from_bare))},
              {EB_F(from), eb_text(a->from_bare ? "bare" : "all")}, {EB_F(n), eb_uint(baseline->n)},
              {EB_F(d), eb_uint(baseline->d)}, {EB_F(eps), eb_real(baseline->eps)}, {EB_F(selectivity), f.selectivity},
              {EB_F(pairs), f.pairs});
    report_variants(report, &of);
    report_notes(report, &of);
}

/* ---- the switches ---- */

static double published_slowdown(const eb_engine *engine, const eb_option *flag)
{
    return flag->published_tflops > 0 ? engine->published_tflops / flag->published_tflops : NAN;
}

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
    const uint64_t others = eb_flags_lost(&l->all, &without) & ~(UINT64_C(1) << (flag - l->engine->options.option));
    EB_ROW(table, eb_text(flag->name), eb_text(flag->help), presets_of(flag, presets, sizeof presets),
           eb_text(flag->needs), names_or_na(eb_flag_names(&l->engine->options, others, ", ", also, sizeof also)),
           published_rate(flag->published_tflops), eb_real(published_slowdown(l->engine, flag)),
           eb_real(l->without_s[flag - l->engine->options.option] / l->base_s),
           eb_text(eb_published_why_of(l->engine, flag->name)));
}

/* A sentence for each switch whose published slowdown is another than the model's. */
static void note_why(eb_report *report, const eb_engine *engine)
{
    for (const eb_published_why *why = engine->published_why; why && why->option; why++)
        if (why->option[0])
            eb_report_note(report, "%s, paper and model: %s", why->option, why->why);
}

void eb_report_switches(eb_report *report, const eb_engine *engine, const eb_options *base, eb_job *job)
{
    char title[80];
    (void)snprintf(title, sizeof title, "%s's optimisations", engine->title);
    eb_table *table =
        EB_TABLE(report, EB_F(switches), title, EB_F(switch), EB_F(summary), EB_F(preset), EB_F(needs), EB_F(also_off),
                 EB_F(published_tflops), EB_F(published_slowdown), EB_F(model_slowdown), EB_HIDDEN(why_they_differ));
    listing l = {.engine = engine,
                 .base = base,
                 .modelling = eb_modelling_of(engine, EB_PUBLISHED_GPU, EB_PUBLISHED_N, EB_PUBLISHED_D)};
    l.modelling.job = job;
    eb_status unsaid; /* a time that cannot be modelled is n/a, not an error */
    l.base_s = NAN;
    for (size_t k = 0; k < EB_MOST_OPTIONS; k++)
        l.without_s[k] = NAN;
    (void)eb_parallel(eb_cpu_count(), engine->options.count + 1, model_one, &l, job, &unsaid);
    eb_options_default(&engine->options, &l.all);
    for (size_t k = 0; k < engine->options.count; k++)
        if (engine->options.option[k].type == EB_ARG_FLAG)
            add_switch(table, &l, &engine->options.option[k]);
    eb_report_field(report, EB_F(published_tflops), published_rate(engine->published_tflops));
    note_published(report, engine);
    note_why(report, engine);
    if (l.modelling.engine)
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
    const eb_options *from = &sets->set[is_step(plan->way, k) ? k - 1 : 0].options;
    const uint64_t named = sets->set[k].named,
                   changed = plan->from_bare ? eb_flags_lost(&own.options, from) : eb_flags_lost(from, &own.options);
    char names[EB_OPTIONS_TEXT], also[EB_OPTIONS_TEXT], text[EB_SPEC_TEXT];
    (void)eb_flag_names(from->list, named, " + ", names, sizeof names);
    EB_ROW(table, eb_text(named ? names : baseline_name(plan->from_bare)),
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
    (void)snprintf(title, sizeof title, "%s, by the machine model", ablation_title(plan->way, bare));
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
