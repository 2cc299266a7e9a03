/* Rows written to the log are found again through the views, and inconsistent rows are refused. */

#include "tests/unit/store_log.h"
#include "tests/unit/test.h"

TEST(sessions_and_commands_begin_and_end)
{
    eb_status status = {0};
    int64_t second;
    eb_store *store = open_log("sessions.db");
    written w = begin(store, "compare fasted ref64 S=64");
    assert_string_equal(look(store, "SELECT state FROM v_sessions"), "running");
    assert_string_equal(look(store, "SELECT outcome FROM v_commands"), "running");
    assert_string_equal(look(store, "SELECT duration_s FROM v_commands"), "NULL");
    assert_ok(eb_store_command_end(store, w.command, EB_OK, "not an error", 1.5, &status), status);
    assert_string_equal(look(store, "SELECT outcome || duration_s FROM v_commands"), "ok1.5");
    assert_string_equal(look(store, "SELECT message FROM v_commands"), "NULL");
    assert_ok(eb_store_command_end(store, w.command, EB_CANCELLED, "interrupted", 2, &status), status);
    assert_string_equal(look(store, "SELECT outcome || ':' || error_code FROM v_commands"), "cancelled:cancelled");
    assert_ok(eb_store_command_end(store, w.command, EB_BAD_FORMAT, "x.npy: no header", NAN, &status), status);
    assert_string_equal(look(store, "SELECT outcome || ':' || error_code || ':' || message FROM v_commands"),
                        "failed:bad-format:x.npy: no header");
    assert_ok(eb_store_session_end(store, w.session, &status), status);
    assert_string_equal(look(store, "SELECT state || (ended >= started) FROM v_sessions"), "ended1");
    assert_ok(eb_store_session_begin(store, &a_build, &second, &status), status);
    assert_true(second > w.session);
    assert_string_equal(look(store, "SELECT count(*) FROM build"), "1"); /* the same build */
    assert_string_equal(look(store, "SELECT started GLOB '20*-*-*T*:*:*.*Z' AND length(started) = 30 FROM v_sessions"),
                        "1");
    eb_store_close(store);
}

TEST(a_dataset_is_found_again)
{
    eb_status status = {0};
    int64_t again, other;
    char elsewhere[] = "/data/x.u8bin";
    eb_store *store = open_log("datasets.db");
    written w = begin(store, "load demo");
    eb_dataset ds = a_dataset();
    assert_ok(eb_store_dataset(store, &ds, &again, &status), status);
    assert_int_equal(again, w.dataset);
    ds.source = elsewhere;
    assert_ok(eb_store_dataset(store, &ds, &other, &status), status);
    assert_true(other != w.dataset);
    assert_string_equal(look(store, "SELECT n || 'x' || d || dtype || format FROM dataset WHERE id = 1"),
                        "100x16u8u8bin");
    eb_store_close(store);
}

TEST(a_run_keeps_its_conditions_and_trials)
{
    const double kernel_s[] = {0.5, 0.25, 1.0};
    eb_store *store = open_log("runs.db");
    written w = begin(store, "compare fasted ref64 S=64");
    assert_int_equal(add_run(store, &w, &a_fast_engine, 6500, kernel_s, 3), 1);
    assert_int_equal(add_run(store, &w, &a_true_engine, 6500, kernel_s, 3), 2);
    assert_string_equal(look(store, "SELECT count(*) FROM device"), "1");
    assert_string_equal(
        look(store, "SELECT engine || exactness || is_truth || device || '/' || device_model || mode || threads || "
                    "tensor || memory_limit_bytes FROM v_runs WHERE run = 1"),
        "fastedapproximate0cpu/Some CPUtable2sm_901048576");
    assert_string_equal(look(store, "SELECT tensor FROM v_runs WHERE run = 2"), "NULL"); /* no emulation */
    assert_string_equal(look(store, "SELECT switches FROM v_runs WHERE run = 1"),
                        "NULL"); /* switches exist on GPUs only */
    assert_string_equal(look(store, "SELECT eps || ' ' || selectivity || ' ' || pairs || ' ' || state FROM v_runs"),
                        "12.5 64.0 6500 done");
    assert_string_equal(look(store, "SELECT trials || ' ' || batches || ' ' || trials_wanted FROM v_runs"), "3 1 3");
    assert_string_equal(look(store, "SELECT clock_hz IS NULL AND driver IS NULL FROM device"),
                        "1"); /* unknown is not 0 */
    assert_string_equal(look(store, "SELECT upload_s IS NULL AND convert_s = 0.25 AND energy_j IS NULL AND "
                                    "throttled IS NULL FROM v_trials"),
                        "1");
    assert_string_equal(look(store, "SELECT group_concat(kernel_s) FROM v_trials WHERE run = 1"), "0.5,0.25,1.0");
    eb_store_close(store);
}

/* The distances kept are known at the end of a run: a table that did not fit kept none. */
TEST(a_run_keeps_which_distances_its_table_has)
{
    static const struct {
        eb_run_mode begun, ended;
        eb_distances kept;
        const char *begins, *ends;
    } cases[] = {{EB_RUN_TABLE, EB_RUN_TABLE, EB_DISTANCES_NONE, "none", "none"},
                 {EB_RUN_TABLE, EB_RUN_TABLE, EB_DISTANCES_F32, "f32", "f32"},
                 {EB_RUN_TABLE, EB_RUN_COUNT, EB_DISTANCES_F32, "f32", "NULL"},
                 {EB_RUN_COUNT, EB_RUN_COUNT, EB_DISTANCES_F64, "NULL", "NULL"}};
    eb_store *store = open_log("distances.db");
    written w = begin(store, "join");
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        eb_status status = {0};
        eb_run run = a_run(&a_fast_engine);
        char sql[80];
        int64_t id;
        run.mode = cases[k].begun;
        run.distances = cases[k].kept;
        assert_ok(eb_store_run_begin(store, w.command, w.dataset, &run, &id, &status), status);
        (void)snprintf(sql, sizeof sql, "SELECT distances FROM v_runs WHERE run = %d", (int)id);
        assert_string_equal(look(store, sql), cases[k].begins);
        run.mode = cases[k].ended;
        assert_ok(eb_store_run_end(store, id, &run, &status), status);
        assert_string_equal(look(store, sql), cases[k].ends);
    }
    eb_store_close(store);
}

TEST(a_gpu_run_keeps_switches_clock_and_throttling)
{
    eb_status status = {0};
    int64_t id;
    eb_store *store = open_log("gpu.db");
    written w = begin(store, "join fasted eps=1");
    eb_run run = a_run(&a_fast_engine);
    run.setup.device = (eb_device){.kind = EB_DEVICE_CUDA,
                                   .name = "cuda:0",
                                   .model = "Some GPU",
                                   .driver = "550.1",
                                   .architecture = "sm_90",
                                   .clock_hz = 1.98e9};
    take_options(&run.setup, "paper");
    assert_ok(eb_store_run_begin(store, w.command, w.dataset, &run, &id, &status), status);
    eb_figures trial = a_trial(&run, 0.5, 1);
    eb_figures_set(&trial, &eb_figure_sm_clock, 1.5e9);
    eb_figures_set(&trial, &eb_figure_energy, 30);
    eb_figures_set(&trial, &eb_figure_throttle, 0);
    run.pairs = 100;
    assert_ok(log_trial(store, id, &run, 0, &trial, &status), status);
    eb_figures_set(&trial, &eb_figure_throttle, 4);
    assert_ok(log_trial(store, id, &run, 1, &trial, &status), status);
    assert_string_equal(look(store, "SELECT group_concat(throttled) FROM v_trials"), "0,1");
    assert_string_equal(look(store, "SELECT throttled_trials FROM v_runs"), "1");
    eb_report *shown = eb_report_new("show");
    assert_ok(eb_store_show(store, id, shown, &status), status);
    assert_real(field_of(shown, "energy_j"), 30);
    assert_real(field_of(shown, "sm_clock_hz"), 1.5e9);
    assert_text(field_of(shown, "throttle"), "power cap");
    assert_real(cell_of(table_of(shown, "trial_times"), 1, "energy_j"), 30);
    assert_integer(cell_of(table_of(shown, "trial_times"), 1, "throttle_reasons"), 4);
    eb_report_free(shown);
    assert_string_equal(look(store, "SELECT switches || device_driver || device_architecture FROM v_runs"),
                        "paper550.1sm_90");
    assert_string_equal(look(store, "SELECT tensor FROM v_runs"), "NULL");
    assert_string_equal(look(store, "SELECT pairs || state FROM v_runs"), "100running"); /* known before the end */
    eb_store_close(store);
}

TEST(options_are_kept_in_the_engines_order)
{
    eb_status status = {0};
    int64_t id;
    eb_store *store = open_log("order.db");
    written w = begin(store, "join fasted[paper,-alignment,-swizzle] eps=1");
    eb_run run = a_run(&a_fast_engine);
    run.setup.device = (eb_device){.kind = EB_DEVICE_CUDA, .name = "cuda:0", .model = "Some GPU"};
    take_options(&run.setup, "-alignment,tensor=sm_80,-swizzle,paper");
    assert_ok(eb_store_run_begin(store, w.command, w.dataset, &run, &id, &status), status);
    assert_string_equal(look(store, "SELECT spec FROM v_runs"), "fasted[paper,-swizzle,-alignment,tensor=sm_80]");
    assert_string_equal(look(store, "SELECT options FROM v_runs"), "preset=paper,swizzle=off,alignment=off");
    assert_string_equal(look(store, "SELECT switches FROM v_runs"), "paper-swizzle-alignment");
    assert_string_equal(look(store, "SELECT tensor FROM v_runs"), "NULL"); /* emulation exists on the CPU only */
    eb_store_close(store);
}

TEST(a_trial_keeps_every_figure_that_is_known)
{
    eb_status status = {0};
    int64_t id;
    eb_store *store = open_log("figures.db");
    written w = begin(store, "join tree eps=1");
    eb_run run = a_run(&an_index_engine);
    eb_figures trial = {.count = 0};
    eb_figures_set(&trial, &figure_build, 0.25);
    eb_figures_set(&trial, &figure_pruned, NAN);
    eb_figures_set(&trial, &eb_figure_kernel, INFINITY);
    eb_figures_set(&trial, &eb_figure_coordinate, 2);
    eb_figures_set(&trial, &eb_figure_energy, 0);
    assert_ok(eb_store_run_begin(store, w.command, w.dataset, &run, &id, &status), status);
    assert_ok(log_trial(store, id, &run, 0, &trial, &status), status);
    assert_string_equal(look(store, "SELECT group_concat(key || ' ' || value || ' ' || unit) FROM v_figures"),
                        "build_s 0.25 s,coordinate_bytes 2.0 byte,energy_j 0.0 J");
    assert_string_equal(look(store, "SELECT kernel_s IS NULL AND energy_j = 0 FROM v_trials"), "1");
    assert_refused(log_trial(store, id, &run, 0, &trial, &status), EB_LOG,
                   status); /* a trial is written completely or not at all */
    assert_string_equal(look(store, "SELECT count(*) FROM v_figures"), "3");
    eb_store_close(store);
}

/* Steps of SQLite's virtual machine to read a run's trials. */
static int steps_of_trials(eb_store *store, int64_t run)
{
    sqlite3_stmt *statement = NULL;
    static const char text[] = "SELECT kernel_s, total_s FROM v_trials WHERE run = ? ORDER BY trial";
    assert_int_equal(sqlite3_prepare_v2(store->db, text, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_bind_int64(statement, 1, run), SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW)
        assert_int_equal(sqlite3_column_type(statement, 1), SQLITE_FLOAT);
    int steps = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0);
    assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
    return steps;
}

/* Time grows linearly: a run may have a thousand trials with twenty figures each. */
TEST(four_times_the_trials_take_four_times_as_long)
{
    double kernel_s[200];
    for (int k = 0; k < 200; k++)
        kernel_s[k] = 1 + k;
    eb_store *store = open_log("many.db");
    written w = begin(store, "join");
    int64_t few = add_run(store, &w, &a_fast_engine, 100, kernel_s, 50);
    int64_t many = add_run(store, &w, &a_fast_engine, 100, kernel_s, 200);
    assert_true(steps_of_trials(store, many) < 5 * steps_of_trials(store, few));
    eb_store_close(store);
}

TEST(views_know_medians_and_variation)
{
    const double odd[] = {0.5, 0.25, 1.0}, even[] = {4, 1, 2, 3}, one[] = {0.125};
    eb_store *store = open_log("medians.db");
    written w = begin(store, "join");
    (void)add_run(store, &w, &a_fast_engine, 100, odd, 3);
    (void)add_run(store, &w, &a_true_engine, 100, even, 4);
    (void)add_run(store, &w, &a_true_engine, 100, one, 1);
    (void)add_run(store, &w, &a_true_engine, 100, one, 0);
    assert_string_equal(look(store, "SELECT kernel_s || ' ' || kernel_min_s || ' ' || total_s FROM v_runs "
                                    "WHERE run = 1"),
                        "0.5 0.25 1.0");
    assert_string_equal(look(store, "SELECT kernel_s || ' ' || total_s FROM v_runs WHERE run = 2"), "2.5 5.0");
    assert_string_equal(look(store, "SELECT abs(kernel_cov - sqrt(5.0 / 3.0) / 2.5) < 1e-12 AND "
                                    "abs(total_cov - kernel_cov) < 1e-12 FROM v_runs WHERE run = 2"),
                        "1");
    assert_string_equal(look(store, "SELECT kernel_s || ' ' || ifnull(kernel_cov, 'unknown') FROM v_runs "
                                    "WHERE run = 3"),
                        "0.125 unknown");
    assert_string_equal(look(store, "SELECT kernel_s IS NULL AND pairs IS NULL AND tflops_derived IS NULL AND "
                                    "selectivity IS NULL FROM v_runs WHERE run = 4"),
                        "1");
    /* 2·100²·16 operations in 0.5 s; the fast engine executes half of them. */
    assert_string_equal(look(store, "SELECT round(tflops_derived * 1e12) || ' ' || round(tflops_executed * 1e12) "
                                    "FROM v_runs WHERE run = 1"),
                        "640000.0 320000.0");
    assert_string_equal(look(store, "SELECT tflops_executed FROM v_runs WHERE run = 2"), "NULL");
    eb_store_close(store);
}

TEST(counters_name_their_source)
{
    eb_status status = {0};
    const double one[] = {1};
    eb_store *store = open_log("counters.db");
    written w = begin(store, "counters fasted");
    int64_t run = add_run(store, &w, &a_fast_engine, 100, one, 1);
    assert_ok(eb_store_counter(store, run, "bank conflicts", 12, "1", "cupti", &status), status);
    assert_ok(eb_store_counter(store, run, "bank conflicts", 0, "1", "model", &status), status);
    assert_ok(eb_store_counter(store, run, "bank conflicts", 13, "1", "cupti", &status), status);
    assert_ok(eb_store_counter(store, run, "occupancy", NAN, "ratio", "cupti", &status), status);
    assert_string_equal(look(store, "SELECT group_concat(metric || source || ifnull(value, '?')) FROM v_counters"),
                        "bank conflictscupti13.0,bank conflictsmodel0.0,occupancycupti?");
    assert_refused(eb_store_counter(store, run, "x", 1, "1", "a guess", &status), EB_LOG, status);
    assert_refused(eb_store_counter(store, run + 1, "x", 1, "1", "cupti", &status), EB_LOG, status);
    eb_store_close(store);
}

TEST(accuracy_comes_with_bins_and_boundary)
{
    eb_status status = {0};
    const double one[] = {1};
    uint64_t count[100] = {[49] = 5, [50] = 7};
    eb_boundary_pair boundary[] = {{.i = 1, .j = 2, .dist_fast = NAN, .dist_true = 0.5, .in_true = true},
                                   {.i = 3, .j = 9, .dist_fast = 0.25, .dist_true = 0.5, .in_fast = true}};
    eb_accuracy a = {.n = 100,
                     .eps = 0.5,
                     .pairs_fast = 112,
                     .pairs_true = 114,
                     .common = 6,
                     .only_true = 1,
                     .overlap = 0.99,
                     .overlap_min = 0.5,
                     .error_mean = -1e-6,
                     .error_std = NAN,
                     .error_max = 0.25,
                     .errors = {.bins = 100, .low = -1, .high = 1, .count = count, .under = 2, .over = 3},
                     .boundary = boundary,
                     .boundary_count = 2};
    a.overlap_bins[19] = 100;
    eb_store *store = open_log("accuracy.db");
    written w = begin(store, "compare");
    int64_t fast = add_run(store, &w, &a_fast_engine, 112, one, 1);
    int64_t truth = add_run(store, &w, &a_true_engine, 114, one, 1);
    assert_ok(eb_store_accuracy(store, fast, truth, &a, &status), status);
    assert_string_equal(look(store, "SELECT fast_run || fast_engine || truth_run || truth_engine || session || command "
                                    "FROM v_accuracy"),
                        "1fasted2ref6411");
    assert_string_equal(look(store, "SELECT overlap || ' ' || error_mean || ' ' || ifnull(error_std, '?') || ' ' || "
                                    "errors_under || errors_over FROM v_accuracy"),
                        "0.99 -1.0e-06 ? 23");
    assert_string_equal(look(store, "SELECT count(*) || ' ' || sum(count) || ' ' || min(low) || ' ' || max(high) "
                                    "FROM v_histogram WHERE quantity = 'error'"),
                        "100 12 -1.0 1.0");
    assert_string_equal(look(store, "SELECT bin || ' ' || low || ' ' || high FROM v_histogram WHERE count = 100"),
                        "19 0.95 1.0");
    assert_string_equal(look(store, "SELECT group_concat(i || '-' || j || ifnull(dist_fast, '?') || in_fast || "
                                    "in_true) FROM v_boundary"),
                        "1-2?01,3-90.2510");
    assert_ok(eb_store_accuracy(store, 0, 0, &a, &status), status); /* for runs that were not logged */
    assert_string_equal(look(store, "SELECT fast_engine FROM v_accuracy WHERE accuracy = 2"), "NULL");
    assert_refused(eb_store_accuracy(store, 77, 0, &a, &status), EB_LOG, status);
    assert_string_equal(look(store, "SELECT count(*) FROM v_histogram"), "240"); /* nothing of the third one */
    eb_store_close(store);
}

TEST(targets_and_sweeps_are_kept)
{
    eb_status status = {0};
    const double eps[] = {1, 2}, s[] = {4, 64}, error[] = {0.5, NAN};
    const uint64_t pairs[] = {500, 6500};
    const eb_target target = {.wanted = 64,
                              .eps = 2,
                              .selectivity = 64.02,
                              .pairs = 6502,
                              .ties = 2,
                              .sampled_eps = NAN,
                              .bracket_low = 1.5,
                              .bracket_high = 2.5,
                              .passes = 1};
    eb_store *store = open_log("targets.db");
    written w = begin(store, "tune S=64");
    assert_ok(eb_store_target(store, w.command, w.dataset, "ref64", &target, &status), status);
    assert_string_equal(look(store, "SELECT wanted || ' ' || eps || ' ' || selectivity || ' ' || pairs || ' ' || "
                                    "ties || ifnull(sampled_eps, '?') || passes || reached_at_zero || dataset "
                                    "FROM v_targets"),
                        "64.0 2.0 64.02 6502 2?10demo");
    assert_ok(eb_store_sweep(store, w.command, w.dataset, "ref64", 2, eps, s, error, NULL, &status), status);
    assert_ok(eb_store_sweep(store, w.command, w.dataset, "ref64", 2, eps, s, NULL, pairs, &status), status);
    assert_string_equal(look(store, "SELECT group_concat(exact || ':' || eps || ':' || ifnull(selectivity_error, '?') "
                                    "|| ':' || ifnull(pairs, '?')) FROM v_sweep"),
                        "0:1.0:0.5:?,0:2.0:?:?,1:1.0:?:500,1:2.0:?:6500");
    assert_refused(eb_store_sweep(store, 99, w.dataset, "ref64", 2, eps, s, NULL, pairs, &status), EB_LOG, status);
    assert_string_equal(look(store, "SELECT count(*) FROM v_sweep"), "4");
    eb_store_close(store);
}

TEST(what_refers_to_nothing_is_refused)
{
    eb_status status = {0};
    int64_t id;
    eb_store *store = open_log("nothing.db");
    eb_run run = a_run(&a_true_engine);
    eb_figures trial = a_trial(&run, 1, 2);
    assert_refused(eb_store_session_end(store, 1, &status), EB_NOT_FOUND, status);
    assert_refused(eb_store_command_begin(store, 1, "info", &id, &status), EB_LOG, status);
    assert_refused(eb_store_command_end(store, 1, EB_OK, NULL, 0, &status), EB_NOT_FOUND, status);
    assert_refused(eb_store_note(store, 1, 7, "x", &status), EB_NOT_FOUND, status);
    assert_says(&status, "no run 7: the log has no runs yet");
    written w = begin(store, "join");
    assert_refused(eb_store_run_begin(store, w.command, 99, &run, &id, &status), EB_LOG, status);
    assert_string_equal(look(store, "SELECT count(*) FROM device"), "0"); /* rolled back, too */
    assert_refused(log_trial(store, 5, &run, 0, &trial, &status), EB_LOG, status);
    assert_refused(eb_store_run_end(store, 5, &run, &status), EB_NOT_FOUND, status);
    run.pairs = UINT64_MAX;
    assert_ok(eb_store_run_begin(store, w.command, w.dataset, &run, &id, &status), status);
    assert_refused(log_trial(store, id, &run, 0, &trial, &status), EB_LOG, status); /* beyond SQLite's integers */
    assert_string_equal(look(store, "SELECT count(*) FROM trial"), "0");
    run.pairs = (uint64_t)1 << 62; /* the largest allowed value */
    assert_ok(log_trial(store, id, &run, 0, &trial, &status), status);
    assert_refused(log_trial(store, id, &run, 0, &trial, &status), EB_LOG, status); /* the same trial twice */
    assert_string_equal(look(store, "SELECT pairs FROM v_runs"), "4611686018427387904");
    assert_refused(eb_store_note(store, w.session, 7, "x", &status), EB_NOT_FOUND, status);
    assert_says(&status, "no run 7: the log has runs 1 to 1");
    assert_ok(eb_store_note(store, w.session, id, "it's \"quoted\"; ünï", &status), status);
    assert_string_equal(look(store, "SELECT text FROM v_notes WHERE run = 1"), "it's \"quoted\"; ünï");
    eb_store_close(store);
}

/* ---- limits ---- */

static eb_device a_gpu(const char *driver)
{
    eb_device gpu = {.kind = EB_DEVICE_CUDA,
                     .name = "cuda:0",
                     .model = "Some GPU",
                     .architecture = "sm_90",
                     .units = 132,
                     .memory_bytes = (uint64_t)1 << 36,
                     .clock_hz = 1.98e9};
    (void)snprintf(gpu.driver, sizeof gpu.driver, "%s", driver);
    return gpu;
}

TEST(limits_belong_to_a_device_and_its_driver)
{
    eb_status status = {0};
    char measured_at[EB_MOMENT_BYTES];
    eb_store *store = open_log("limits.db");
    eb_device measured = a_gpu("CUDA 12.6"), asked = a_gpu("CUDA 12.6");
    asked.limit[EB_LIMIT_F64] = 1; /* not used: the query overwrites it */
    assert_ok(eb_store_limits_get(store, &asked, measured_at, &status), status);
    assert_true(asked.limit[EB_LIMIT_F64] == 0);
    assert_string_equal(measured_at, "");
    assert_string_equal(look(store, "SELECT count(*) FROM device"), "0"); /* a query adds no row */

    const double limits[EB_LIMITS] = {
        [EB_LIMIT_MMA_F16] = 6.5e14, [EB_LIMIT_MMA_F64] = 6.1e13, [EB_LIMIT_F64] = 3.1e13,
        [EB_LIMIT_COPY] = 4.1e12,    [EB_LIMIT_UPLOAD] = 5.2e10,  [EB_LIMIT_DOWNLOAD] = 5.1e10,
    };
    memcpy(measured.limit, limits, sizeof limits);
    assert_ok(eb_store_limits_set(store, &measured, &status), status);
    assert_ok(eb_store_limits_get(store, &asked, measured_at, &status), status);
    assert_memory_equal(asked.limit, measured.limit, sizeof asked.limit);
    assert_int_equal(strlen(measured_at), 30);

    /* A second measurement without one limit replaces all values of the first. */
    measured.limit[EB_LIMIT_MMA_F64] = 0;
    measured.limit[EB_LIMIT_MMA_F16] = 6.6e14;
    assert_ok(eb_store_limits_set(store, &measured, &status), status);
    assert_ok(eb_store_limits_get(store, &asked, NULL, &status), status);
    assert_memory_equal(asked.limit, measured.limit, sizeof asked.limit);
    assert_string_equal(look(store, "SELECT count(*) FROM v_limits"), "5");
    assert_string_equal(
        look(store, "SELECT device || ' ' || device_driver || ' ' || (value = 6.6e14) || ' ' || unit FROM v_limits "
                    "WHERE metric = 'tensor_f16_flops'"),
        "cuda:0 CUDA 12.6 1 FLOP/s");

    eb_device updated = a_gpu("CUDA 13.0");
    assert_ok(eb_store_limits_get(store, &updated, NULL, &status), status);
    assert_true(updated.limit[EB_LIMIT_F64] == 0);
    eb_store_close(store);
}

/* One step is answered correctly at the second try, one at the first, one wrongly; another lesson's steps do not count.
 */
TEST(a_lessons_progress_tells_first_tries_from_last_ones)
{
    static const struct {
        const char *lesson;
        size_t step;
        bool correct;
    } given[] = {{"mine", 1, false}, {"mine", 2, true},  {"mine", 1, true},
                 {"mine", 3, true},  {"mine", 3, false}, {"other", 1, true}};
    eb_status status = {0};
    eb_lesson_progress progress;
    eb_store *store = open_log("lessons.db");
    written w = begin(store, "lesson mine");
    assert_ok(eb_store_lesson_progress(store, "mine", &progress, &status), status);
    assert_int_equal(progress.answered + progress.right + progress.first, 0);
    for (size_t k = 0; k < sizeof given / sizeof *given; k++) {
        const eb_lesson_answer answer = {.lesson = given[k].lesson,
                                         .step = given[k].step,
                                         .question = "?",
                                         .answer = "a",
                                         .expected = given[k].correct ? "a" : "b",
                                         .correct = given[k].correct};
        assert_ok(eb_store_lesson_answer(store, w.session, &answer, &status), status);
    }
    assert_ok(eb_store_lesson_progress(store, "mine", &progress, &status), status);
    assert_int_equal(progress.answered, 3);
    assert_int_equal(progress.right, 2);
    assert_int_equal(progress.first, 2);
    eb_store_close(store);
}

static void expect_next(eb_store *store, const char *lesson, size_t steps, size_t expected)
{
    eb_status status = {0};
    size_t step = 99;
    assert_ok(eb_store_lesson_next(store, lesson, steps, &step, &status), status);
    assert_int_equal(step, expected);
}

TEST(the_next_question_is_the_first_without_an_answer)
{
    static const size_t given[] = {1, 3, 1, 2};
    eb_status status = {0};
    eb_store *store = open_log("next.db");
    written w = begin(store, "lesson mine");
    expect_next(store, "mine", 3, 1);
    for (size_t k = 0; k < sizeof given / sizeof *given; k++) {
        const eb_lesson_answer answer = {"mine", given[k], "?", "a", "b", false, false};
        assert_ok(eb_store_lesson_answer(store, w.session, &answer, &status), status);
        expect_next(store, "mine", 3, k < 3 ? 2 : 0);
    }
    expect_next(store, "mine", 4, 4);
    expect_next(store, "other", 3, 1);
    eb_store_close(store);
}

TEST(the_log_keeps_one_open_question)
{
    eb_status status = {0};
    eb_lesson_place place;
    eb_store *store = open_log("place.db");
    written w = begin(store, "lesson mine");
    assert_ok(eb_store_lesson_place(store, &place, &status), status);
    assert_int_equal(place.step, 0);
    assert_ok(eb_store_lesson_stay(store, w.session, &(eb_lesson_place){"mine", 2, 0, false, ""}, &status), status);
    assert_ok(eb_store_lesson_stay(store, w.session, &(eb_lesson_place){"other", 1, 1, true, ""}, &status), status);
    eb_store_close(store);
    store = open_log("place.db");
    assert_ok(eb_store_lesson_place(store, &place, &status), status);
    assert_string_equal(place.lesson, "other");
    assert_int_equal(place.step, 1);
    assert_int_equal(place.tries, 1);
    assert_true(place.hinted);
    assert_string_equal(place.answer, "");
    const eb_lesson_answer wrong[] = {{"other", 1, "?", "b", "a", false, false},
                                      {"other", 2, "?", "c", "a", false, false}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_ok(eb_store_lesson_answer(store, w.session, &wrong[k], &status), status);
    assert_ok(eb_store_lesson_place(store, &place, &status), status);
    assert_string_equal(place.answer, "b");
    assert_ok(eb_store_lesson_stay(store, w.session, &(eb_lesson_place){"other", 0, 0, false, ""}, &status), status);
    assert_ok(eb_store_lesson_place(store, &place, &status), status);
    assert_int_equal(place.step, 0);
    eb_store_close(store);
}

RUN_TESTS_WITH(make_folder, remove_folder)
