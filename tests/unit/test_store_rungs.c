/* The rungs of `precision` in the log: written, read through v_rungs, listed by `precisions`, exported. */

#include <jansson.h>
#include <math.h>

#include "core/report/find.h"
#include "tests/unit/named.h"
#include "tests/unit/store_log.h"
#include "tests/unit/test.h"

/* A rung with what is known of it; overlap NAN: predicted only. */
static void add_rung(eb_store *store, const written *w, const char *title, double bytes, double predicted,
                     double overlap, double eps)
{
    eb_status status = {0};
    eb_rung_record r = eb_rung_unknown();
    r.title = title;
    r.spec = "tensor[type=s8]";
    r.eps = eps;
    r.want = 0.99;
    r.coordinate_bytes = bytes;
    r.overlap_predicted = predicted;
    r.overlap = overlap;
    assert_ok(eb_store_rung(store, w->command, w->dataset, 0, &r, &status), status);
}

/* Command 1: S8 is too coarse at ε = 1, BF16 and FP16 are not. Command 2, of other points: nothing is enough. */
static eb_store *full_log(const char *name)
{
    eb_status status = {0};
    eb_store *store = open_log(name);
    written w = begin(store, "precision eps=1");
    add_rung(store, &w, "INT8", 1, 0.97, 0.975, 1);
    add_rung(store, &w, "FP8", 1, 0.90, NAN, 1);
    add_rung(store, &w, "BF16", 2, 0.992, 0.991, 1);
    add_rung(store, &w, "FP16", 2, 0.999, 0.9991, 1);
    eb_dataset other = a_dataset();
    char source[] = "other";
    other.source = source;
    memset(other.sha256, 'b', 64);
    assert_ok(eb_store_command_begin(store, w.session, "precision predict eps=2", &w.command, &status), status);
    assert_ok(eb_store_dataset(store, &other, &w.dataset, &status), status);
    add_rung(store, &w, "INT8", 1, 0.5, NAN, 2);
    add_rung(store, &w, "BF16", 2, 0.8, NAN, 2);
    return store;
}

static eb_report *list(eb_store *store, const char *dataset, const char *rung, size_t limit)
{
    eb_status status = {0};
    eb_report *report = eb_report_new("precisions");
    const eb_rung_filter filter = {.dataset = dataset, .rung = rung, .limit = limit};
    assert_ok(eb_store_precisions(store, &filter, report, &status), status);
    return report;
}

TEST(a_rung_keeps_all_that_is_known)
{
    eb_status status = {0};
    eb_store *store = open_log("rung.db");
    const written w = begin(store, "precision S=16");
    const int64_t run = add_run(store, &w, &a_fast_engine, 1000, (const double[]){0.5}, 1);
    const eb_rung_record r = {"INT8, point steps",
                              "tensor[type=s8,step=point]",
                              "exact",
                              12.5,
                              16,
                              0.999,
                              1,
                              20,
                              0.75,
                              0.7,
                              0.8,
                              "held",
                              0.875,
                              0.5,
                              0.25,
                              17,
                              0.9,
                              0.95,
                              0.01,
                              0.02,
                              0.03,
                              -0.001,
                              0.5,
                              10,
                              0.96,
                              0.88,
                              13.5,
                              1.25,
                              1.5,
                              412,
                              "h200",
                              50};
    assert_ok(eb_store_rung(store, w.command, w.dataset, run, &r, &status), status);
    assert_string_equal(
        look(store, "SELECT json_array(run, dataset, n, d, title, spec, reference, eps, selectivity, want, "
                    "coordinate_bytes, point_bytes, overlap_predicted, overlap_low, overlap_high, prediction, overlap, "
                    "overlap_p01, overlap_min, worst_point, pairs_kept, pairs_right, error_of_eps, error_p999_of_eps) "
                    "FROM v_rungs"),
        "[1,\"demo\",100,16,\"INT8, point steps\",\"tensor[type=s8,step=point]\",\"exact\",12.5,16.0,0.999,1.0,20.0,"
        "0.75,0.7,0.8,\"held\",0.875,0.5,0.25,17,0.9,0.95,0.01,0.02]");
    assert_string_equal(look(store, "SELECT json_array(error_most_of_eps, error_bias_of_eps, inputs_share, k, "
                                    "knn_recall, kendall_tau, complete_eps, complete_price, rescore, rate_tflops, "
                                    "rate_gpu, sampled) FROM v_rungs"),
                        "[0.03,-0.001,0.5,10,0.96,0.88,13.5,1.25,1.5,412.0,\"h200\",50]");
    eb_store_close(store);
}

/* What is unknown is NULL, never 0. */
TEST(an_unknown_value_is_null)
{
    eb_status status = {0};
    eb_store *store = open_log("unknown.db");
    const written w = begin(store, "precision predict eps=1");
    eb_rung_record r = eb_rung_unknown();
    r.title = "INT8";
    r.spec = "tensor[type=s8]";
    assert_refused(eb_store_rung(store, w.command, w.dataset, 0, &r, &status), EB_LOG, status); /* no ε */
    r.eps = 1;
    assert_ok(eb_store_rung(store, w.command, w.dataset, 0, &r, &status), status);
    assert_string_equal(
        look(store, "SELECT count(run) + count(reference) + count(selectivity) + count(want) + count(coordinate_bytes) "
                    "+ count(point_bytes) + count(overlap_predicted) + count(overlap_low) + count(overlap_high) + "
                    "count(prediction) + count(overlap) + count(overlap_p01) + count(overlap_min) + count(worst_point) "
                    "+ count(pairs_kept) "
                    "+ count(pairs_right) + count(error_of_eps) + count(error_p999_of_eps) + count(error_most_of_eps) "
                    "+ count(error_bias_of_eps) + count(inputs_share) + count(k) + count(knn_recall) + "
                    "count(kendall_tau) + count(complete_eps) + count(complete_price) + count(rescore) + "
                    "count(rate_tflops) + count(rate_gpu) + count(sampled) FROM v_rungs"),
        "0");
    eb_store_close(store);
}

TEST(the_cheapest_that_was_enough_is_told)
{
    eb_store *store = full_log("enough.db");
    eb_report *report = list(store, NULL, NULL, 0);
    const eb_table *enough = eb_report_find_table(report, EB_F(enough));
    assert_int_equal(enough->rows, 2);
    assert_string_equal(eb_text_at(enough, 0, EB_F(dataset)), "other");
    assert_string_equal(eb_text_at(enough, 0, EB_F(rung_enough)), ""); /* none: the best is told instead */
    assert_string_equal(eb_text_at(enough, 0, EB_F(rung_short)), "BF16");
    assert_string_equal(eb_text_at(enough, 0, EB_F(overlap_basis)), "predicted");
    assert_string_equal(eb_text_at(enough, 1, EB_F(rung_enough)), "FP16"); /* of two with two bytes the better one */
    assert_true(eb_number_at(enough, 1, EB_F(overlap)) == 0.9991);
    assert_string_equal(eb_text_at(enough, 1, EB_F(rung_short)), "INT8");
    assert_true(eb_number_at(enough, 1, EB_F(overlap_short)) == 0.975);
    assert_string_equal(eb_text_at(enough, 1, EB_F(overlap_basis)), "measured");
    eb_report_free(report);
    eb_store_close(store);
}

/* A later prediction at the same ε does not stand in for a measurement; a later measurement does. */
TEST(a_measurement_outlives_a_prediction)
{
    eb_status status = {0};
    eb_store *store = full_log("later.db");
    written w = begin(store, "precision predict eps=1");
    add_rung(store, &w, "INT8", 1, 0.995, NAN, 1);
    eb_report *report = list(store, "demo", NULL, 0);
    assert_string_equal(eb_text_at(eb_report_find_table(report, EB_F(enough)), 0, EB_F(rung_enough)), "FP16");
    eb_report_free(report);
    assert_ok(eb_store_command_begin(store, w.session, "precision eps=1", &w.command, &status), status);
    add_rung(store, &w, "INT8", 1, 0.995, 0.994, 1);
    report = list(store, "demo", NULL, 0);
    const eb_table *enough = eb_report_find_table(report, EB_F(enough));
    assert_int_equal(enough->rows, 1);
    assert_string_equal(eb_text_at(enough, 0, EB_F(rung_enough)), "INT8");
    assert_string_equal(eb_text_at(enough, 0, EB_F(rung_short)), "");
    eb_report_free(report);
    eb_store_close(store);
}

TEST(rungs_are_listed_newest_first)
{
    eb_store *store = full_log("list.db");
    eb_report *report = list(store, NULL, "int8", 0);
    const eb_table *rungs = eb_report_find_table(report, EB_F(rungs));
    assert_int_equal(rungs->rows, 2);
    assert_string_equal(eb_text_at(rungs, 0, EB_F(dataset)), "other");
    assert_string_equal(eb_text_at(rungs, 1, EB_F(rung)), "INT8");
    eb_report_free(report);
    report = list(store, "bbbb", NULL, 1); /* the hash begins so */
    assert_int_equal(eb_report_find_table(report, EB_F(rungs))->rows, 1);
    assert_string_equal(report->note[0], "the newest 1 of 2 rows; limit=2 shows all");
    eb_report_free(report);
    report = list(store, NULL, "e4m3", 0);
    assert_null(eb_report_find_table(report, EB_F(enough)));
    assert_string_equal(report->note[0], "no rung matches");
    eb_report_free(report);
    eb_store_close(store);
    store = open_log("none.db");
    report = list(store, NULL, NULL, 0);
    assert_string_equal(report->note[0], "no number type was tried yet; `precision S=64` does");
    eb_report_free(report);
    eb_store_close(store);
}

TEST(an_export_carries_them)
{
    eb_status status = {0};
    uint64_t rows;
    json_error_t error;
    eb_store *store = full_log("export.db");
    assert_ok(eb_store_export(store, in_folder("rungs.json"), 0, &rows, &status), status);
    json_t *log = json_load_file(in_folder("rungs.json"), 0, &error), *rungs = json_object_get(log, "rungs");
    assert_int_equal(json_array_size(rungs), 6);
    assert_string_equal(json_string_value(json_object_get(json_array_get(rungs, 5), "title")), "BF16");
    json_decref(log);
    assert_ok(eb_store_export(store, in_folder("rungs.sql"), 1, &rows, &status), status);
    eb_store_close(store);

    content script = read_whole(in_folder("rungs.sql"));
    sqlite3 *again = NULL;
    script.bytes[script.size] = '\0';
    assert_int_equal(sqlite3_open(in_folder("again.db"), &again), SQLITE_OK);
    assert_int_equal(sqlite3_exec(again, (const char *)script.bytes, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(again), SQLITE_OK);
    free(script.bytes);
    store = open_log("again.db");
    assert_string_equal(look(store, "SELECT count(*) || ' ' || count(overlap) || ' ' || max(dataset) FROM v_rungs"),
                        "6 3 other");
    eb_store_close(store);
}

/* What a GPU measured is read from the rung's run; an emulation's times are not told. */
TEST(a_gpus_speeds_are_listed)
{
    eb_status status = {0};
    eb_store *store = open_log("speeds.db");
    const written w = begin(store, "precision eps=1");
    for (int k = 0; k < 2; k++) {
        int64_t id;
        eb_run run = a_run(&a_fast_engine);
        eb_figures trial = a_trial(&run, 0.5, 2);
        eb_figures_set(&trial, &(eb_figure){"limit_flops", "limit", EB_PLAIN, EB_FIGURE_OWN, 0}, 1.28e6);
        if (k == 0)
            run.setup.device = (eb_device){.kind = EB_DEVICE_CUDA, .name = "cuda:0", .model = "NVIDIA H200"};
        assert_ok(eb_store_run_begin(store, w.command, w.dataset, &run, &id, &status), status);
        assert_ok(log_trial(store, id, &run, 0, &trial, &status), status);
        eb_rung_record r = eb_rung_unknown();
        r.title = k == 0 ? "measured" : "emulated";
        r.spec = "tensor";
        r.eps = k + 1;
        assert_ok(eb_store_rung(store, w.command, w.dataset, id, &r, &status), status);
    }
    eb_report *report = list(store, NULL, NULL, 0);
    const eb_table *t = eb_report_find_table(report, EB_F(rungs));
    assert_int_equal(t->rows, 2);
    assert_true(eb_number_at(t, 0, EB_F(kernel_s)) == 0.5);
    assert_true(eb_number_at(t, 0, EB_F(total_s)) == 2);
    assert_true(fabs(eb_number_at(t, 0, EB_F(tflops_derived)) - 0.64e-6) < 1e-12);
    assert_true(fabs(eb_number_at(t, 0, EB_F(limit_share)) - 0.25) < 1e-12);
    assert_string_equal(eb_text_at(t, 1, EB_F(rung)), "emulated");
    assert_true(isnan(eb_number_at(t, 1, EB_F(kernel_s))));
    assert_true(isnan(eb_number_at(t, 1, EB_F(limit_share))));
    eb_report_free(report);
    eb_store_close(store);
}

/* The rate of a run over sampled rows counts the pairs that were looked at; S is per sampled row. */
TEST(sampled_runs_count_their_rows)
{
    eb_status status = {0};
    int64_t all, some;
    eb_store *store = open_log("sampled.db");
    const written w = begin(store, "compare fasted ref64 sample=10");
    eb_run run = a_run(&a_fast_engine);
    assert_ok(eb_store_run_begin(store, w.command, w.dataset, &run, &all, &status), status);
    run.n = 10;
    run.others = 100;
    assert_ok(eb_store_run_begin(store, w.command, w.dataset, &run, &some, &status), status);
    for (int k = 0; k < 2; k++) {
        eb_figures trial = a_trial(&run, 0.5, 1);
        run.pairs = k == 0 ? 500 : 50;
        assert_ok(log_trial(store, k == 0 ? all : some, &run, 0, &trial, &status), status);
    }
    assert_string_equal(look(store, "SELECT json_group_array(json_array(sampled, selectivity, tflops_derived * 1e6)) "
                                    "FROM v_runs"),
                        "[[null,4.0,0.64],[10,4.0,0.064]]");
    const eb_accuracy a = {.n = 10, .of = 100, .eps = 12.5};
    assert_ok(eb_store_accuracy(store, some, 0, &a, &status), status);
    assert_string_equal(look(store, "SELECT sampled FROM v_accuracy"), "10");
    eb_store_close(store);
}

RUN_TESTS_WITH(make_folder, remove_folder)
