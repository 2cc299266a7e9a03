/* ui_run_reports: reports of join, compare, counters and accuracy as tests of panels need them, with numbers made up to
 * be told apart. Header-only.
 */
#ifndef EB_TESTS_UI_RUN_REPORTS_H
#define EB_TESTS_UI_RUN_REPORTS_H

#include "core/report/report.h"
#include "ui/desk.h"

static inline void rr_head(eb_report *r)
{
    eb_report_field(r, "n", "points n", EB_PLAIN, eb_uint(60000));
    eb_report_field(r, "d", "dimensions d", EB_PLAIN, eb_uint(784));
    eb_report_field(r, "eps", "ε", EB_PLAIN, eb_real(1455.86));
}

/* gpu: on cuda:0, with limits, clock and copies; trials: of the first engine, 0: all is done. */
static inline void rr_runs(eb_report *r, bool gpu, unsigned trials, size_t rows)
{
    static const char *const engine[] = {"fasted", "ref64"};
    static const double kernel[] = {0.0125, 0.25}, total[] = {0.034, 0.31}, executed[] = {225.8, 11.3},
                        share[] = {0.62, 0.19};
    eb_table *t = eb_report_table(r, "runs", "Side by side");
    eb_table_turn(t);
    eb_table_column(t, "engine", "engine", EB_PLAIN);
    eb_table_column(t, "device", "device", EB_PLAIN);
    eb_table_column(t, "pairs", "pairs |R| found", EB_PLAIN);
    eb_table_column(t, "kernel_s", "kernels, median", EB_SECONDS);
    eb_table_column(t, "total_s", "end to end, median", EB_SECONDS);
    eb_table_column(t, "tflops_derived", "derived rate, 2·n²·d", EB_TERAFLOPS);
    eb_table_column(t, "tflops_executed", "executed rate", EB_TERAFLOPS);
    if (gpu)
        eb_table_column(t, "limit_share", "of limit", EB_PERCENT);
    eb_table_column(t, "trials", "trials", EB_IDENTITY);
    eb_table_column(t, "state", "state", EB_PLAIN);
    for (size_t k = 0; k < rows; k++) {
        eb_value cells[10] = {eb_text(engine[k]),   eb_text(gpu ? "cuda:0" : "cpu"),
                              eb_uint(3900000 + k), eb_real(kernel[k]),
                              eb_real(total[k]),    eb_real(2 * executed[k]),
                              eb_real(executed[k])};
        size_t used = 7;
        if (gpu)
            cells[used++] = eb_real(share[k]);
        cells[used++] = eb_uint(trials > 0 ? trials : 5);
        cells[used++] = eb_text(trials > 0 ? "running" : "done");
        eb_table_row(t, cells, used);
    }
}

static inline void rr_split(eb_report *r, bool gpu, size_t rows)
{
    static const char *const engine[] = {"fasted", "ref64"};
    static const double part[][7] = {{0.004, 0.003, 0.001, 0.0125, 0.006, 0.0055, 0.002},
                                     {0.008, 0.01, 0.004, 0.25, 0.006, 0.03, 0.002}};
    static const char *const key[] = {"upload_s",   "convert_s", "norms_s", "kernel_s",
                                      "download_s", "table_s",   "other_s"};
    static const char *const title[] = {"upload",   "conversion",      "norms",   "kernels",
                                        "download", "neighbour table", "all else"};
    eb_table *t = eb_report_table(r, "split", "Where the time went, medians");
    eb_table_turn(t);
    eb_table_column(t, "engine", "engine", EB_PLAIN);
    for (size_t k = 0; k < 7; k++)
        if (gpu || (k != 0 && k != 2 && k != 4))
            eb_table_column(t, key[k], title[k], EB_SECONDS);
    for (size_t row = 0; row < rows; row++) {
        eb_value cells[8] = {eb_text(engine[row])};
        size_t used = 1;
        for (size_t k = 0; k < 7; k++)
            if (gpu || (k != 0 && k != 2 && k != 4))
                cells[used++] = eb_real(part[row][k]);
        eb_table_row(t, cells, used);
    }
}

static inline void rr_accuracy(eb_report *r)
{
    eb_record *a = eb_report_record(r, "accuracy", "Accuracy");
    eb_record_field(a, "overlap", "overlap, self left out, mean", EB_PERCENT, eb_real(0.99971));
    eb_record_field(a, "overlap_min", "overlap, least of a point", EB_PERCENT, eb_real(0.875));
    eb_record_field(a, "error_mean", "distance error, mean", EB_PLAIN, eb_real(-0.0019));
    eb_record_field(a, "error_std", "distance error, deviation", EB_PLAIN, eb_real(0.0082));
    eb_record_field(a, "error_max", "distance error, greatest", EB_PLAIN, eb_real(0.122));
    eb_record_field(a, "only_fast", "pairs only the fast one has", EB_PLAIN, eb_uint(17));
    eb_record_field(a, "only_true", "pairs only the truth has", EB_PLAIN, eb_uint(23));
}

static inline void rr_errors(eb_report *r, size_t bins, bool logarithmic)
{
    double x[1000], y[1000];
    for (size_t k = 0; k < bins && k < 1000; k++) {
        x[k] = -0.05 + 0.1 * ((double)k + 0.5) / (double)bins;
        y[k] = 1000 / (1 + 40000 * x[k] * x[k]);
    }
    eb_series *s = eb_report_series(r, "errors", "Distance error: fast - true", EB_BARS, bins, x, y, NULL, NULL);
    eb_series_axes(s, "error", "distance error", false, "pairs", "pairs", logarithmic);
    s->under = 393;
    s->over = 7;
}

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

static inline eb_report *rr_compare(bool gpu)
{
    eb_report *r = eb_report_new("compare");
    rr_head(r);
    rr_runs(r, gpu, 0, 2);
    rr_split(r, gpu, 2);
    eb_record *v = eb_report_record(r, "verdict", "fasted against ref64");
    eb_record_field(v, "kernel", "kernels", EB_PLAIN, eb_text("FASTER"));
    eb_record_field(v, "kernel_ratio", "kernels, time taken", EB_RATIO, eb_real(0.05));
    eb_record_field(v, "total", "end to end", EB_PLAIN, eb_text("UNCLEAR"));
    eb_record_field(v, "total_ratio", "end to end, time taken", EB_RATIO, eb_real(0.11));
    rr_accuracy(r);
    rr_errors(r, 200, false);
    rr_boundary(r);
    return r;
}

/* The report of a comparison that never had accuracy. */
static inline eb_report *rr_compare_without_accuracy(void)
{
    eb_report *r = eb_report_new("compare");
    rr_head(r);
    rr_runs(r, false, 0, 2);
    eb_record_field(eb_report_record(r, "accuracy", "Accuracy"), "overlap", "overlap", EB_PERCENT, eb_na());
    return r;
}

static inline eb_report *rr_accuracies(void)
{
    double x[20], y[20];
    eb_report *r = eb_report_new("accuracy");
    eb_report_field(r, "fast", "fast engine", EB_PLAIN, eb_text("fasted"));
    eb_report_field(r, "truth", "truth", EB_PLAIN, eb_text("ref64"));
    eb_report_field(r, "eps", "ε", EB_PLAIN, eb_real(1455.86));
    rr_accuracy(r);
    for (size_t k = 0; k < 20; k++) {
        x[k] = ((double)k + 0.5) / 20;
        y[k] = (double)(k * k * k);
    }
    eb_series *s = eb_report_series(r, "overlaps", "Points by their overlap", EB_BARS, 20, x, y, NULL, NULL);
    eb_series_axes(s, "overlap", "overlap", false, "points", "points", false);
    rr_boundary(r);
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
