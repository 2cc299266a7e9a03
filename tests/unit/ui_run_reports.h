/* ui_run_reports: reports of join, compare, counters and accuracy as tests of panels need them, with numbers made up to
 * be told apart. Header-only.
 */
#ifndef EB_TESTS_UI_RUN_REPORTS_H
#define EB_TESTS_UI_RUN_REPORTS_H

#include "core/report/find.h"
#include "core/report/report.h"
#include "ui/desk.h"

static inline void rr_head(eb_report *r)
{
    eb_report_field(r, "n", "points n", EB_PLAIN, eb_uint(60000));
    eb_report_field(r, "d", "dimensions d", EB_PLAIN, eb_uint(784));
    eb_report_field(r, "eps", "ε", EB_PLAIN, eb_real(1455.86));
}

/* The engines that run, first of all the two that are usually compared. */
typedef struct rr_engine {
    const char *name, *spec;
    double kernel_s, total_s, executed, limit_share, coordinate_bytes;
    double part[7]; /* of the time: upload … neighbour table, all else */
} rr_engine;

static const rr_engine rr_engines[] = {
    {"fasted", "fasted", 0.0125, 0.034, 225.8, 0.62, 2, {0.004, 0.003, 0.001, 0.0125, 0.006, 0.0055, 0.002}},
    {"ref64", "ref64", 0.25, 0.31, 11.3, 0.19, 8, {0.008, 0.01, 0.004, 0.25, 0.006, 0.03, 0.002}},
    {"fasted", "fasted[paper]", 0.02, 0.042, 140, 0.38, 2, {0.004, 0.003, 0.001, 0.02, 0.006, 0.0055, 0.0025}},
    {"tree", "tree[leaf=128]", 0.005, 0.05, 90, NAN, 4, {0.006, NAN, NAN, 0.005, 0.006, 0.0055, 0.0275}},
};
enum { RR_USUAL = 2, RR_ALL = 4 };

/* As reports do it: names where they tell the engines apart, else specs. */
static inline void rr_names(eb_table *t, size_t rows)
{
    bool specs = rows > RR_USUAL;
    eb_table_column(t, "engine", specs ? NULL : "engine", EB_PLAIN);
    eb_table_column(t, "spec", specs ? "engine" : NULL, EB_PLAIN);
}

/* gpu: on cuda:0, with limits, clock and copies; trials: of the first engine, 0: all is done. */
static inline void rr_runs(eb_report *r, bool gpu, unsigned trials, size_t rows)
{
    eb_table *t = eb_report_table(r, "runs", "Side by side");
    eb_table_turn(t);
    rr_names(t, rows);
    eb_table_column(t, "device", "device", EB_PLAIN);
    eb_table_column(t, "pairs", "pairs |R| found", EB_PLAIN);
    eb_table_column(t, "kernel_s", "kernels, median", EB_SECONDS);
    eb_table_column(t, "total_s", "end to end, median", EB_SECONDS);
    eb_table_column(t, "tflops_derived", "derived rate, 2·n²·d", EB_TERAFLOPS);
    eb_table_column(t, "tflops_executed", "executed rate", EB_TERAFLOPS);
    if (gpu) {
        eb_table_column(t, "limit_share", "of limit", EB_PERCENT);
        eb_table_column(t, "coordinate_bytes", "a coordinate takes", EB_BYTES);
    }
    eb_table_column(t, "trials", "trials", EB_IDENTITY);
    eb_table_column(t, "state", "state", EB_PLAIN);
    for (size_t k = 0; k < rows; k++) {
        const rr_engine *e = &rr_engines[k];
        eb_value cells[12] = {eb_text(e->name),         eb_text(e->spec),     eb_text(gpu ? "cuda:0" : "cpu"),
                              eb_uint(3900000 + k),     eb_real(e->kernel_s), eb_real(e->total_s),
                              eb_real(2 * e->executed), eb_real(e->executed)};
        size_t used = 8;
        if (gpu) {
            cells[used++] = eb_real(e->limit_share);
            cells[used++] = eb_real(e->coordinate_bytes);
        }
        cells[used++] = eb_uint(trials > 0 ? trials : 5);
        cells[used++] = eb_text(trials > 0 ? "running" : "done");
        eb_table_row(t, cells, used);
    }
}

/* own: some engine has a part of its own, behind those that all have. */
static inline void rr_split_with(eb_report *r, bool gpu, size_t rows, bool own)
{
    static const char *const key[] = {"upload_s",   "convert_s", "norms_s", "kernel_s",
                                      "download_s", "table_s",   "other_s"};
    static const char *const title[] = {"upload",   "conversion",      "norms",   "kernels",
                                        "download", "neighbour table", "all else"};
    eb_table *t = eb_report_table(r, "split", "Where the time went, medians");
    bool specs = rows > RR_USUAL;
    eb_table_turn(t);
    eb_table_column(t, "engine", specs ? NULL : "engine", EB_PLAIN);
    if (specs)
        eb_table_column(t, "spec", "engine", EB_PLAIN);
    for (size_t k = 0; k < 7; k++) {
        if (own && k == 6)
            eb_table_column(t, "build_s", "building the index", EB_SECONDS);
        if (gpu || (k != 0 && k != 2 && k != 4))
            eb_table_column(t, key[k], title[k], EB_SECONDS);
    }
    for (size_t row = 0; row < rows; row++) {
        eb_value cells[10] = {eb_text(rr_engines[row].name), eb_text(rr_engines[row].spec)};
        size_t used = 1 + specs;
        for (size_t k = 0; k < 7; k++) {
            if (own && k == 6)
                cells[used++] = row == RR_ALL - 1 ? eb_real(0.02) : eb_na();
            if (gpu || (k != 0 && k != 2 && k != 4))
                cells[used++] = eb_real(rr_engines[row].part[k]);
        }
        eb_table_row(t, cells, used);
    }
}

static inline void rr_split(eb_report *r, bool gpu, size_t rows) { rr_split_with(r, gpu, rows, false); }

/* truth: the other engine computes it; else what is found are differences. */
static inline void rr_accuracy_against(eb_report *r, const char *title, bool truth)
{
    eb_record *a = eb_report_record(r, "accuracy", title);
    eb_record_field(a, "overlap", "overlap, self left out, mean", EB_PERCENT, eb_real(0.99971));
    eb_record_field(a, "overlap_min", "overlap, least of a point", EB_PERCENT, eb_real(0.875));
    eb_record_field(a, truth ? "error_mean" : "difference_mean",
                    truth ? "distance error, mean" : "distance difference, mean", EB_PLAIN, eb_real(-0.0019));
    eb_record_field(a, truth ? "error_std" : "difference_std",
                    truth ? "distance error, deviation" : "distance difference, deviation", EB_PLAIN, eb_real(0.0082));
    eb_record_field(a, truth ? "error_max" : "difference_max",
                    truth ? "distance error, greatest" : "distance difference, greatest", EB_PLAIN, eb_real(0.122));
    eb_record_field(a, "only_fast", "pairs only the fast one has", EB_PLAIN, eb_uint(17));
    eb_record_field(a, "only_true", truth ? "pairs only the truth has" : "pairs only the other one has", EB_PLAIN,
                    eb_uint(23));
}

static inline void rr_accuracy(eb_report *r) { rr_accuracy_against(r, "Accuracy", true); }

/* One row for each engine but the reference; people see it where there are several. */
static inline void rr_accuracies_of(eb_report *r, size_t rows)
{
    eb_table *t = eb_report_table(r, "accuracies", rows > RR_USUAL ? "Accuracy against ref64" : NULL);
    eb_table_turn(t);
    eb_table_column(t, "spec", "engine", EB_PLAIN);
    eb_table_column(t, "overlap", "overlap, self left out, mean", EB_PERCENT);
    for (size_t k = 0; k < rows; k++)
        if (k != 1)
            eb_table_row(t, (eb_value[]){eb_text(rr_engines[k].spec), eb_real(0.99971 - 0.01 * (double)k)}, 2);
}

static inline void rr_verdicts(eb_report *r, size_t rows)
{
    bool several = rows > RR_USUAL;
    eb_record *v = eb_report_record(r, "verdict", several ? NULL : "fasted against ref64");
    eb_record_field(v, "kernel", "kernels", EB_PLAIN, eb_text("FASTER"));
    eb_record_field(v, "kernel_ratio", "kernels, time taken", EB_RATIO, eb_real(0.05));
    eb_record_field(v, "total", "end to end", EB_PLAIN, eb_text("UNCLEAR"));
    eb_record_field(v, "total_ratio", "end to end, time taken", EB_RATIO, eb_real(0.11));
    eb_table *t = eb_report_table(r, "verdicts", several ? "Against ref64" : NULL);
    eb_table_turn(t);
    eb_table_column(t, "spec", "engine", EB_PLAIN);
    eb_table_column(t, "kernel", "kernels", EB_PLAIN);
    eb_table_column(t, "total", "end to end", EB_PLAIN);
    for (size_t k = 0; k < rows; k++)
        if (k != 1)
            eb_table_row(t,
                         (eb_value[]){eb_text(rr_engines[k].spec), eb_text(k == 0 ? "FASTER" : "SLOWER"),
                                      eb_text("UNCLEAR")},
                         3);
}

static inline void rr_bars(eb_report *r, bool truth, size_t bins, bool logarithmic)
{
    double x[1000], y[1000];
    for (size_t k = 0; k < bins && k < 1000; k++) {
        x[k] = -0.05 + 0.1 * ((double)k + 0.5) / (double)bins;
        y[k] = 1000 / (1 + 40000 * x[k] * x[k]);
    }
    eb_series *s = eb_report_series(r, truth ? "errors" : "differences",
                                    truth ? "Distance error: fast - true" : "Distance difference: fast - other",
                                    EB_BARS, bins, x, y, NULL, NULL);
    eb_series_axes(s, truth ? "error" : "difference", truth ? "distance error" : "distance difference", false, "pairs",
                   "pairs", logarithmic);
    s->under = 393;
    s->over = 7;
}

static inline void rr_errors(eb_report *r, size_t bins, bool logarithmic) { rr_bars(r, true, bins, logarithmic); }

/* Two pairs of the three are judged differently. */
static inline void rr_boundary(eb_report *r)
{
    static const bool in_true[] = {true, true, false}, in_fast[] = {true, false, true};
    eb_table *t = eb_report_table(r, "boundary", "Pairs nearest to ε, with both verdicts");
    eb_table_column(t, "i", "i", EB_IDENTITY);
    eb_table_column(t, "j", "j", EB_IDENTITY);
    eb_table_column(t, "dist_true", "true", EB_PLAIN);
    eb_table_column(t, "dist_fast", "fast", EB_PLAIN);
    eb_table_column(t, "in_true", "in true", EB_PLAIN);
    eb_table_column(t, "in_fast", "in fast", EB_PLAIN);
    for (size_t k = 0; k < 3; k++)
        eb_table_row(t,
                     (eb_value[]){eb_uint(152 + k), eb_uint(3022), eb_real(1455.8 + 0.01 * (double)k), eb_real(1455.81),
                                  eb_bool(in_true[k]), eb_bool(in_fast[k])},
                     6);
}

/* The first `rows` engines, ref64 being the truth that the others are measured against. */
static inline eb_report *rr_compare_of(bool gpu, size_t rows)
{
    eb_report *r = eb_report_new("compare");
    rr_head(r);
    eb_report_field(r, "reference", "measured against", EB_PLAIN, eb_text("ref64"));
    rr_runs(r, gpu, 0, rows);
    rr_split(r, gpu, rows);
    rr_verdicts(r, rows);
    rr_accuracy_against(r, rows > RR_USUAL ? NULL : "Accuracy", true);
    rr_accuracies_of(r, rows);
    rr_errors(r, 200, false);
    rr_boundary(r);
    return r;
}

static inline eb_report *rr_compare(bool gpu) { return rr_compare_of(gpu, RR_USUAL); }

/* The report of a comparison that never had accuracy. */
static inline eb_report *rr_compare_without_accuracy(void)
{
    eb_report *r = eb_report_new("compare");
    rr_head(r);
    eb_report_field(r, "reference", "measured against", EB_PLAIN, eb_text("ref64"));
    rr_runs(r, false, 0, RR_USUAL);
    eb_record_field(eb_report_record(r, "accuracy", "Accuracy"), "overlap", "overlap", EB_PERCENT, eb_na());
    return r;
}

/* Against an engine that does not compute the truth: differences. */
static inline eb_report *rr_compare_approximate(void)
{
    eb_report *r = eb_report_new("compare");
    rr_head(r);
    eb_report_field(r, "reference", "measured against", EB_PLAIN, eb_text("fasted[tensor=sm_80]"));
    rr_runs(r, false, 0, RR_USUAL);
    rr_accuracy_against(r, "Accuracy", false);
    rr_accuracies_of(r, RR_USUAL);
    rr_bars(r, false, 200, false);
    rr_boundary(r);
    return r;
}

/* `accuracy` of one of the engines compared. */
static inline eb_report *rr_accuracies_about(const char *fast, const char *other, bool truth)
{
    double x[20], y[20];
    eb_report *r = eb_report_new("accuracy");
    eb_report_field(r, "fast", "fast engine", EB_PLAIN, eb_text(fast));
    eb_report_field(r, "truth", truth ? "truth" : "other engine", EB_PLAIN, eb_text(other));
    eb_report_field(r, "eps", "ε", EB_PLAIN, eb_real(1455.86));
    rr_accuracy_against(r, "Accuracy", truth);
    for (size_t k = 0; k < 20; k++) {
        x[k] = ((double)k + 0.5) / 20;
        y[k] = (double)(k * k * k);
    }
    eb_series *s = eb_report_series(r, "overlaps", "Points by their overlap", EB_BARS, 20, x, y, NULL, NULL);
    eb_series_axes(s, "overlap", "overlap", false, "points", "points", false);
    rr_boundary(r);
    return r;
}

static inline eb_report *rr_accuracies(void) { return rr_accuracies_about("fasted", "ref64", true); }

/* It says whether self pairs are in. Returns the report. */
static inline eb_report *rr_with_self(eb_report *r, bool in)
{
    eb_record *a = (eb_record *)(uintptr_t)eb_report_find_record(r, "accuracy");
    eb_record_field(a, "self_pairs", "self pairs", EB_PLAIN, eb_text(in ? "in" : "out"));
    return r;
}

static inline eb_facts rr_facts(bool gpu)
{
    eb_facts facts = {.has_dataset = true,
                      .dataset = "demo",
                      .n = 60000,
                      .d = 784,
                      .dtype = "u8",
                      .dataset_serial = 1,
                      .eps = 1455.86};
    (void)snprintf(facts.device, sizeof facts.device, "%s", gpu ? "cuda:0" : "cpu");
    return facts;
}

#endif
