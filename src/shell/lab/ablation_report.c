#include "shell/lab/ablation_report.h"
#include "core/study/time_words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "shell/commands/run_report.h"
#include "shell/defaults.h"
#include "shell/lab/modelled_slowdown.h"

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

/* Where the paper has a figure: on its GPU and data's shape. */
static double modelled_beside_paper(const eb_engine *engine, const eb_options *base, const eb_option *flag)
{
    eb_options without = *base;
    if (!(flag->published_tflops > 0))
        return NAN;
    eb_options_leave_out(&without, flag);
    return eb_modelled_slowdown(engine, base, &without, EB_PUBLISHED_GPU, EB_PUBLISHED_N, EB_PUBLISHED_D);
}

static void add_switch(eb_table *table, const eb_engine *engine, const eb_options *all, const eb_options *base,
                       const eb_option *flag)
{
    char presets[128], also[128];
    eb_options without = *all;
    eb_options_leave_out(&without, flag);
    EB_ROW(table, eb_text(flag->name), eb_text(flag->help), presets_of(flag, presets, sizeof presets),
           eb_text(flag->needs), names_or_na(eb_flags_off(all, &without, flag, also, sizeof also)),
           published_rate(flag->published_tflops), eb_real(published_slowdown(engine, flag)),
           eb_real(modelled_beside_paper(engine, base, flag)));
}

static void note_published(eb_report *report, const eb_engine *engine)
{
    if (engine->published_note)
        eb_report_note(report, "%s", engine->published_note);
    if (engine->published_tflops > 0)
        eb_report_note(report, EB_PUBLISHED_BRIEF);
}

void eb_report_switches(eb_report *report, const eb_engine *engine, const eb_options *base)
{
    char title[80];
    (void)snprintf(title, sizeof title, "%s's optimisations", engine->title);
    eb_table *table = eb_report_table(report, "switches", title);
    EB_COLUMNS(table, {"switch", "switch", EB_PLAIN}, {"summary", "what it is", EB_PLAIN}, {"preset", "in", EB_PLAIN},
               {"needs", "needs", EB_PLAIN}, {"also_off", "takes off too", EB_PLAIN},
               {"published_tflops", "published", EB_TERAFLOPS}, {"published_slowdown", "slowdown", EB_RATIO},
               {"model_slowdown", "model's slowdown", EB_RATIO});
    eb_options all;
    eb_options_default(&engine->options, &all);
    for (size_t k = 0; k < engine->options.count; k++)
        if (engine->options.option[k].type == EB_OPTION_FLAG)
            add_switch(table, engine, &all, base, &engine->options.option[k]);
    eb_report_field(report, "published_tflops", "published, everything on", EB_TERAFLOPS,
                    published_rate(engine->published_tflops));
    note_published(report, engine);
    if (engine->plan)
        eb_report_note(report,
                       "the model's slowdown is of these kernels on %s, n = %d, d = %d, by `model`, unverified there",
                       EB_PUBLISHED_GPU, EB_PUBLISHED_N, EB_PUBLISHED_D);
}

/* ---- the variants ---- */

static const char *sameness_name(eb_sameness sameness)
{
    static const char *const names[] =
        {[EB_SAME_COUNT] = "same count", [EB_IDENTICAL] = "identical", [EB_DIFFERENT] = "DIFFERENT"};
    return sameness == EB_RESULTS_UNKNOWN ? NULL : names[sameness];
}

/* Slower or faster than the baseline, from the trials of both; the baseline itself has no verdict. */
static eb_value verdict_of(const eb_variant *baseline, const eb_variant *v, double *slowdown)
{
    double *base = eb_run_samples(&baseline->run, eb_figure_kernel.key);
    double *own = eb_run_samples(&v->run, eb_figure_kernel.key);
    eb_verdict verdict = EB_UNCLEAR;
    *slowdown = NAN;
    if (base && own)
        verdict = eb_compare_samples(base, baseline->run.trials_done, own, v->run.trials_done, slowdown);
    free(base);
    free(own);
    return v == baseline ? eb_na() : eb_text(eb_verdict_name(verdict));
}

static void add_variant(eb_table *table, const eb_ablation *a, const eb_variant *v)
{
    const eb_variant *baseline = &a->variant[0];
    const eb_engine *engine = v->setup.engine;
    const eb_option *out = v->left_out;
    char also[128], set[EB_OPTIONS_TEXT];
    double slowdown;
    eb_run_numbers f = eb_run_numbers_of(&v->run);
    eb_value verdict = verdict_of(baseline, v, &slowdown);
    EB_ROW(table, eb_text(out ? out->name : "(all on)"),
           names_or_na(eb_flags_off(&baseline->setup.options, &v->setup.options, out, also, sizeof also)),
           eb_text(eb_options_preset(&v->setup.options, set, sizeof set)), eb_real(f.kernel.median),
           eb_real(f.kernel.cov), eb_real(f.tflops_derived), eb_real(f.tflops_executed), eb_real(f.limit_share),
           eb_real(slowdown), verdict, published_rate(out ? out->published_tflops : engine->published_tflops),
           out                            ? eb_real(published_slowdown(engine, out))
           : engine->published_tflops > 0 ? eb_real(1)
                                          : eb_na(),
           eb_real(eb_modelled_slowdown(engine, &baseline->setup.options, &v->setup.options, v->setup.device.model,
                                        v->run.n, v->run.d)),
           f.pairs, eb_text(sameness_name(v->sameness)), eb_uint(v->run.trials_done),
           eb_text(eb_run_state_name(v->run.state)), eb_text(out ? out->help : "every switch of the preset on"),
           eb_text(v->setup.spec));
}

static void report_variants(eb_report *report, const eb_ablation *a)
{
    eb_table *table = eb_report_table(report, "variants", "Without each switch");
    EB_COLUMNS(table, {"switch", "left out", EB_PLAIN}, {"also_off", "off too", EB_PLAIN},
               {"switches", "what ran", EB_PLAIN}, {"kernel_s", "kernels, median", EB_SECONDS},
               {"kernel_cov", "CoV", EB_PERCENT}, {"tflops_derived", "derived rate", EB_TERAFLOPS},
               {"tflops_executed", "executed rate", EB_TERAFLOPS}, {"limit_share", "of limit", EB_PERCENT},
               {"slowdown", "slowdown", EB_RATIO}, {"verdict", "verdict", EB_PLAIN},
               {"published_tflops", "published", EB_TERAFLOPS}, {"published_slowdown", "published slowdown", EB_RATIO},
               {"model_slowdown", "model's slowdown", EB_RATIO}, {"pairs", "pairs |R|", EB_PLAIN},
               {"results", "results", EB_PLAIN}, {"trials", "trials", EB_PLAIN}, {"state", "state", EB_PLAIN},
               {"summary", "what it is", EB_PLAIN}, {"spec", NULL, EB_PLAIN});
    for (size_t k = 0; k < a->done; k++)
        if (a->variant[k].run.trials_done > 0)
            add_variant(table, a, &a->variant[k]);
}

static void report_notes(eb_report *report, const eb_ablation *a)
{
    const eb_variant *last = &a->variant[a->done - 1];
    if (last->run.state == EB_RUN_RUNNING)
        eb_report_note(report, "variant %zu of %zu", a->done, a->wanted);
    else if (a->done < a->wanted || last->run.state == EB_RUN_PARTIAL)
        eb_report_note(report, "ended at variant %zu of %zu", a->done, a->wanted);
    eb_warn_of_run(report, &a->variant[0].run); /* all round alike */
    for (size_t k = 0; k < a->done; k++)
        eb_note_limit(report, &a->variant[k].run);
    for (size_t k = 0; k < a->done; k++)
        if (a->variant[k].sameness == EB_SAME_COUNT) {
            eb_report_note(report, "\"same count\": the neighbour tables do not fit the memory limit, so only |R| was "
                                   "compared; `set memory` raises it, a smaller ε makes them smaller");
            break;
        }
    note_published(report, a->variant[0].setup.engine);
}

void eb_report_ablation(eb_report *report, const eb_ablation *a)
{
    if (a->done == 0 || a->variant[0].run.trials_done == 0)
        return;
    const eb_run *baseline = &a->variant[0].run;
    char preset[EB_OPTIONS_TEXT];
    eb_run_numbers f = eb_run_numbers_of(baseline);
    eb_report_field(report, "engine", "engine", EB_PLAIN, eb_text(baseline->setup.engine->name));
    eb_report_field(report, "device", "device", EB_PLAIN, eb_text(baseline->setup.device.name));
    eb_report_field(report, "preset", "preset", EB_PLAIN,
                    names_or_na(eb_options_preset(&baseline->setup.options, preset, sizeof preset)));
    eb_report_field(report, "n", "points n", EB_PLAIN, eb_uint(baseline->n));
    eb_report_field(report, "d", "dimensions d", EB_PLAIN, eb_uint(baseline->d));
    eb_report_field(report, "eps", "ε", EB_PLAIN, eb_real(baseline->eps));
    eb_report_field(report, "selectivity", "selectivity S", EB_PLAIN, f.selectivity);
    eb_report_field(report, "pairs", "pairs |R| found", EB_PLAIN, f.pairs);
    report_variants(report, a);
    report_notes(report, a);
}
