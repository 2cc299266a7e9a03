/* Reports as JSON, CSV and Markdown are valid and keep every value; what reports say of runs and errors. */
#include "core/report/find.h"
#include "shell/commands/accuracy_report.h"
#include "shell/commands/run_report.h"
#include "tests/unit/render_reports.h"

/* ---- JSON ---- */

static void json_keeps_order_values_and_unknowns(void **state)
{
    (void)state;
    eb_report *report = eb_report_new("join");
    eb_report_field(report, "zeta", "", EB_PLAIN, eb_int(-1));
    eb_report_field(report, "alpha", "", EB_SECONDS, eb_na());
    eb_table *table = eb_report_table(report, "runs", "");
    eb_table_column(table, "ok", "", EB_PLAIN);
    ROW(table, eb_bool(true));
    ROW(table, eb_bool(false));
    eb_record *record = eb_report_record(report, "rec", "");
    eb_record_field(record, "big", "", EB_PLAIN, eb_uint(UINT64_MAX));
    eb_record_field(record, "most", "", EB_PLAIN, eb_uint(INT64_MAX));
    double x[] = {1, NAN}, y[] = {0.5, 2};
    eb_series *series = eb_report_series(report, "errors", "", EB_BARS, 2, x, y, NULL, NULL);
    eb_series_axes(series, "error", "", false, "pairs", "", false);
    series->over = 3;
    eb_report_note(report, "say \"ε\"");
    assert_renders(report, json,
                   "{\"schema\":\"epsbench/1\",\"command\":\"join\",\"ok\":true,\"data\":{\"zeta\":-1,\"alpha\":null,"
                   "\"runs\":[{\"ok\":true},{\"ok\":false}],"
                   "\"rec\":{\"big\":1.8446744073709552e19,\"most\":9223372036854775807},"
                   "\"errors\":{\"error\":[1.0,null],\"pairs\":[0.5,2.0],\"under\":null,\"over\":3.0}},"
                   "\"notes\":[\"say \\\"ε\\\"\"]}\n");
    eb_report_free(report);
}

/* Cells keep what they are worth; one that is unknown is null, an empty cell. */
static void a_map_keeps_its_cells(void **state)
{
    (void)state;
    double x[] = {100, 100}, y[] = {16, 32}, z[] = {0.5, NAN};
    eb_report *report = eb_report_new("grid");
    eb_series *series = eb_report_series(report, "map_x", "x on cpu", EB_HEAT, 2, x, y, NULL, NULL);
    eb_series_axes(series, "n", "points n", true, "d", "dimensions d", true);
    eb_series_heat(series, "tflops_derived", "derived rate", EB_TERAFLOPS, z);
    eb_series_marks(series, "m>");
    assert_renders(report, json,
                   "{\"schema\":\"epsbench/1\",\"command\":\"grid\",\"ok\":true,\"data\":{\"map_x\":{\"n\":[100.0,"
                   "100.0],\"d\":[16.0,32.0],\"tflops_derived\":[0.5,null],\"mark\":[\"m\",\">\"]}},\"notes\":[]}\n");
    assert_renders(report, csv, "n,d,tflops_derived,mark\r\n100,16,0.5,m\r\n100,32,,>\r\n");
    assert_renders(report, markdown,
                   "### x on cpu\n\n```text\n  dimensions d, upwards; across: points n\n  32           >\n"
                   "  16 █       500\n             100\n  derived rate, GFLOPS  0 ▁▂▃▅▆█ 500  > too long\n```\n\n");
    eb_report_free(report);
}

static void json_reals_come_back_bit_for_bit(void **state)
{
    (void)state;
    const double values[] = {0.1, 1.0 / 3, 1455.8605702470275, 5e-324, 1.7976931348623157e308, -5.2e-7, 0.573214971092};
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
        eb_report *report = eb_report_new("x");
        eb_report_field(report, "eps", "", EB_PLAIN, eb_real(values[k]));
        json_t *document = parsed(report);
        assert_true(json_real_value(json_object_get(json_object_get(document, "data"), "eps")) == values[k]);
        json_decref(document);
        char *text = rendered(report, csv);
        assert_true(strtod(strchr(strchr(text, '\n'), ',') + 1, NULL) == values[k]);
        free(text);
        eb_report_free(report);
    }
}

static void json_survives_any_bytes(void **state)
{
    (void)state;
    eb_report *report = eb_report_new("x");
    char bytes[256];
    for (size_t k = 0; k < 255; k++)
        bytes[k] = (char)(k + 1);
    bytes[255] = '\0';
    eb_report_field(report, "file", "", EB_PLAIN, eb_text(bytes));
    eb_report_note(report, "%s", bytes);
    json_decref(parsed(report));
    eb_report_free(report);
}

static void the_whole_sample_is_json(void **state)
{
    (void)state;
    eb_report *report = sample();
    json_t *document = parsed(report), *data = json_object_get(document, "data");
    assert_int_equal(json_array_size(json_object_get(data, "targets")), 2);
    assert_int_equal(json_array_size(json_object_get(json_object_get(data, "curve"), "high")), 64);
    assert_null(json_object_get(json_object_get(data, "curve"), "under"));
    assert_int_equal(json_array_size(json_object_get(document, "notes")), 1);
    json_decref(document);
    eb_report_free(report);
}

static void points_and_shared_keys_are_json(void **state)
{
    (void)state;
    eb_report *report = eb_report_new("x");
    double x[] = {2, 1, NAN}, y[] = {-1, 0.5, 3};
    (void)eb_report_series(report, "projection", "", EB_POINTS, 3, x, y, NULL, NULL);
    eb_record *record = eb_report_record(report, "values", "");
    eb_record_field(record, "min", "", EB_PLAIN, eb_real(-1));
    eb_series *series = eb_report_series(report, "values", "", EB_BARS, 1, x, y + 2, NULL, NULL);
    eb_series_axes(series, "value", "", false, "count", "", false);
    assert_renders(report, json,
                   "{\"schema\":\"epsbench/1\",\"command\":\"x\",\"ok\":true,\"data\":{"
                   "\"projection\":{\"x\":[2.0,1.0,null],\"y\":[-1.0,0.5,3.0]},"
                   "\"values\":{\"min\":-1.0,\"value\":[2.0],\"count\":[3.0],\"under\":null,\"over\":null}},"
                   "\"notes\":[]}\n");
    eb_report_free(report);
}

static void points_are_csv_and_markdown(void **state)
{
    (void)state;
    eb_report *report = eb_report_new("x");
    double x[] = {2, 1, 0}, y[] = {-1, 0.5, 3};
    (void)eb_report_series(report, "projection", "", EB_POINTS, 3, x, y, NULL, NULL);
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

static void errors_go_where_they_should(void **state)
{
    (void)state;
    assert_error("x.npy: \x1b[2J", EB_MODE_TEXT, "", "epsbench: load: x.npy: \xEF\xBF\xBD[2J\n");
    assert_error("x", EB_MODE_CSV, "", "epsbench: load: x\n");
    assert_error("a \"b\" \xFF", EB_MODE_JSON,
                 "{\"schema\":\"epsbench/1\",\"command\":\"load\",\"ok\":false,"
                 "\"error\":{\"code\":\"bad-format\",\"message\":\"a \\\"b\\\" \xEF\xBF\xBD\"}}\n",
                 "");
}

static void a_full_disk_is_noticed(void **state)
{
    (void)state;
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

/* ---- CSV, Markdown ---- */

static void csv_quotes_what_needs_it(void **state)
{
    (void)state;
    eb_report *report = eb_report_new("x");
    eb_table *table = eb_report_table(report, "t", "a title");
    eb_table_column(table, "name", "", EB_PLAIN);
    eb_table_column(table, "eps", "", EB_PLAIN);
    ROW(table, eb_text("a,b"), eb_real(0.1));
    ROW(table, eb_text("say \"ε\"\nand more"), eb_na());
    ROW(table, eb_text(""), eb_uint(UINT64_MAX));
    eb_report_note(report, "in the way of a spreadsheet");
    assert_renders(report, csv, "name,eps\r\n\"a,b\",0.1\r\n\"say \"\"ε\"\"\nand more\",\r\n,18446744073709551615\r\n");
    eb_report_free(report);
}

static void csv_has_sections_when_there_is_more(void **state)
{
    (void)state;
    eb_report *report = eb_report_new("x");
    double x[] = {1, 2}, y[] = {3, NAN}, high[] = {4, 5};
    eb_report_field(report, "eps", "", EB_PLAIN, eb_real(0.5));
    eb_record *record = eb_report_record(report, "accuracy", "");
    eb_record_field(record, "overlap", "", EB_PERCENT, eb_real(0.25));
    eb_table *table = eb_report_table(report, "runs", "");
    eb_table_column(table, "ok", "", EB_PLAIN);
    ROW(table, eb_bool(true));
    (void)eb_report_series(report, "curve", "", EB_LINE, 2, x, y, NULL, high);
    eb_report_note(report, "a, b");
    assert_renders(report, csv,
                   "key,value\r\neps,0.5\r\naccuracy.overlap,0.25\r\nnote,\"a, b\"\r\n"
                   "\r\nruns\r\nok\r\ntrue\r\n"
                   "\r\ncurve\r\nx,y,high\r\n1,3,4\r\n2,,5\r\n");
    eb_report_free(report);
}

static void markdown_escapes(void **state)
{
    (void)state;
    eb_report *report = eb_report_new("x");
    eb_report_field(report, "file", "file", EB_PLAIN, eb_text("a|b*c.csv"));
    eb_table *table = eb_report_table(report, "t", "Table");
    eb_table_column(table, "name", "name", EB_PLAIN);
    eb_table_column(table, "n", "n", EB_PLAIN);
    ROW(table, eb_text("x_y"), eb_uint(1000));
    assert_renders(report, markdown,
                   "| | |\n|---|---|\n| file | a\\|b\\*c.csv |\n"
                   "\n### Table\n\n| name | n |\n|---|---:|\n| x_y | 1,000 |\n\n");
    eb_report_free(report);
}

static void empty_reports_and_tables_are_fine(void **state)
{
    (void)state;
    eb_report *report = eb_report_new("x");
    assert_renders(report, plain, "");
    assert_renders(report, csv, "");
    assert_renders(report, json,
                   "{\"schema\":\"epsbench/1\",\"command\":\"x\",\"ok\":true,\"data\":{},\"notes\":[]}\n");
    eb_table *table = eb_report_table(report, "runs", "");
    assert_renders(report, plain, "  (none)\n\n");
    eb_table_column(table, "run", "run", EB_IDENTITY);
    assert_renders(report, csv, "run\r\n");
    assert_renders(report, markdown, "(none)\n\n");
    eb_report_free(report);
}

/* ---- for programs only: what has no title ---- */

static eb_report *with_things_for_programs(void)
{
    eb_report *report = eb_report_new("x");
    double x[] = {1, 2}, y[] = {3, 4};
    eb_report_field(report, "first", NULL, EB_PLAIN, eb_text("hidden-first"));
    eb_report_field(report, "n", "points", EB_PLAIN, eb_uint(7));
    eb_report_field(report, "id", NULL, EB_PLAIN, eb_text("hidden-id"));
    eb_table *table = eb_report_table(report, "runs", "Runs");
    eb_table_column(table, "engine", NULL, EB_PLAIN);
    eb_table_column(table, "spec", "engine", EB_PLAIN);
    eb_table_column(table, "id", NULL, EB_IDENTITY);
    eb_table_column(table, "pairs", "pairs", EB_PLAIN);
    ROW(table, eb_text("hidden-a"), eb_text("a[b]"), eb_uint(987), eb_uint(5));
    table = eb_report_table(report, "secrets", NULL);
    eb_table_column(table, "secret", "hidden-column", EB_PLAIN);
    ROW(table, eb_text("hidden-cell"));
    eb_record_field(eb_report_record(report, "verdict", NULL), "total", "hidden-field", EB_PLAIN, eb_text("SAME"));
    (void)eb_report_series(report, "curve", NULL, EB_LINE, 2, x, y, NULL, NULL);
    eb_report_field(report, "last", NULL, EB_PLAIN, eb_text("hidden-last"));
    return report;
}

static void people_do_not_see_what_has_no_title(void **state)
{
    (void)state;
    eb_report *report = with_things_for_programs();
    assert_renders(report, plain,
                   "  points  7\n\nRuns\n"
                   "  engine  pairs\n"
                   "  ─────────────\n"
                   "  a[b]        5\n\n");
    assert_renders(report, markdown,
                   "| | |\n|---|---|\n| points | 7 |\n\n### Runs\n\n"
                   "| engine | pairs |\n|---|---:|\n| a\\[b\\] | 5 |\n\n");
    eb_report_free(report);
}

static void programs_see_what_has_no_title(void **state)
{
    (void)state;
    eb_report *report = with_things_for_programs();
    assert_renders(report, json,
                   "{\"schema\":\"epsbench/1\",\"command\":\"x\",\"ok\":true,\"data\":{"
                   "\"first\":\"hidden-first\",\"n\":7,\"id\":\"hidden-id\","
                   "\"runs\":[{\"engine\":\"hidden-a\",\"spec\":\"a[b]\",\"id\":987,\"pairs\":5}],"
                   "\"secrets\":[{\"secret\":\"hidden-cell\"}],\"verdict\":{\"total\":\"SAME\"},"
                   "\"curve\":{\"x\":[1.0,2.0],\"y\":[3.0,4.0]},\"last\":\"hidden-last\"},\"notes\":[]}\n");
    assert_renders(
        report, csv,
        "key,value\r\nfirst,hidden-first\r\nn,7\r\nid,hidden-id\r\nverdict.total,SAME\r\nlast,hidden-last\r\n"
        "\r\nruns\r\nengine,spec,id,pairs\r\nhidden-a,a[b],987,5\r\n"
        "\r\nsecrets\r\nsecret\r\nhidden-cell\r\n"
        "\r\ncurve\r\nx,y\r\n1,3\r\n2,4\r\n");
    eb_report_free(report);
}

/* Turned, the first column that people see heads the others; ratios are those of the columns they stand beside. */
static void a_turned_table_leaves_out_what_has_no_title(void **state)
{
    (void)state;
    eb_report *report = eb_report_new("x");
    eb_table *table = eb_report_table(report, "runs", "");
    eb_table_turn(table);
    eb_table_column(table, "engine", NULL, EB_PLAIN);
    eb_table_column(table, "spec", "engine", EB_PLAIN);
    eb_table_column(table, "id", NULL, EB_PLAIN);
    eb_table_column(table, "pairs", "pairs", EB_PLAIN);
    ROW(table, eb_text("hidden"), eb_text("a"), eb_uint(9), eb_uint(6));
    ROW(table, eb_text("hidden"), eb_text("b"), eb_uint(1), eb_uint(3));
    assert_renders(report, plain,
                   "         a  b  ratio\n"
                   "  ──────────────────\n"
                   "  pairs  6  3  2.00×\n\n");
    eb_report_free(report);
}

/* ---- histograms of a comparison ---- */

static void bins_divide_the_fine_ones(void **state)
{
    (void)state;
    assert_int_equal(eb_possible_bins(200), 200);
    assert_int_equal(eb_possible_bins(10), 10);
    assert_int_equal(eb_possible_bins(100000), EB_FINE_BINS);
    for (size_t bins = 1; bins < 3000; bins++)
        assert_int_equal(EB_FINE_BINS % eb_possible_bins(bins), 0);
    assert_int_equal(EB_FINE_BINS % EB_SHOWN_BINS, 0);
}

static void coarse_bins_keep_every_pair(void **state)
{
    (void)state;
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

/* ---- what reports say of a run ---- */

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

/* Half of the work is executed: n²·d. */
static void add_times(eb_figures *trial, double kernel_s, double total_s)
{
    eb_figures_add(trial, &eb_figure_kernel, kernel_s);
    eb_figures_add(trial, &eb_figure_total, total_s);
    eb_figures_add(trial, &eb_figure_executed_flops, 1e15);
}

static json_t *data_of(eb_report *report)
{
    json_t *document = parsed(report), *data = json_incref(json_object_get(document, "data"));
    json_decref(document);
    eb_report_free(report);
    return data;
}

static json_t *data_of_run(const eb_run *run)
{
    eb_report *report = eb_report_new("join");
    eb_report_run(report, run);
    return data_of(report);
}

static double real_in(const json_t *data, const char *key) { return json_real_value(json_object_get(data, key)); }

static const char *text_in(const json_t *data, const char *key)
{
    return json_string_value(json_object_get(data, key));
}

static void a_run_is_summarised(void **state)
{
    (void)state;
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
    json_t *data = data_of_run(&run);
    assert_true(real_in(data, "kernel_s") == 0.5);
    assert_true(real_in(data, "kernel_min_s") == 0.25);
    assert_true(real_in(data, "total_s") == 1.0);
    assert_true(real_in(data, "selectivity") == 2.0);
    assert_true(fabs(real_in(data, "tflops_derived") - 4000) < 1e-9);
    assert_true(fabs(real_in(data, "tflops_executed") - 2000) < 1e-9);
    assert_int_equal(json_integer_value(json_object_get(data, "stored")), 8);
    assert_int_equal(json_integer_value(json_object_get(data, "trials")), 3);
    assert_string_equal(text_in(data, "state"), "partial");
    assert_string_equal(text_in(data, "engine"), "half");
    assert_string_equal(text_in(data, "spec"), "half");
    const json_t *timing = json_object_get(data, "timing");
    assert_int_equal(json_array_size(timing), 2); /* kernels and all else; no upload, so no row for it */
    assert_true(real_in(json_array_get(timing, 0), "share") == 0.5);
    json_decref(data);
}

/* That there are no options people see by themselves. */
static void a_run_with_options_tells_them(void **state)
{
    (void)state;
    eb_figures trials[3];
    eb_run run = three_trials(trials);
    (void)snprintf(run.setup.spec, sizeof run.setup.spec, "half[slow]");
    (void)snprintf(run.note, sizeof run.note, "slow has no effect on cpu");
    eb_report *report = eb_report_new("join");
    eb_report_run(report, &run);
    char *text = rendered(report, plain);
    assert_non_null(strstr(text, "half[slow]\n"));
    free(text);
    assert_int_equal(report->notes, 2);
    assert_string_equal(report->note[0], "half[slow]: slow has no effect on cpu");
    assert_non_null(strstr(report->note[1], "kernels: distances and hits alone; end to end: ")); /* what times are of */
    json_t *data = data_of(report);
    assert_string_equal(text_in(data, "engine"), "half");
    assert_string_equal(text_in(data, "spec"), "half[slow]");
    json_decref(data);

    run = three_trials(trials);
    report = eb_report_new("join");
    eb_report_run(report, &run);
    assert_null(eb_report_find(report, EB_FIELD, "spec")->title);
    eb_report_free(report);
}

/* What nobody but the engine has ever heard of. */
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

/* Usual parts in their order, the engine's own behind them, then what is left. */
static void figures_of_an_engines_own_are_shown(void **state)
{
    (void)state;
    eb_figures trials[3];
    eb_run run = a_run_with_figures_of_its_own(trials);
    static const char *const parts[] = {"upload", "kernels", "pruning", "all else"};
    static const double seconds[] = {0.125, 0.5, 0.25, 0.125};
    json_t *data = data_of_run(&run);
    const json_t *timing = json_object_get(data, "timing");
    assert_int_equal(json_array_size(timing), 4);
    for (size_t k = 0; k < 4; k++) {
        assert_string_equal(text_in(json_array_get(timing, k), "part"), parts[k]);
        assert_true(real_in(json_array_get(timing, k), "median_s") == seconds[k]);
    }
    assert_true(real_in(data, "cells") == 6);
    assert_null(json_object_get(data, "secret"));
    json_decref(data);
}

static void figures_of_one_engine_stand_beside_the_others(void **state)
{
    (void)state;
    eb_figures own[3], none[3];
    eb_run with = a_run_with_figures_of_its_own(own), without = three_trials(none);
    for (size_t k = 0; k < 3; k++)
        add_times(&none[k], 0.5, 1);
    const eb_run *runs[] = {&without, &with};
    eb_report *report = eb_report_new("compare");
    eb_report_runs(report, "Side by side", runs, 2);
    eb_report_splits(report, runs, 2);
    json_t *data = data_of(report);
    const json_t *split = json_object_get(data, "split"), *table = json_object_get(data, "runs");
    assert_true(json_is_null(json_object_get(json_array_get(table, 0), "cells")));
    assert_true(real_in(json_array_get(table, 1), "cells") == 6);
    assert_true(json_is_null(json_object_get(json_array_get(split, 0), "prune_s")));
    assert_true(real_in(json_array_get(split, 0), "other_s") == 0.5);
    assert_true(real_in(json_array_get(split, 1), "prune_s") == 0.25);
    assert_true(real_in(json_array_get(split, 1), "other_s") == 0.125);
    assert_null(json_object_get(json_array_get(split, 1), "norms_s")); /* no run has them */
    json_decref(data);
}

/* A GPU's run: half of the work is executed, in half a second; held against this limit of the device. */
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

static void a_gpu_run_tells_its_limit_energy_and_clock(void **state)
{
    (void)state;
    eb_figures trials[3];
    eb_run run = a_gpu_run(trials, EB_LIMIT_MMA_F16, 8e15);
    json_t *data = data_of_run(&run);
    assert_true(fabs(real_in(data, "limit_share") - 0.25) < 1e-12); /* 2000 of 8000 TFLOPS */
    assert_true(real_in(data, "energy_j") == 20);
    assert_true(real_in(data, "sm_clock_hz") == 1.5e9);
    assert_string_equal(text_in(data, "throttle"), "power cap, thermal slowdown by hardware");
    json_decref(data);

    run = a_gpu_run(trials, EB_LIMIT_F64, 8e15); /* a limit that nobody measured */
    data = data_of_run(&run);
    assert_non_null(json_object_get(data, "limit_share"));
    assert_true(json_is_null(json_object_get(data, "limit_share")));
    json_decref(data);
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

static void a_rate_above_its_limit_is_not_believed(void **state)
{
    (void)state;
    assert_int_equal(limit_notes(1.9e15), 1); /* 2000 TFLOPS are executed */
    assert_int_equal(limit_notes(2.1e15), 0);
    assert_int_equal(limit_notes(0), 0);
}

static void runs_side_by_side_leave_out_what_no_device_tells(void **state)
{
    (void)state;
    eb_figures trials[3];
    eb_run gpu = a_gpu_run(trials, EB_LIMIT_MMA_F16, 8e15);
    eb_run cpu = {.setup = {.engine = &half, .device = {.name = "cpu"}, .spec = "half"}, .n = 10, .d = 2};
    const eb_run *both[] = {&gpu, &cpu};
    static const char *const of_gpu[] = {"limit_share", "energy_j", "sm_clock_hz", "throttle"};
    for (size_t first = 0; first < 2; first++) {
        eb_report *report = eb_report_new("compare");
        eb_report_runs(report, "Side by side", both + first, 2 - first);
        json_t *data = data_of(report);
        const json_t *runs = json_object_get(data, "runs");
        assert_int_equal(json_array_size(runs), 2 - first);
        for (size_t k = 0; k < sizeof of_gpu / sizeof of_gpu[0]; k++) {
            const json_t *last = json_object_get(json_array_get(runs, 1 - first), of_gpu[k]);
            assert_true(first == 0 ? json_is_null(last) : last == NULL);
        }
        json_decref(data);
    }
}

/* Programs get the bare engine and the spec always; people see the spec where it says more, else the engine. */
static void runs_are_called_by_what_tells_them_apart(void **state)
{
    (void)state;
    eb_figures trials[3];
    for (size_t told = 0; told < 2; told++) {
        eb_run one = three_trials(trials), other = three_trials(trials);
        if (told)
            (void)snprintf(other.setup.spec, sizeof other.setup.spec, "half[slow]");
        const eb_run *runs[] = {&one, &other};
        assert_true(eb_specs_tell(runs, 2) == (told == 1));
        eb_report *report = eb_report_new("compare");
        eb_report_runs(report, "", runs, 2);
        char *text = rendered(report, plain);
        assert_true((strstr(text, "half[slow]") != NULL) == (told == 1));
        assert_null(strstr(text, "spec"));
        free(text);
        json_t *data = data_of(report), *last = json_array_get(json_object_get(data, "runs"), 1);
        assert_string_equal(text_in(last, "engine"), "half");
        assert_string_equal(text_in(last, "spec"), told ? "half[slow]" : "half");
        json_decref(data);
    }
}

static void what_a_run_does_not_know_is_null(void **state)
{
    (void)state;
    eb_run run = {.setup = {.engine = &half, .device = {.name = "cpu"}, .spec = "half"},
                  .eps = 1,
                  .mode = EB_RUN_COUNT,
                  .state = EB_RUN_FAILED,
                  .n = 10,
                  .d = 2};
    json_t *data = data_of_run(&run);
    static const char *const unknown[] = {"pairs",      "selectivity", "stored",         "kernel_s",
                                          "kernel_cov", "total_s",     "tflops_derived", "tflops_executed"};
    for (size_t k = 0; k < sizeof unknown / sizeof unknown[0]; k++)
        assert_true(json_is_null(json_object_get(data, unknown[k])));
    assert_null(json_object_get(data, "timing"));
    json_decref(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_keeps_order_values_and_unknowns),
        cmocka_unit_test(a_map_keeps_its_cells),
        cmocka_unit_test(json_reals_come_back_bit_for_bit),
        cmocka_unit_test(json_survives_any_bytes),
        cmocka_unit_test(the_whole_sample_is_json),
        cmocka_unit_test(points_and_shared_keys_are_json),
        cmocka_unit_test(points_are_csv_and_markdown),
        cmocka_unit_test(errors_go_where_they_should),
        cmocka_unit_test(a_full_disk_is_noticed),
        cmocka_unit_test(csv_quotes_what_needs_it),
        cmocka_unit_test(csv_has_sections_when_there_is_more),
        cmocka_unit_test(markdown_escapes),
        cmocka_unit_test(empty_reports_and_tables_are_fine),
        cmocka_unit_test(people_do_not_see_what_has_no_title),
        cmocka_unit_test(programs_see_what_has_no_title),
        cmocka_unit_test(a_turned_table_leaves_out_what_has_no_title),
        cmocka_unit_test(bins_divide_the_fine_ones),
        cmocka_unit_test(coarse_bins_keep_every_pair),
        cmocka_unit_test(a_run_is_summarised),
        cmocka_unit_test(a_run_with_options_tells_them),
        cmocka_unit_test(figures_of_an_engines_own_are_shown),
        cmocka_unit_test(figures_of_one_engine_stand_beside_the_others),
        cmocka_unit_test(a_gpu_run_tells_its_limit_energy_and_clock),
        cmocka_unit_test(a_rate_above_its_limit_is_not_believed),
        cmocka_unit_test(runs_side_by_side_leave_out_what_no_device_tells),
        cmocka_unit_test(runs_are_called_by_what_tells_them_apart),
        cmocka_unit_test(what_a_run_does_not_know_is_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
