#include "shell/commands/run_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct timing_part {
    const char *key, *title;
    size_t offset;
} timing_part;

static const timing_part parts[] = {
    {"upload", "upload", offsetof(eb_timing, upload_s)},
    {"convert", "conversion", offsetof(eb_timing, convert_s)},
    {"norms", "norms", offsetof(eb_timing, norms_s)},
    {"kernel", "kernels", offsetof(eb_timing, kernel_s)},
    {"download", "download", offsetof(eb_timing, download_s)},
    {"table", "neighbour table", offsetof(eb_timing, table_s)},
};

static double part_of(const eb_timing *timing, size_t offset)
{
    double seconds;
    memcpy(&seconds, (const char *)timing + offset, sizeof seconds);
    return seconds;
}

double *eb_run_seconds(const eb_run *run, size_t part)
{
    double *seconds = run->trials_done ? malloc(run->trials_done * sizeof *seconds) : NULL;
    for (unsigned k = 0; seconds && k < run->trials_done; k++)
        seconds[k] = part_of(&run->trials[k], part);
    return seconds;
}

static eb_summary summary_of(const eb_run *run, size_t part)
{
    double *seconds = eb_run_seconds(run, part);
    eb_summary summary = eb_summarise(seconds, seconds ? run->trials_done : 0);
    free(seconds);
    return summary;
}

const char *eb_run_state_name(eb_run_state state)
{
    static const char *const names[] = {
        [EB_RUN_RUNNING] = "running", [EB_RUN_DONE] = "done", [EB_RUN_PARTIAL] = "partial", [EB_RUN_FAILED] = "failed"};
    return names[state];
}

eb_run_figures eb_run_figures_of(const eb_run *run)
{
    const eb_engine *engine = run->engine;
    bool watched = false;
    uint64_t throttle = 0;
    eb_run_figures f = {.kernel = summary_of(run, offsetof(eb_timing, kernel_s)),
                        .total = summary_of(run, offsetof(eb_timing, total_s)),
                        .tflops_executed = NAN,
                        .energy_j = summary_of(run, offsetof(eb_timing, energy_j)).median,
                        .sm_clock_hz = summary_of(run, offsetof(eb_timing, sm_clock_hz)).median};
    if (run->trials_done > 0) {
        f.pairs = eb_uint(run->pairs);
        f.selectivity = eb_real(eb_selectivity(run->pairs, run->n));
    }
    if (run->table)
        f.stored = eb_uint(run->table->offsets[run->table->rows]);
    f.tflops_derived = eb_derived_flops(run->n, run->d, f.kernel.median) / 1e12;
    if (engine->executed_flops && f.kernel.median > 0)
        f.tflops_executed = engine->executed_flops(run->n, run->d, &run->options) / f.kernel.median / 1e12;
    f.limit_share = f.tflops_executed * 1e12 / eb_device_limit(&run->device, engine->limit);
    for (unsigned k = 0; k < run->trials_done; k++) {
        watched |= !isnan(run->trials[k].sm_clock_hz);
        throttle |= run->trials[k].throttle;
    }
    if (watched || throttle)
        (void)eb_throttle_words(throttle, f.throttle, sizeof f.throttle);
    return f;
}

void eb_note_limit(eb_report *report, const eb_run *run)
{
    eb_run_figures f = eb_run_figures_of(run);
    if (f.limit_share > 1) /* not NAN */
        eb_report_note(report, "%s executes %.4g TFLOPS, above the device's measured limit of %.4g: not believable",
                       run->engine->name, f.tflops_executed, f.tflops_executed / f.limit_share);
}

/* ---- side by side ---- */

/* What a table of runs may leave out. */
typedef struct runs_shown {
    bool stored, limit, energy, clock, throttle;
} runs_shown;

static void add_run(eb_table *table, const eb_run *run, const runs_shown *shown)
{
    eb_run_figures f = eb_run_figures_of(run);
    eb_value cells[24];
    size_t used = 0;
    cells[used++] = eb_text(run->engine->name);
    cells[used++] = eb_text(run->device.name);
    cells[used++] = eb_real(run->eps);
    cells[used++] = f.selectivity;
    cells[used++] = f.pairs;
    if (shown->stored)
        cells[used++] = f.stored;
    cells[used++] = eb_real(f.kernel.median);
    cells[used++] = eb_real(f.kernel.min);
    cells[used++] = eb_real(f.kernel.cov);
    cells[used++] = eb_real(f.total.median);
    cells[used++] = eb_real(f.total.min);
    cells[used++] = eb_real(f.total.cov);
    cells[used++] = eb_real(f.tflops_derived);
    cells[used++] = eb_real(f.tflops_executed);
    if (shown->limit)
        cells[used++] = eb_real(f.limit_share);
    if (shown->energy)
        cells[used++] = eb_real(f.energy_j);
    if (shown->clock)
        cells[used++] = eb_real(f.sm_clock_hz);
    if (shown->throttle)
        cells[used++] = f.throttle[0] ? eb_text(f.throttle) : eb_na();
    cells[used++] = eb_uint(run->trials_done);
    cells[used++] = eb_text(eb_run_state_name(run->state));
    eb_table_row(table, cells, used);
}

void eb_report_runs(eb_report *report, const char *title, const eb_run *const *runs, size_t count)
{
    runs_shown shown = {0};
    for (size_t k = 0; k < count; k++) {
        eb_run_figures f = eb_run_figures_of(runs[k]);
        shown.stored |= runs[k]->mode == EB_RUN_TABLE || runs[k]->table;
        shown.limit |= runs[k]->device.kind == EB_DEVICE_CUDA;
        shown.energy |= !isnan(f.energy_j);
        shown.clock |= !isnan(f.sm_clock_hz);
        shown.throttle |= f.throttle[0] != '\0';
    }
    eb_table *table = eb_report_table(report, "runs", title);
    eb_table_turn(table);
    eb_table_column(table, "engine", "engine", EB_PLAIN);
    eb_table_column(table, "device", "device", EB_PLAIN);
    eb_table_column(table, "eps", "ε", EB_IDENTITY);
    eb_table_column(table, "selectivity", "selectivity S", EB_PLAIN);
    eb_table_column(table, "pairs", "pairs |R| found", EB_PLAIN);
    if (shown.stored)
        eb_table_column(table, "stored", "pairs stored", EB_PLAIN);
    eb_table_column(table, "kernel_s", "kernels, median", EB_SECONDS);
    eb_table_column(table, "kernel_min_s", "kernels, least", EB_SECONDS);
    eb_table_column(table, "kernel_cov", "kernels, CoV", EB_PERCENT);
    eb_table_column(table, "total_s", "end to end, median", EB_SECONDS);
    eb_table_column(table, "total_min_s", "end to end, least", EB_SECONDS);
    eb_table_column(table, "total_cov", "end to end, CoV", EB_PERCENT);
    eb_table_column(table, "tflops_derived", "derived rate, 2·n²·d", EB_TERAFLOPS);
    eb_table_column(table, "tflops_executed", "executed rate", EB_TERAFLOPS);
    if (shown.limit)
        eb_table_column(table, "limit_share", "of limit", EB_PERCENT);
    if (shown.energy)
        eb_table_column(table, "energy_j", "energy, median", EB_JOULES);
    if (shown.clock)
        eb_table_column(table, "sm_clock_hz", "SM clock, median", EB_HERTZ);
    if (shown.throttle)
        eb_table_column(table, "throttle", "clock held down by", EB_PLAIN);
    eb_table_column(table, "trials", "trials", EB_IDENTITY);
    eb_table_column(table, "state", "state", EB_PLAIN);
    for (size_t k = 0; k < count; k++)
        add_run(table, runs[k], &shown);
}

/* ---- where the time of runs went ---- */

enum { PARTS = sizeof parts / sizeof parts[0] };

/* What is left of a trial's whole; NAN where that is unknown. */
static double rest_of_trial(const eb_timing *timing)
{
    double rest = timing->total_s;
    for (size_t k = 0; k < PARTS; k++)
        rest -= fmax(0, part_of(timing, parts[k].offset)); /* fmax leaves NAN out */
    return isnan(rest) ? NAN : fmax(rest, 0);
}

/* The median over trials: that of the whole less those of the parts could be below 0. */
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
    bool known[PARTS] = {false};
    for (size_t r = 0; r < count; r++)
        for (size_t k = 0; k < PARTS; k++)
            known[k] |= !isnan(summary_of(runs[r], parts[k].offset).median);
    eb_table *table = eb_report_table(report, "split", "Where the time went, medians");
    eb_table_turn(table);
    eb_table_column(table, "engine", "engine", EB_PLAIN);
    for (size_t k = 0; k < PARTS; k++) {
        char key[32];
        (void)snprintf(key, sizeof key, "%s_s", parts[k].key);
        if (known[k])
            eb_table_column(table, key, parts[k].title, EB_SECONDS);
    }
    eb_table_column(table, "other_s", "all else", EB_SECONDS);
    for (size_t r = 0; r < count; r++) {
        eb_value cells[PARTS + 2] = {eb_text(runs[r]->engine->name)};
        size_t used = 1;
        for (size_t k = 0; k < PARTS; k++)
            if (known[k])
                cells[used++] = eb_real(summary_of(runs[r], parts[k].offset).median);
        cells[used++] = eb_real(rest_of(runs[r]));
        eb_table_row(table, cells, used);
    }
}

/* ---- one run ---- */

static void report_timing(eb_report *report, const eb_run *run, double total_s)
{
    eb_table *table = eb_report_table(report, "timing", "Where the time went");
    eb_table_column(table, "part", "part", EB_PLAIN);
    eb_table_column(table, "median_s", "median", EB_SECONDS);
    eb_table_column(table, "min_s", "least", EB_SECONDS);
    eb_table_column(table, "share", "share", EB_PERCENT);
    double known_s = 0;
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
        eb_summary s = summary_of(run, parts[k].offset);
        if (isnan(s.median))
            continue; /* this engine has no such part */
        known_s += s.median;
        eb_table_row(table,
                     (eb_value[]){eb_text(parts[k].title), eb_real(s.median), eb_real(s.min),
                                  eb_real(s.median / total_s)},
                     4);
    }
    if (total_s > known_s)
        eb_table_row(table,
                     (eb_value[]){eb_text("all else"), eb_real(total_s - known_s), eb_na(),
                                  eb_real((total_s - known_s) / total_s)},
                     4);
}

void eb_report_run(eb_report *report, const eb_run *run)
{
    eb_run_figures f = eb_run_figures_of(run);
    eb_report_field(report, "engine", "engine", EB_PLAIN, eb_text(run->engine->name));
    eb_report_field(report, "device", "device", EB_PLAIN, eb_text(run->device.name));
    eb_report_field(report, "n", "points n", EB_PLAIN, eb_uint(run->n));
    eb_report_field(report, "d", "dimensions d", EB_PLAIN, eb_uint(run->d));
    eb_report_field(report, "eps", "ε", EB_PLAIN, eb_real(run->eps));
    eb_report_field(report, "selectivity", "selectivity S", EB_PLAIN, f.selectivity);
    eb_report_field(report, "pairs", "pairs |R| found", EB_PLAIN, f.pairs);
    eb_report_field(report, "stored", "pairs stored", EB_PLAIN, f.stored);
    if (run->mode == EB_RUN_TABLE)
        eb_report_field(report, "batches", "in batches", EB_PLAIN, eb_uint(run->batches));
    eb_report_field(report, "state", "state", EB_PLAIN, eb_text(eb_run_state_name(run->state)));
    eb_report_field(report, "trials", "trials", EB_PLAIN, eb_uint(run->trials_done));
    eb_report_field(report, "kernel_s", "kernels, median", EB_SECONDS, eb_real(f.kernel.median));
    eb_report_field(report, "kernel_min_s", "kernels, least", EB_SECONDS, eb_real(f.kernel.min));
    eb_report_field(report, "kernel_cov", "kernels, CoV", EB_PERCENT, eb_real(f.kernel.cov));
    eb_report_field(report, "total_s", "end to end, median", EB_SECONDS, eb_real(f.total.median));
    eb_report_field(report, "total_min_s", "end to end, least", EB_SECONDS, eb_real(f.total.min));
    eb_report_field(report, "total_cov", "end to end, CoV", EB_PERCENT, eb_real(f.total.cov));
    eb_report_field(report, "tflops_derived", "derived rate, 2·n²·d", EB_TERAFLOPS, eb_real(f.tflops_derived));
    eb_report_field(report, "tflops_executed", "executed rate", EB_TERAFLOPS, eb_real(f.tflops_executed));
    if (run->device.kind == EB_DEVICE_CUDA)
        eb_report_field(report, "limit_share", "of limit", EB_PERCENT, eb_real(f.limit_share));
    if (!isnan(f.energy_j))
        eb_report_field(report, "energy_j", "energy, median", EB_JOULES, eb_real(f.energy_j));
    if (!isnan(f.sm_clock_hz))
        eb_report_field(report, "sm_clock_hz", "SM clock, median", EB_HERTZ, eb_real(f.sm_clock_hz));
    if (f.throttle[0] != '\0')
        eb_report_field(report, "throttle", "clock held down by", EB_PLAIN, eb_text(f.throttle));
    if (run->trials_done > 0)
        report_timing(report, run, f.total.median);
    if (run->note[0] != '\0')
        eb_report_note(report, "%s: %s", run->engine->name, run->note);
    if (run->state == EB_RUN_PARTIAL)
        eb_report_note(report, "interrupted after %u of %u trials", run->trials_done, run->trials_wanted);
    eb_note_limit(report, run);
}
