/* Recall against throughput in the log: written, read through v_recall, listed, shown, compared, exported. */

#include <jansson.h>

#include "core/report/find.h"
#include "store/schema.h"
#include "tests/unit/named.h"
#include "tests/unit/store_log.h"
#include "tests/unit/test.h"

static int64_t add_experiment(eb_store *store, const written *w, unsigned rounds)
{
    eb_status status = {0};
    eb_device device = {.kind = EB_DEVICE_CPU, .name = "cpu", .model = "a CPU", .architecture = "x86-64"};
    const eb_inverted_request request = {.n = 900, .shape = {.nlist = 32, .m = 8}, .rounds = rounds, .seed = 42};
    const eb_recall_experiment e = {.device = &device,
                                    .implementation = "avx2",
                                    .layout = "",
                                    .threads = 2,
                                    .queries = 100,
                                    .k = 10,
                                    .request = &request,
                                    .scale = 200,
                                    .points_wanted = 4,
                                    .trials_wanted = 3,
                                    .build_s = 1.5,
                                    .truth_s = 0.25};
    int64_t id = 0;
    assert_ok(eb_store_recall(store, w->command, w->dataset, &e, &id, &status), status);
    return id;
}

static int64_t add_point(eb_store *store, int64_t experiment, eb_table_format lut, size_t nprobe, double recall,
                         const double *pass_s, unsigned trials)
{
    eb_status status = {0};
    const eb_recall_point p = {.lut = lut,
                               .nprobe = nprobe,
                               .recall = {recall, recall - 0.02, recall + 0.02},
                               .wavefronts = NAN,
                               .occupancy = NAN};
    int64_t id = 0;
    assert_ok(eb_store_recall_point(store, experiment, &p, &id, &status), status);
    for (unsigned t = 0; t < trials; t++)
        assert_ok(eb_store_recall_trial(store, id, t, 7, pass_s[t], &status), status);
    return id;
}

static const double slow[] = {0.02, 0.0201, 0.0202}, fast[] = {0.01, 0.0101, 0.0102};

/* Two experiments; the last point of the second one was interrupted after its first trial. */
static eb_store *full_log(const char *name)
{
    eb_store *store = open_log(name);
    const written w = begin(store, "recall lut=f32,e5m3 nprobe=1,4");
    const int64_t first = add_experiment(store, &w, 25), second = add_experiment(store, &w, 10);
    (void)add_point(store, first, EB_TABLE_F32, 1, 0.6, slow, 3);
    (void)add_point(store, first, EB_TABLE_E5M3, 1, 0.59, fast, 3);
    (void)add_point(store, first, EB_TABLE_F32, 4, 0.8, slow, 3);
    (void)add_point(store, first, EB_TABLE_E5M3, 4, 0.79, fast, 3);
    (void)add_point(store, second, EB_TABLE_F32, 4, 0.7, fast, 3);
    (void)add_point(store, second, EB_TABLE_F16, 4, 0.7, fast, 1);
    return store;
}

/* Compares a row of v_recall, as one line of text. */
static void expect_point(eb_store *store, const char *columns, int point, const char *expected)
{
    char sql[1024];
    (void)snprintf(sql, sizeof sql, "SELECT json_array(%s) FROM v_recall WHERE point = %d", columns, point);
    assert_string_equal(look(store, sql), expected);
}

TEST(a_point_keeps_its_conditions_and_trials)
{
    eb_store *store = full_log("points.db");
    expect_point(store, "experiment, dataset, n, d, queries, k, nlist, m, rounds, seed, lut, table_bytes, accumulate",
                 2, "[1,\"demo\",900,16,100,10,32,8,25,42,\"e5m3\",2048,\"f32\"]");
    expect_point(store, "scale, nprobe, device, threads, implementation, build_s, truth_s, trials_wanted", 2,
                 "[200.0,1,\"cpu\",2,\"avx2\",1.5,0.25,3]");
    expect_point(store, "queries_source, layout, refine, lookups, kernel_s, lookup_conflicts, occupancy", 2,
                 "[null,null,null,null,null,null,null]");
    expect_point(store, "recall, recall_low, recall_high, trials, partial, pass_s, pass_min_s, pass_max_s", 1,
                 "[0.6,0.58,0.62,3,0,0.0201,0.02,0.0202]");
    expect_point(store,
                 "queries_per_s = 100 / 0.0201, queries_per_s_low = 100 / 0.0202, queries_per_s_high = 100 / 0.02", 1,
                 "[1,1,1]");
    expect_point(store, "trials, partial, pass_cov", 6, "[1,1,null]");
    assert_string_equal(look(store, "SELECT count(*) || ' ' || min(passes) FROM v_recall_trials WHERE point = 2"),
                        "3 7");
    eb_store_close(store);
}

/* A GPU's point keeps its measurements and counts. */
TEST(a_gpus_point_keeps_its_work)
{
    eb_status status = {0};
    int64_t id;
    eb_store *store = open_log("gpu.db");
    const written w = begin(store, "recall layout=packed");
    const eb_recall_point p =
        {.lut = EB_TABLE_E5M3,
         .nprobe = 8,
         .recall = {0.5, 0.4, 0.6},
         .work = {.lookups = 1000, .kernel_s = 0.25, .blocks = 8, .shared_bytes = 16384, .side_by_side = 4},
         .wavefronts = 3.25,
         .occupancy = 0.5};
    const int64_t experiment = add_experiment(store, &w, 25);
    assert_ok(eb_store_recall_point(store, experiment, &p, &id, &status), status);
    expect_point(store,
                 "lookups, kernel_s, blocks_per_sm, shared_bytes, queries_per_lookup, lookup_conflicts, occupancy, "
                 "trials, queries_per_s",
                 1, "[1000,0.25,8,16384,4,2.25,0.5,0,null]");
    eb_report *report = eb_report_new("recalls");
    assert_ok(eb_store_show_recall(store, experiment, report, &status), status);
    const eb_table *cells = eb_report_find_table(report, EB_KEY("cells"));
    assert_int_equal(eb_value_number(eb_table_value(cells, 0, EB_KEY("queries_per_lookup"))), 4);
    assert_int_equal(eb_report_find_series(report, EB_KEY("curve"))->points,
                     1); /* a point without a finished trial is a gap */
    eb_report_free(report);
    eb_store_close(store);
}

TEST(experiments_are_listed)
{
    eb_status status = {0};
    eb_store *store = full_log("list.db");
    eb_report *report = eb_report_new("recalls");
    assert_ok(eb_store_recalls(store, NULL, 0, report, &status), status);
    const eb_table *table = eb_report_find_table(report, EB_KEY("experiments"));
    assert_int_equal(table->rows, 2);
    assert_int_equal(eb_value_number(eb_table_value(table, 0, EB_KEY("experiment"))), 2);
    assert_string_equal(eb_table_value(table, 1, EB_KEY("luts")).as.text, "f32,e5m3");
    assert_int_equal(eb_value_number(eb_table_value(table, 0, EB_KEY("points"))), 2);
    assert_true(eb_value_number(eb_table_value(table, 1, EB_KEY("recall"))) == 0.8);
    eb_report_free(report);
    report = eb_report_new("recalls");
    assert_ok(eb_store_recalls(store, "elsewhere", 0, report, &status), status);
    assert_string_equal(report->note[0], "no experiment matches");
    eb_report_free(report);
    eb_store_close(store);
}

/* Formats come one after another, as `recall` reports them, so that the same panel draws both reports. */
TEST(one_is_shown_as_it_was)
{
    static const char *const lut[] = {"f32", "f32", "e5m3", "e5m3"};
    eb_status status = {0};
    eb_store *store = full_log("show.db");
    eb_report *report = eb_report_new("recalls");
    assert_ok(eb_store_show_recall(store, 1, report, &status), status);
    const eb_table *cells = eb_report_find_table(report, EB_KEY("cells"));
    const eb_series *curve = eb_report_find_series(report, EB_KEY("curve"));
    assert_int_equal(cells->rows, 4);
    assert_int_equal(curve->points, 4);
    assert_memory_equal(curve->mark, "aabb", 4);
    for (size_t k = 0; k < 4; k++) {
        assert_string_equal(eb_table_value(cells, k, EB_KEY("lut")).as.text, lut[k]);
        assert_true(eb_value_number(eb_table_value(cells, k, EB_KEY("recall"))) == curve->x[k]);
        assert_true(eb_value_number(eb_table_value(cells, k, EB_KEY("queries_per_s"))) == curve->y[k]);
    }
    assert_true(fabs(eb_value_number(eb_table_value(cells, 3, EB_KEY("speed"))) - 0.0201 / 0.0101) < 1e-12);
    assert_int_equal(eb_report_find_table(report, EB_KEY("trial_times"))->rows, 12);
    eb_report_free(report);
    report = eb_report_new("recalls");
    assert_refused(eb_store_show_recall(store, 3, report, &status), EB_NOT_FOUND, status);
    assert_says(&status, "no experiment 3: the log has experiments 1 to 2");
    eb_report_free(report);
    eb_store_close(store);
}

TEST(points_of_both_are_compared)
{
    eb_status status = {0};
    eb_store *store = full_log("diff.db");
    eb_report *report = eb_report_new("recalls");
    assert_ok(eb_store_diff_recall(store, 1, 2, report, &status), status);
    const eb_table *cells = eb_report_find_table(report, EB_KEY("cells"));
    assert_int_equal(cells->rows, 1); /* f32 at nprobe 4 */
    assert_string_equal(eb_table_value(cells, 0, EB_KEY("verdict")).as.text, "FASTER");
    assert_true(fabs(eb_value_number(eb_table_value(cells, 0, EB_KEY("recall_difference"))) + 0.1) < 1e-12);
    assert_int_equal(report->notes, 1);
    assert_string_equal(report->note[0], "warning: the indexes differ in lists, pieces or rounds");
    eb_report_free(report);
    eb_store_close(store);
}

TEST(an_export_carries_them)
{
    eb_status status = {0};
    uint64_t rows;
    json_error_t error;
    eb_store *store = full_log("export.db");
    assert_ok(eb_store_export(store, in_folder("recall.json"), 0, &rows, &status), status);
    json_t *log = json_load_file(in_folder("recall.json"), 0, &error), *points = json_object_get(log, "recall");
    assert_int_equal(json_array_size(points), 6);
    assert_int_equal(json_array_size(json_object_get(json_array_get(points, 1), "trial_times")), 3);
    json_decref(log);
    assert_ok(eb_store_export(store, in_folder("recall.sql"), 1, &rows, &status), status);
    eb_store_close(store);

    content script = read_whole(in_folder("recall.sql"));
    sqlite3 *again = NULL;
    script.bytes[script.size] = '\0';
    assert_int_equal(sqlite3_open(in_folder("again.db"), &again), SQLITE_OK);
    assert_int_equal(sqlite3_exec(again, (const char *)script.bytes, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(again), SQLITE_OK);
    free(script.bytes);
    store = open_log("again.db");
    assert_string_equal(look(store, "SELECT count(*) || ' ' || sum(trials) || ' ' || max(experiment) FROM v_recall"),
                        "6 16 2");
    eb_store_close(store);
}

/* A log of schema 6, which had no table of recall. */
TEST(a_log_of_schema_6_takes_recall)
{
    sqlite3 *db = NULL;
    char identity[96];
    assert_int_equal(sqlite3_open(in_folder("six.db"), &db), SQLITE_OK);
    for (size_t k = 0; k < 6; k++)
        assert_int_equal(sqlite3_exec(db, eb_schema_current.migrations[k], NULL, NULL, NULL), SQLITE_OK);
    (void)snprintf(identity, sizeof identity, "PRAGMA application_id = %d; PRAGMA user_version = 6", EB_APPLICATION_ID);
    assert_int_equal(sqlite3_exec(db, identity, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    eb_store *store = full_log("six.db");
    assert_string_equal(look(store, "PRAGMA user_version"), SCHEMA);
    assert_string_equal(look(store, "SELECT count(*) FROM v_recall"), "6");
    eb_store_close(store);
}

RUN_TESTS_WITH(make_folder, remove_folder)
