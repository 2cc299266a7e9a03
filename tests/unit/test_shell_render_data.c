/* Reports as JSON, CSV and Markdown are valid and complete; reports of runs and of errors. */
#include "core/report/find.h"
#include "shell/commands/accuracy_report.h"
#include "shell/commands/run_report.h"
#include "tests/unit/named.h"
#include "tests/unit/render_reports.h"
#include "tests/unit/report_cases.h"

/* ---- JSON ---- */

TEST(json_reals_come_back_bit_for_bit)
{
    const double values[] = {0.1, 1.0 / 3, 1455.8605702470275, 5e-324, 1.7976931348623157e308, -5.2e-7, 0.573214971092};
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
        eb_report *report = eb_report_new("x");
        eb_report_field(report, EB_F(eps), eb_real(values[k]));
        json_t *document = parsed(report);
        assert_true(json_real_value(json_object_get(json_object_get(document, "data"), "eps")) == values[k]);
        json_decref(document);
        char *text = rendered(report, csv);
        assert_true(strtod(strchr(strchr(text, '\n'), ',') + 1, NULL) == values[k]);
        free(text);
        eb_report_free(report);
    }
}

TEST(json_survives_any_bytes)
{
    eb_report *report = eb_report_new("x");
    char bytes[256];
    for (size_t k = 0; k < 255; k++)
        bytes[k] = (char)(k + 1);
    bytes[255] = '\0';
    eb_report_field(report, EB_NAMED("file", "", EB_PLAIN), eb_text(bytes));
    eb_report_note(report, "%s", bytes);
    json_decref(parsed(report));
    eb_report_free(report);
}

TEST(the_whole_sample_is_json)
{
    eb_report *report = sample();
    json_t *document = parsed(report), *data = json_object_get(document, "data");
    assert_int_equal(json_array_size(json_object_get(data, "targets")), 2);
    assert_int_equal(json_array_size(json_object_get(json_object_get(data, "curve"), "high")), 64);
    assert_null(json_object_get(json_object_get(data, "curve"), "under"));
    assert_int_equal(json_array_size(json_object_get(document, "notes")), 1);
    json_decref(document);
    eb_report_free(report);
}

TEST(points_are_csv_and_markdown)
{
    eb_report *report = eb_report_new("x");
    double x[] = {2, 1, 0}, y[] = {-1, 0.5, 3};
    (void)eb_report_series(report, EB_KEY("projection"), "", EB_POINTS, 3, x, y, NULL, NULL);
    assert_renders(report, csv, "x,y\r\n2,-1\r\n1,0.5\r\n0,3\r\n");
    char *text = rendered(report, markdown);
    assert_int_equal(strncmp(text, "```text\n  y\n", 12), 0);
    free(text);
    eb_report_free(report);
}

/* ---- errors ---- */

static void assert_error(const char *message, eb_mode mode, const char *expected_out, const char *expected_err)
{
    char *out_text, *err_text;
    size_t out_size, err_size;
    FILE *out = open_memstream(&out_text, &out_size), *err = open_memstream(&err_text, &err_size);
    eb_status failure;
    (void)eb_fail(&failure, EB_BAD_FORMAT, "%s", message);
    eb_render_error(out, err, "load", &failure, mode);
    (void)fclose(out);
    (void)fclose(err);
    assert_string_equal(out_text, expected_out);
    assert_string_equal(err_text, expected_err);
    free(out_text);
    free(err_text);
}

TEST(errors_go_where_they_should)
{
    assert_error("x.npy: \x1b[2J", EB_MODE_TEXT, "", "epsbench: load: x.npy: \xEF\xBF\xBD[2J\n");
    assert_error("x", EB_MODE_CSV, "", "epsbench: load: x\n");
    assert_error("a \"b\" \xFF", EB_MODE_JSON,
                 "{\"schema\":\"epsbench/1\",\"command\":\"load\",\"ok\":false,"
                 "\"error\":{\"code\":\"bad-format\",\"message\":\"a \\\"b\\\" \xEF\xBF\xBD\"}}\n",
                 "");
}

TEST(a_full_disk_is_noticed)
{
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    (void)setvbuf(full, NULL, _IONBF, 0);
    eb_report *report = sample();
    eb_status status = {0};
    assert_int_equal(eb_render(full, report, &plain, &status), EB_IO);
    assert_non_null(strstr(status.message, "No space left"));
    (void)fclose(full);
    eb_report_free(report);
}

/* ---- histograms of a comparison ---- */

TEST(bins_divide_the_fine_ones)
{
    assert_int_equal(eb_possible_bins(200), 200);
    assert_int_equal(eb_possible_bins(10), 10);
    assert_int_equal(eb_possible_bins(100000), EB_FINE_BINS);
    for (size_t bins = 1; bins < 3000; bins++)
        assert_int_equal(EB_FINE_BINS % eb_possible_bins(bins), 0);
    assert_int_equal(EB_FINE_BINS % EB_SHOWN_BINS, 0);
}

TEST(coarse_bins_keep_every_pair)
{
    uint64_t count[12];
    for (size_t k = 0; k < 12; k++)
        count[k] = 1u << k;
    eb_histogram fine = {.bins = 12, .low = -3, .high = 3, .count = count, .under = 5, .over = 6}, coarse;
    assert_int_equal(eb_histogram_coarsen(&fine, 4, &coarse, NULL), EB_OK);
    assert_int_equal(coarse.bins, 4);
    assert_int_equal(coarse.count[0], 1 + 2 + 4);
    assert_int_equal(coarse.count[3], 512 + 1024 + 2048);
    assert_int_equal(coarse.under + coarse.over, 11);
    free(coarse.count);
    assert_int_equal(eb_histogram_coarsen(&fine, 5, &coarse, NULL), EB_INTERNAL);
}

/* ---- reports of a run ---- */

static const eb_engine half = {.name = "half", .exactness = EB_APPROXIMATE};

/* Three trials of a million points in 1000 dimensions. */
static eb_run three_trials(eb_figures trials[3])
{
    memset(trials, 0, 3 * sizeof *trials);
    return (eb_run){.setup = {.engine = &half, .device = {.name = "cpu"}, .spec = "half"},
                    .eps = 1,
                    .state = EB_RUN_DONE,
                    .n = 1000000,
                    .d = 1000,
                    .pairs = 3000000,
                    .trials_wanted = 3,
                    .trials_done = 3,
                    .trials = trials};
}

/* Executed operations: n²·d, half of all. */
static void add_times(eb_figures *trial, double kernel_s, double total_s)
{
    eb_figures_add(trial, &eb_figure_kernel, kernel_s);
    eb_figures_add(trial, &eb_figure_total, total_s);
    eb_figures_add(trial, &eb_figure_executed_flops, 1e15);
}

static void run_is(const eb_run *run, const char *name)
{
    eb_report *report = eb_report_new("join");
    eb_report_run(report, run);
    report_is(report, "runs", name);
}

TEST(a_run_is_summarised)
{
    eb_figures trials[3];
    eb_run run = three_trials(trials);
    for (size_t k = 0; k < 3; k++)
        add_times(&trials[k], (double[]){0.5, 0.25, 1.0}[k], (double[]){1.0, 0.5, 2.0}[k]);
    uint64_t offsets[] = {0, 2, 4, 6, 8};
    eb_neighbours table = {.n = 4, .rows = 4, .offsets = offsets};
    run.mode = EB_RUN_TABLE;
    run.distances = EB_DISTANCES_F64;
    run.state = EB_RUN_PARTIAL;
    run.trials_wanted = 5;
    run.table = &table;
    run.batches = 1;
    run_is(&run, "summarised");
}

/* A run without options shows no spec in text. */
TEST(a_run_with_options_tells_them)
{
    eb_figures trials[3];
    eb_run run = three_trials(trials);
    (void)snprintf(run.setup.spec, sizeof run.setup.spec, "half[slow]");
    (void)snprintf(run.note, sizeof run.note, "slow has no effect on cpu");
    run_is(&run, "with options");
    run = three_trials(trials);
    run_is(&run, "without options");
}

/* Figures that only this engine has. */
static const eb_figure prune = {"prune_s", "pruning", EB_SECONDS, EB_FIGURE_PART, 0};
static const eb_figure cells = {"cells", "cells of the grid", EB_PLAIN, EB_FIGURE_FACT, 0};
static const eb_figure secret = {"secret", "kept to itself", EB_PLAIN, EB_FIGURE_OWN, 0};

static eb_run a_run_with_figures_of_its_own(eb_figures trials[3])
{
    eb_run run = three_trials(trials);
    for (size_t k = 0; k < 3; k++) {
        add_times(&trials[k], 0.5, 1);
        eb_figures_add(&trials[k], &prune, 0.25);
        eb_figures_add(&trials[k], &cells, (double[]){8, 4, 6}[k]);
        eb_figures_add(&trials[k], &secret, 1);
        eb_figures_add(&trials[k], &eb_figure_upload, 0.125);
    }
    return run;
}

/* Usual parts in their order, then the engine's own parts, then the rest of the total. */
TEST(figures_of_an_engines_own_are_shown)
{
    eb_figures trials[3];
    eb_run run = a_run_with_figures_of_its_own(trials);
    run_is(&run, "with figures of its own");
}

TEST(figures_of_one_engine_stand_beside_the_others)
{
    eb_figures own[3], none[3];
    eb_run with = a_run_with_figures_of_its_own(own), without = three_trials(none);
    for (size_t k = 0; k < 3; k++)
        add_times(&none[k], 0.5, 1);
    const eb_run *runs[] = {&without, &with};
    eb_report *report = eb_report_new("compare");
    eb_report_runs(report, "Side by side", runs, 2);
    eb_report_splits(report, runs, 2);
    report_is(report, "runs", "figures of one engine beside the others");
}

/* A GPU's run that executes half of the work in 0.5 s, with this limit of the device. */
static eb_run a_gpu_run(eb_figures trials[3], eb_limit limit, double f16_flops)
{
    eb_run run = three_trials(trials);
    run.setup.device = (eb_device){.kind = EB_DEVICE_CUDA, .name = "cuda:0", .limit = {[EB_LIMIT_MMA_F16] = f16_flops}};
    for (size_t k = 0; k < 3; k++) {
        add_times(&trials[k], 0.5, 1);
        eb_figures_set_limit(&trials[k], &run.setup.device, limit);
        eb_figures_add(&trials[k], &eb_figure_energy, (double[]){30, 10, 20}[k]);
        eb_figures_add(&trials[k], &eb_figure_sm_clock, (double[]){1.5e9, 1.4e9, 1.6e9}[k]);
    }
    eb_figures_add(&trials[1], &eb_figure_throttle, 0x4);
    eb_figures_add(&trials[2], &eb_figure_throttle, 0x40);
    return run;
}

TEST(a_gpu_run_tells_its_limit_energy_and_clock)
{
    eb_figures trials[3];
    eb_run run = a_gpu_run(trials, EB_LIMIT_MMA_F16, 8e15);
    run_is(&run, "of a GPU");
    run = a_gpu_run(trials, EB_LIMIT_F64, 8e15); /* a limit that was not measured */
    run_is(&run, "of a GPU without a limit");
}

static size_t limit_notes(double limit)
{
    eb_figures trials[3];
    eb_run run = a_gpu_run(trials, EB_LIMIT_MMA_F16, limit);
    eb_report *report = eb_report_new("join");
    eb_report_run(report, &run);
    size_t notes = 0;
    for (size_t k = 0; k < report->notes; k++)
        notes += strstr(report->note[k], "above the device's measured limit") != NULL;
    eb_report_free(report);
    return notes;
}

TEST(a_rate_above_its_limit_is_not_believed)
{
    assert_int_equal(limit_notes(1.9e15), 1); /* executed rate: 2000 TFLOPS */
    assert_int_equal(limit_notes(2.1e15), 0);
    assert_int_equal(limit_notes(0), 0);
}

TEST(runs_side_by_side_leave_out_what_no_device_tells)
{
    eb_figures trials[3];
    eb_run gpu = a_gpu_run(trials, EB_LIMIT_MMA_F16, 8e15);
    eb_run cpu = {.setup = {.engine = &half, .device = {.name = "cpu"}, .spec = "half"}, .n = 10, .d = 2};
    const eb_run *both[] = {&gpu, &cpu};
    static const char *const of_gpu[] = {"limit_share", "energy_j", "sm_clock_hz", "throttle"};
    eb_report *report = eb_report_new("compare");
    eb_report_runs(report, "Side by side", both, 2);
    for (size_t k = 0; k < sizeof of_gpu / sizeof of_gpu[0]; k++)
        assert_int_equal(eb_table_value(eb_report_find_table(report, EB_F(runs)), 1, EB_KEY(of_gpu[k])).kind, EB_NA);
    eb_report_free(report);
    report = eb_report_new("compare");
    eb_report_runs(report, "Side by side", both + 1, 1);
    report_is(report, "runs", "the CPU alone");
}

/* JSON and CSV always have engine and spec. Text shows the spec if it differs between runs, else the engine. */
TEST(runs_are_called_by_what_tells_them_apart)
{
    eb_figures trials[3];
    for (size_t told = 0; told < 2; told++) {
        eb_run one = three_trials(trials), other = three_trials(trials);
        if (told)
            (void)snprintf(other.setup.spec, sizeof other.setup.spec, "half[slow]");
        const eb_run *runs[] = {&one, &other};
        assert_true(eb_specs_tell(runs, 2) == (told == 1));
        eb_report *report = eb_report_new("compare");
        eb_report_runs(report, "", runs, 2);
        report_is(report, "runs", told ? "called by specs" : "called by names");
    }
}

TEST(what_a_run_does_not_know_is_null)
{
    eb_run run = {.setup = {.engine = &half, .device = {.name = "cpu"}, .spec = "half"},
                  .eps = 1,
                  .mode = EB_RUN_COUNT,
                  .state = EB_RUN_FAILED,
                  .n = 10,
                  .d = 2};
    run_is(&run, "unknown");
}

RUN_TESTS
