#include "shell/commands/run_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/experiment/time_words.h"
#include "core/report/find.h"
#include "shell/commands/members_report.h"

/* ---- a run's figures ---- */

/* Parts of a trial's time that most engines have, in the order shown; an engine's own parts follow. */
static const eb_figure *const usual_parts[] = {&eb_figure_upload, &eb_figure_convert,  &eb_figure_norms,
                                               &eb_figure_kernel, &eb_figure_download, &eb_figure_table};
enum { USUAL = sizeof usual_parts / sizeof usual_parts[0], MOST = USUAL + EB_MOST_FIGURES };

static eb_value count_of(const eb_run *run, const char *key)
{
    double count = eb_run_summary(run, key).median;
    return isnan(count) ? eb_na() : eb_uint((uint64_t)count);
}

static bool has(const eb_run *const *runs, size_t count, const char *key)
{
    bool found = false;
    for (size_t r = 0; r < count; r++)
        found |= !isnan(eb_run_summary(runs[r], key).median);
    return found;
}

/* Writes the figures of a role that any of the runs has to out[MOST]; returns their number. */
static size_t figures_of(const eb_run *const *runs, size_t count, eb_figure_role role, eb_figure *out)
{
    size_t found = 0;
    for (size_t k = 0; k < USUAL && role == EB_FIGURE_PART; k++)
        if (has(runs, count, usual_parts[k]->key))
            out[found++] = *usual_parts[k];
    eb_figure next;
    for (size_t r = 0; r < count; r++)
        for (size_t k = 0; found < MOST && eb_run_figure_at(runs[r], k, &next); k++) {
            bool known = next.role != role;
            for (size_t f = 0; f < found; f++)
                known |= strcmp(out[f].key, next.key) == 0;
            if (!known)
                out[found++] = next;
        }
    return found;
}

eb_run_numbers eb_run_numbers_of(const eb_run *run)
{
    eb_run_numbers f = {.kernel = eb_run_summary(run, eb_figure_kernel.key),
                        .total = eb_run_summary(run, eb_figure_total.key),
                        .energy_j = eb_run_summary(run, eb_figure_energy.key).median,
                        .sm_clock_hz = eb_run_summary(run, eb_figure_sm_clock.key).median,
                        .truth_error = eb_run_summary(run, eb_figure_truth_error.key).median,
                        .undecided_found = count_of(run, eb_figure_undecided_found.key),
                        .undecided_missed = count_of(run, eb_figure_undecided_missed.key)};
    if (run->trials_done > 0) {
        f.pairs = eb_uint(run->pairs);
        f.selectivity = eb_real(eb_selectivity(run->pairs, run->n));
    }
    if (run->table)
        f.stored = eb_uint(run->table->offsets[run->table->rows]);
    double executed = eb_run_summary(run, eb_figure_executed_flops.key).median;
    f.tflops_derived = eb_derived_flops(run->n, eb_run_right(run), run->d, f.kernel.median) / 1e12;
    f.tflops_executed = f.kernel.median > 0 ? executed / f.kernel.median / 1e12 : NAN;
    f.limit_share = f.tflops_executed * 1e12 / eb_run_summary(run, EB_F(limit_flops)->key).median;
    bool watched = !isnan(f.sm_clock_hz);
    uint64_t throttle = 0;
    for (unsigned k = 0; k < run->trials_done; k++) {
        double reasons = eb_figures_value(&run->trials[k], eb_figure_throttle.key);
        throttle |= reasons > 0 ? (uint64_t)reasons : 0;
    }
    if (watched || throttle)
        (void)eb_throttle_words(throttle, f.throttle, sizeof f.throttle);
    return f;
}

void eb_note_limit(eb_report *report, const eb_run *run)
{
    eb_run_numbers f = eb_run_numbers_of(run);
    if (f.limit_share > 1) /* not NAN */
        eb_report_note(report, "%s executes %.4g TFLOPS, above the device's measured limit of %.4g: not believable",
                       run->setup.spec, f.tflops_executed, f.tflops_executed / f.limit_share);
}

void eb_warn_of_run(eb_report *report, const eb_run *run)
{
    if (run->warning[0] != '\0')
        eb_report_warn(report, "%s: %s", run->setup.spec, run->warning);
}

static void note_run(eb_report *report, const eb_run *run, const char *who)
{
    eb_warn_of_run(report, run);
    if (run->note[0] != '\0')
        eb_report_note(report, "%s: %s", run->setup.spec, run->note);
    if (run->state == EB_RUN_PARTIAL)
        eb_report_note(report, "%s%sinterrupted after %u of %u trials", who, who[0] ? " was " : "", run->trials_done,
                       run->trials_wanted);
    eb_note_limit(report, run);
}

void eb_note_run(eb_report *report, const eb_run *run) { note_run(report, run, run->setup.spec); }

bool eb_specs_tell(const eb_run *const *runs, size_t count)
{
    bool tell = false;
    for (size_t k = 0; k < count; k++)
        tell |= strcmp(runs[k]->setup.spec, runs[k]->setup.engine->name) != 0;
    return tell;
}

/* ---- side by side ---- */

/* Target of put(): fields of a report, or a table whose columns are made first and whose rows are filled after. */
typedef struct sheet {
    eb_report *fields; /* NULL: the target is the table */
    eb_table *table;
    bool columns; /* put() makes columns; else it fills cells */
    eb_value cell[26 + MOST];
    size_t used;
    eb_run_numbers numbers; /* of the current run; cells point to its text */
} sheet;

static void put(sheet *s, const eb_column *field, eb_value value)
{
    if (s->fields)
        eb_report_field(s->fields, field, value);
    else if (s->columns)
        eb_table_column(s->table, field);
    else
        s->cell[s->used++] = value;
}

/* The optional fields that a report of runs has. */
typedef struct runs_shown {
    bool specs, distances, stored, limit, energy, clock, throttle, truth, team,
        undecided; /* undecided: shown to people too */
    eb_figure fact[MOST];
    size_t facts;
} runs_shown;

static runs_shown choose_shown(const eb_run *const *runs, size_t count)
{
    runs_shown shown = {.specs = eb_specs_tell(runs, count)};
    shown.facts = figures_of(runs, count, EB_FIGURE_FACT, shown.fact);
    for (size_t k = 0; k < count; k++) {
        eb_run_numbers f = eb_run_numbers_of(runs[k]);
        shown.stored |= runs[k]->mode == EB_RUN_TABLE || runs[k]->table;
        shown.distances |= runs[k]->mode == EB_RUN_TABLE && runs[k]->distances != EB_DISTANCES_F64;
        shown.limit |= runs[k]->setup.device.kind == EB_DEVICE_CUDA;
        shown.energy |= !isnan(f.energy_j);
        shown.clock |= !isnan(f.sm_clock_hz);
        shown.throttle |= f.throttle[0] != '\0';
        shown.truth |= !isnan(f.truth_error);
        shown.team |= runs[k]->team.members > 0;
    }
    return shown;
}

static void put_numbers(sheet *s, const eb_run *run, const eb_run_numbers *f, const runs_shown *shown)
{
    put(s, EB_F(kernel_median_s), eb_real(f->kernel.median));
    put(s, EB_F(kernel_min_s), eb_real(f->kernel.min));
    put(s, EB_F(kernel_cov), eb_real(f->kernel.cov));
    put(s, EB_F(total_median_s), eb_real(f->total.median));
    put(s, EB_F(total_min_s), eb_real(f->total.min));
    put(s, EB_F(total_cov), eb_real(f->total.cov));
    put(s, EB_F(tflops_derived), eb_real(f->tflops_derived));
    put(s, EB_F(tflops_executed), eb_real(f->tflops_executed));
    if (shown->limit)
        put(s, EB_F(limit_share), eb_real(f->limit_share));
    if (shown->team)
        put(s, EB_F(evenness), eb_real(eb_run_evenness(run)));
    if (shown->energy)
        put(s, EB_F(energy_median_j), eb_real(f->energy_j));
    if (shown->clock)
        put(s, EB_F(sm_clock_median_hz), eb_real(f->sm_clock_hz));
    if (shown->throttle)
        put(s, EB_F(throttle), f->throttle[0] ? eb_text(f->throttle) : eb_na());
    if (shown->truth) {
        put(s, EB_F_IF(shown->undecided, truth_error), eb_real(f->truth_error));
        put(s, EB_F_IF(shown->undecided, undecided_found), f->undecided_found);
        put(s, EB_F_IF(shown->undecided, undecided_missed), f->undecided_missed);
    }
    for (size_t k = 0; k < shown->facts; k++)
        put(s, &(eb_column){shown->fact[k].key, shown->fact[k].title, shown->fact[k].unit},
            eb_real(eb_run_summary(run, shown->fact[k].key).median));
}

static void put_run(sheet *s, const eb_run *run, const runs_shown *shown)
{
    const bool alone = s->fields != NULL;
    const eb_value state = eb_text(eb_run_state_name(run->state));
    const eb_run_numbers *f = &s->numbers;
    s->numbers = eb_run_numbers_of(run);
    put(s, EB_F_IF(alone || !shown->specs, engine), eb_text(run->setup.engine->name));
    put(s, alone ? EB_F_IF(shown->specs, spec_typed) : EB_F_IF(shown->specs, spec), eb_text(run->setup.spec));
    put(s, EB_F(device), eb_text(run->setup.device.name));
    if (alone) {
        put(s, EB_F(n), eb_uint(run->n));
        put(s, EB_F(d), eb_uint(run->d));
    }
    put(s, alone ? EB_F(eps) : EB_F(eps_exact), eb_real(run->eps));
    put(s, EB_F(selectivity), f->selectivity);
    put(s, EB_F(pairs), f->pairs);
    if (alone || shown->stored)
        put(s, EB_F(stored), f->stored);
    put(s, EB_F_IF(shown->distances, distances),
        eb_text(run->mode == EB_RUN_TABLE ? eb_distances_name(run->distances) : NULL));
    if (alone && run->mode == EB_RUN_TABLE)
        put(s, EB_F(batches), eb_uint(run->batches));
    if (alone)
        put(s, EB_F(state), state);
    else
        put_numbers(s, run, f, shown);
    put(s, EB_F(trials), eb_uint(run->trials_done));
    put(s, EB_F(warmup), eb_text(eb_warm_up_name(run->warm_up)));
    put(s, EB_F(warmup_s), eb_real(run->warm_up_s));
    if (alone)
        put_numbers(s, run, f, shown);
    else
        put(s, EB_F(state), state);
}

void eb_report_runs(eb_report *report, const char *title, const eb_run *const *runs, size_t count)
{
    runs_shown shown = choose_shown(runs, count);
    sheet s = {.table = eb_report_table(report, EB_F(runs), title), .columns = true};
    eb_table_turn(s.table);
    put_run(&s, runs[0], &shown);
    s.columns = false;
    for (size_t k = 0; k < count; k++, s.used = 0) {
        put_run(&s, runs[k], &shown);
        eb_table_row(s.table, s.cell, s.used);
    }
}

/* ---- parts of the time, of several runs ---- */

/* Seconds of a trial that belong to no part; NAN if the total is unknown. */
static double rest_of_trial(const eb_figures *trial)
{
    double rest = eb_figures_value(trial, eb_figure_total.key);
    for (size_t k = 0; k < trial->count; k++)
        if (trial->figure[k].role == EB_FIGURE_PART)
            rest -= fmax(0, trial->figure[k].value); /* fmax leaves NAN out */
    return isnan(rest) ? NAN : fmax(rest, 0);
}

/* Median of rest_of_trial over the trials. The median total minus the median parts could be negative. */
static double rest_of(const eb_run *run)
{
    double *rest = run->trials_done ? malloc(run->trials_done * sizeof *rest) : NULL;
    for (unsigned k = 0; rest && k < run->trials_done; k++)
        rest[k] = rest_of_trial(&run->trials[k]);
    eb_summary summary = eb_summarise(rest, rest ? run->trials_done : 0);
    free(rest);
    return summary.median;
}

void eb_report_splits(eb_report *report, const eb_run *const *runs, size_t count)
{
    eb_figure part[MOST];
    size_t parts = figures_of(runs, count, EB_FIGURE_PART, part);
    bool specs = eb_specs_tell(runs, count);
    eb_table *table = eb_report_table(report, EB_F(split), "Where the time went, medians");
    eb_table_turn(table);
    eb_table_column(table, EB_F_IF(!specs, engine));
    if (specs)
        eb_table_column(table, EB_F(spec));
    for (size_t k = 0; k < parts; k++)
        eb_table_column(table, &(eb_column){part[k].key, part[k].title, EB_SECONDS});
    eb_table_column(table, EB_F(other_s));
    for (size_t r = 0; r < count; r++) {
        eb_value cells[MOST + 3] = {eb_text(runs[r]->setup.engine->name), eb_text(runs[r]->setup.spec)};
        size_t used = 1 + specs;
        for (size_t k = 0; k < parts; k++)
            cells[used++] = eb_real(eb_run_summary(runs[r], part[k].key).median);
        cells[used++] = eb_real(rest_of(runs[r]));
        eb_table_row(table, cells, used);
    }
}

/* ---- emulation ---- */

bool eb_is_emulation(const eb_setup *setup)
{
    return setup->device.kind == EB_DEVICE_CPU &&
           (setup->engine->published_tflops > 0 || eb_option_find(&setup->engine->options, "core") != NULL);
}

bool eb_note_emulation(eb_report *report, const eb_setup *setup)
{
    if (!eb_is_emulation(setup))
        return false;
    eb_report_note(report,
                   "%s on %s is an emulation, bit by bit: it finds what a GPU finds; its time says nothing about a GPU",
                   setup->spec, setup->device.name);
    return true;
}

/* ---- one run ---- */

static void report_timing(eb_report *report, const eb_run *run, double total_s)
{
    eb_figure part[MOST];
    size_t parts = figures_of(&run, 1, EB_FIGURE_PART, part);
    eb_table *table = EB_TABLE(report, EB_F(timing), "Where the time went", EB_F(part), EB_F(median_s), EB_F(min_s),
                               EB_F(share), EB_HIDDEN(metric));
    double known_s = 0;
    for (size_t k = 0; k < parts; k++) {
        eb_summary s = eb_run_summary(run, part[k].key);
        known_s += s.median;
        EB_ROW(table, eb_text(part[k].title), eb_real(s.median), eb_real(s.min), eb_real(s.median / total_s),
               eb_text(part[k].key));
    }
    if (total_s > known_s)
        EB_ROW(table, eb_text("all else"), eb_real(total_s - known_s), eb_na(), eb_real((total_s - known_s) / total_s),
               eb_na());
}

void eb_report_run(eb_report *report, const eb_run *run)
{
    eb_run_numbers f = eb_run_numbers_of(run);
    runs_shown shown = choose_shown(&run, 1);
    sheet s = {.fields = report};
    shown.undecided = eb_value_number(f.undecided_found) > 0 || eb_value_number(f.undecided_missed) > 0;
    put_run(&s, run, &shown);
    if (run->trials_done > 0)
        report_timing(report, run, f.total.median);
    eb_report_members(report, &run, 1);
    note_run(report, run, "");
    eb_report_note(report, EB_TIMES_BRIEF);
}
