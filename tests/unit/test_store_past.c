/* A past session: its facts, and what its commands answered, kept or from the log's tables. */

#include "core/report/find.h"
#include "tests/unit/store_log.h"
#include "tests/unit/test.h"

static const double times[] = {1.00, 1.01, 1.02};

static eb_past_session past_of(eb_store *store, int64_t session)
{
    eb_past_session past;
    eb_status status = {0};
    assert_ok(eb_store_past_session(store, session, &past, &status), status);
    return past;
}

/* A comparison with target and curve, as a program before schema 8 would have logged it: nothing is kept. */
static written log_comparison(eb_store *store)
{
    eb_status status = {0};
    uint64_t count[100] = {[50] = 7};
    const double eps[] = {0.1, 0.2, 0.3}, s[] = {1, 2, 3}, error[] = {0.5, 0.5, 0.5};
    const eb_target target = {.wanted = 64, .eps = 0.25, .selectivity = 64, .pairs = 6500, .passes = 1};
    written w = begin(store, "compare fasted ref64 S=64");
    int64_t fast = add_run(store, &w, &a_fast_engine, 6500, times, 3);
    int64_t truth = add_run(store, &w, &a_true_engine, 6500, times, 3);
    const eb_accuracy a = {.n = 100,
                           .eps = 12.5,
                           .common = 3200,
                           .overlap = 0.5,
                           .errors = {.bins = 100, .low = -1, .high = 1, .count = count}};
    assert_ok(eb_store_accuracy(store, fast, truth, &a, &status), status);
    assert_ok(eb_store_target(store, w.command, w.dataset, "ref64", &target, &status), status);
    assert_ok(eb_store_sweep(store, w.command, w.dataset, "ref64", 3, eps, s, error, NULL, &status), status);
    assert_ok(eb_store_note(store, w.session, fast, "it was loud", &status), status);
    return w;
}

TEST(facts_are_of_one_session)
{
    eb_store *store = open_log("facts.db");
    written first = log_comparison(store);
    end(store, &first);
    written second = log_comparison(store);
    eb_past_session past = past_of(store, second.session);
    assert_integer(field_of(past.facts, "session"), 2);
    assert_text(field_of(past.facts, "state"), "running");
    assert_text(field_of(past.facts, "commit"), "abc");
    assert_int_equal(table_of(past.facts, "devices")->rows, 1);
    assert_int_equal(table_of(past.facts, "datasets")->rows, 1);
    assert_int_equal(table_of(past.facts, "targets")->rows, 1);
    const eb_table *runs = eb_report_find_table(past.facts, EB_F(runs)); /* beside the field of this key */
    assert_int_equal(runs->rows, 2);
    assert_integer(cell_of(runs, 0, "run"), 3);
    assert_text(cell_of(runs, 1, "exactness"), "truth");
    assert_text(cell_of(table_of(past.facts, "accuracies"), 0, "exactness"), "approximate");
    assert_text(cell_of(table_of(past.facts, "notes"), 0, "note"), "it was loud");
    const eb_item *curve = item_of(past.facts, "curve");
    assert_int_equal(curve->as.series.points, 4); /* three sampled ones and the target */
    assert_true(curve->as.series.x[2] == 0.25 && curve->as.series.y[2] == 64);
    assert_true(isnan(curve->as.series.low[2]) && curve->as.series.low[0] == 0.5);
    eb_past_session_free(&past);
    eb_store_close(store);
}

TEST(a_command_without_a_kept_report_shows_what_the_tables_have)
{
    eb_store *store = open_log("tables.db");
    written w = log_comparison(store);
    end(store, &w);
    eb_past_session past = past_of(store, 1);
    assert_int_equal(past.commands, 1);
    const eb_past_command *command = &past.command[0];
    assert_false(command->kept);
    assert_string_equal(command->text, "compare fasted ref64 S=64");
    assert_string_equal(command->outcome, "ok");
    assert_null(command->message);
    assert_true(command->duration_s == 0.5);
    assert_int_equal(table_of(command->report, "targets")->rows, 1);
    assert_int_equal(table_of(command->report, "runs")->rows, 2);
    assert_int_equal(table_of(command->report, "accuracies")->rows, 1);
    assert_int_equal(item_of(command->report, "curve")->as.series.points, 3);
    assert_int_equal(item_of(command->report, "errors")->as.series.points, 100);
    eb_past_session_free(&past);
    eb_store_close(store);
}

TEST(a_kept_report_stands_for_its_command)
{
    eb_status status = {0};
    eb_store *store = open_log("kept.db");
    written w = log_comparison(store);
    eb_report *report = eb_report_new("compare");
    eb_report_field(report, EB_F(overlap), eb_real(0.75));
    eb_report_conclude(report, "ref64 is right");
    eb_report_dataset(report, "a name");
    assert_ok(eb_store_report(store, w.command, w.dataset, report, &status), status);
    eb_report_free(report);
    end(store, &w);
    eb_past_session past = past_of(store, 1);
    assert_true(past.command[0].kept);
    assert_string_equal(past.command[0].report->command, "compare");
    assert_int_equal(past.command[0].report->items, 1);
    assert_real(field_of(past.command[0].report, "overlap"), 0.75);
    assert_string_equal(past.command[0].report->conclusion, "ref64 is right");
    assert_string_equal(past.command[0].report->dataset, "a name");
    eb_past_session_free(&past);
    eb_store_close(store);
}

/* Points that were loaded and no run used, a device that no run used, a command that failed. */
TEST(data_and_devices_need_no_run)
{
    eb_status status = {0};
    eb_store *store = open_log("norun.db");
    const eb_device gpu = {.kind = EB_DEVICE_CUDA, .name = "cuda:0", .model = "Some GPU", .architecture = "sm_90"};
    written w = begin(store, "load demo");
    eb_report *report = eb_report_new("load");
    assert_ok(eb_store_report(store, w.command, w.dataset, report, &status), status);
    assert_ok(eb_store_session_device(store, w.session, &gpu, &status), status);
    assert_ok(eb_store_session_device(store, w.session, &gpu, &status), status);
    assert_ok(eb_store_command_end(store, w.command, EB_OK, NULL, 0.5, &status), status);
    assert_ok(eb_store_command_begin(store, w.session, "join nothing", &w.command, &status), status);
    assert_ok(eb_store_command_end(store, w.command, EB_NO_ENGINE, "no engine", 0.5, &status), status);
    eb_report_free(report);
    eb_past_session past = past_of(store, 1);
    assert_text(cell_of(table_of(past.facts, "datasets"), 0, "dataset"), "demo");
    assert_int_equal(table_of(past.facts, "devices")->rows, 1);
    assert_text(cell_of(table_of(past.facts, "devices"), 0, "model"), "Some GPU");
    assert_int_equal(past.commands, 2);
    assert_string_equal(past.command[1].outcome, "failed");
    assert_string_equal(past.command[1].message, "no engine");
    assert_null(eb_report_find_table(past.facts, EB_F(runs)));
    eb_past_session_free(&past);
    eb_store_close(store);
}

TEST(an_unknown_session_is_named)
{
    eb_status status = {0};
    eb_past_session past;
    eb_store *store = open_log("unknown.db");
    assert_refused(eb_store_past_session(store, 1, &past, &status), EB_NOT_FOUND, status);
    assert_says(&status, "no sessions yet");
    eb_past_session_free(&past);
    written w = log_comparison(store);
    end(store, &w);
    assert_refused(eb_store_past_session(store, 7, &past, &status), EB_NOT_FOUND, status);
    eb_past_session_free(&past);
    eb_store_close(store);
}

/* Another process holds the lock: what is to be kept waits in memory with the rest. */
TEST(kept_reports_wait_for_the_lock)
{
    eb_status status = {0};
    bool caught_up;
    eb_store *store = open_log("locked.db"), *other;
    assert_ok(eb_store_open_second(in_folder("locked.db"), &other, &status), status);
    eb_store_patience(store, 20, NULL);
    assert_ok(eb_sql_begin(other, &status), status);
    written w = begin(store, "load demo");
    eb_report *report = eb_report_new("load");
    eb_report_conclude(report, "loaded");
    assert_ok(eb_store_report(store, w.command, w.dataset, report, &status), status);
    eb_report_free(report);
    assert_ok(eb_sql_end(other, EB_OK, &status), status);
    assert_ok(eb_store_catch_up(store, 1000, &caught_up, &status), status);
    assert_true(caught_up);
    assert_string_equal(look(store, "SELECT conclusion || dataset_id FROM report"), "loaded1");
    eb_store_close(other);
    eb_store_close(store);
}

RUN_TESTS_WITH(make_folder, remove_folder)
