#include "shell/commands/ablation_report.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "shell/commands/run_report.h"

static const char published_note[] = "published: FASTED's paper, Table 5, on an A100 at d = 4096; its slowdowns "
                                     "compare with these, its rates with no other GPU "
                                     "or d";

/* ---- the switches ---- */

/* "" becomes n/a. */
static eb_value names_of(uint32_t set, char *buffer, size_t size)
{
    return set ? eb_text(eb_switch_names(set, buffer, size)) : eb_na();
}

static double published_slowdown(const eb_switch *s)
{
    return s->published_tflops > 0 ? EB_PUBLISHED_TFLOPS / s->published_tflops : NAN;
}

static eb_value published_rate(const eb_switch *s)
{
    return s->published_tflops > 0 ? eb_real(s->published_tflops) : eb_na();
}

void eb_report_switches(eb_report *report)
{
    eb_table *table = eb_report_table(report, "switches", "FASTED's optimisations");
    eb_table_column(table, "switch", "switch", EB_PLAIN);
    eb_table_column(table, "summary", "what it is", EB_PLAIN);
    eb_table_column(table, "preset", "in", EB_PLAIN);
    eb_table_column(table, "needs", "needs", EB_PLAIN);
    eb_table_column(table, "also_off", "takes off too", EB_PLAIN);
    eb_table_column(table, "published_tflops", "published", EB_TERAFLOPS);
    eb_table_column(table, "published_slowdown", "slowdown", EB_RATIO);
    for (size_t k = 0; k < eb_switch_count(); k++) {
        const eb_switch *s = eb_switch_at(k);
        char needs[128], also[128];
        uint32_t others = EB_PRESET_BEST & ~eb_without(EB_PRESET_BEST, s->bit) & ~s->bit;
        eb_table_row(table,
                     (eb_value[]){eb_text(s->name), eb_text(s->summary),
                                  eb_text(s->bit & EB_PRESET_PAPER ? "paper, best" : "best"),
                                  names_of(s->needs, needs, sizeof needs), names_of(others, also, sizeof also),
                                  published_rate(s), eb_real(published_slowdown(s))},
                     7);
    }
    eb_report_field(report, "published_tflops", "published, everything on", EB_TERAFLOPS, eb_real(EB_PUBLISHED_TFLOPS));
    eb_report_note(report, "%s", published_note);
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
    double *base = eb_run_seconds(&baseline->run, offsetof(eb_timing, kernel_s));
    double *own = eb_run_seconds(&v->run, offsetof(eb_timing, kernel_s));
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
    const eb_switch *out = v->left_out;
    char also[128], set[256];
    double slowdown;
    eb_run_figures f = eb_run_figures_of(&v->run);
    eb_value verdict = verdict_of(&a->variant[0], v, &slowdown);
    eb_switches_format(v->switches, set, sizeof set);
    eb_table_row(table,
                 (eb_value[]){eb_text(out ? out->name : "(all on)"),
                              names_of(out ? a->preset & ~v->switches & ~out->bit : 0, also, sizeof also), eb_text(set),
                              eb_real(f.kernel.median), eb_real(f.kernel.cov), eb_real(f.tflops_derived),
                              eb_real(f.tflops_executed), eb_real(f.limit_share), eb_real(slowdown), verdict,
                              out ? published_rate(out) : eb_real(EB_PUBLISHED_TFLOPS),
                              out ? eb_real(published_slowdown(out)) : eb_real(1), f.pairs,
                              eb_text(sameness_name(v->sameness)), eb_uint(v->run.trials_done),
                              eb_text(eb_run_state_name(v->run.state)),
                              eb_text(out ? out->summary : "every switch of the preset on")},
                 17);
}

static void report_variants(eb_report *report, const eb_ablation *a)
{
    eb_table *table = eb_report_table(report, "variants", "Without each switch");
    eb_table_column(table, "switch", "left out", EB_PLAIN);
    eb_table_column(table, "also_off", "off too", EB_PLAIN);
    eb_table_column(table, "switches", "what ran", EB_PLAIN);
    eb_table_column(table, "kernel_s", "kernels, median", EB_SECONDS);
    eb_table_column(table, "kernel_cov", "CoV", EB_PERCENT);
    eb_table_column(table, "tflops_derived", "derived rate", EB_TERAFLOPS);
    eb_table_column(table, "tflops_executed", "executed rate", EB_TERAFLOPS);
    eb_table_column(table, "limit_share", "of limit", EB_PERCENT);
    eb_table_column(table, "slowdown", "slowdown", EB_RATIO);
    eb_table_column(table, "verdict", "verdict", EB_PLAIN);
    eb_table_column(table, "published_tflops", "published", EB_TERAFLOPS);
    eb_table_column(table, "published_slowdown", "published slowdown", EB_RATIO);
    eb_table_column(table, "pairs", "pairs |R|", EB_PLAIN);
    eb_table_column(table, "results", "results", EB_PLAIN);
    eb_table_column(table, "trials", "trials", EB_PLAIN);
    eb_table_column(table, "state", "state", EB_PLAIN);
    eb_table_column(table, "summary", "what it is", EB_PLAIN);
    for (size_t k = 0; k < a->done; k++)
        if (a->variant[k].run.trials_done > 0)
            add_variant(table, a, &a->variant[k]);
}

static void report_notes(eb_report *report, const eb_ablation *a)
{
    const eb_variant *last = &a->variant[a->done - 1];
    if (a->done < a->wanted || last->run.state == EB_RUN_PARTIAL)
        eb_report_note(report, "ended at variant %zu of %zu", a->done, a->wanted);
    for (size_t k = 0; k < a->done; k++)
        eb_note_limit(report, &a->variant[k].run);
    for (size_t k = 0; k < a->done; k++)
        if (a->variant[k].sameness == EB_SAME_COUNT) {
            eb_report_note(report, "\"same count\": the neighbour tables do not fit the memory limit, so only |R| was "
                                   "compared; `set memory` raises it, a smaller ε makes them smaller");
            break;
        }
    eb_report_note(report, "%s", published_note);
}

void eb_report_ablation(eb_report *report, const eb_ablation *a)
{
    if (a->done == 0 || a->variant[0].run.trials_done == 0)
        return;
    const eb_run *baseline = &a->variant[0].run;
    eb_run_figures f = eb_run_figures_of(baseline);
    eb_report_field(report, "engine", "engine", EB_PLAIN, eb_text(baseline->engine->name));
    eb_report_field(report, "device", "device", EB_PLAIN, eb_text(baseline->device.name));
    eb_report_field(report, "preset", "preset", EB_PLAIN, eb_text(a->preset == EB_PRESET_BEST ? "best" : "paper"));
    eb_report_field(report, "n", "points n", EB_PLAIN, eb_uint(baseline->n));
    eb_report_field(report, "d", "dimensions d", EB_PLAIN, eb_uint(baseline->d));
    eb_report_field(report, "eps", "ε", EB_PLAIN, eb_real(baseline->eps));
    eb_report_field(report, "selectivity", "selectivity S", EB_PLAIN, f.selectivity);
    eb_report_field(report, "pairs", "pairs |R| found", EB_PLAIN, f.pairs);
    report_variants(report, a);
    report_notes(report, a);
}
