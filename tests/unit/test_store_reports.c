/* Reports of the log: runs, sessions, show, diff, and the commands of a session. */

#include "tests/unit/store_log.h"
#include "tests/unit/test.h"

static const double quick[] = {1.00, 1.01, 1.02}, slow[] = {2.00, 2.01, 2.02};

static eb_report *fresh(void)
{
    eb_report *report = eb_report_new("test");
    assert_non_null(report);
    return report;
}

/* Numbers of the listed runs, such as "3 1". */
static const char *listed(eb_store *store, const eb_run_filter *filter, eb_report *report)
{
    static char text[256];
    size_t used = 0;
    eb_status status = {0};
    text[0] = '\0';
    assert_ok(eb_store_runs(store, filter, report, &status), status);
    assert_true(eb_report_ok(report));
    const eb_table *table = table_of(report, "runs");
    for (size_t k = 0; k < table->rows; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld", k ? " " : "",
                                 (long long)cell_of(table, k, "run").as.integer);
    return text;
}

static void expect_listed(eb_store *store, eb_run_filter filter, const char *runs, const char *note)
{
    eb_report *report = fresh();
    assert_string_equal(listed(store, &filter, report), runs);
    if (note)
        assert_true(noted(report, note));
    else
        assert_int_equal(report->notes, 0);
    eb_report_free(report);
}

TEST(runs_are_listed_and_filtered)
{
    eb_status status = {0};
    eb_store *store = open_log("runs.db");
    expect_listed(store, (eb_run_filter){0}, "", "no runs in the log yet");
    written first = begin(store, "compare fasted ref64 S=64");
    (void)add_run(store, &first, &a_fast_engine, 6500, quick, 3);
    (void)add_run(store, &first, &a_true_engine, 6500, slow, 3);
    end(store, &first);
    written second = begin(store, "join 100%_sure");
    (void)add_run(store, &second, &a_true_engine, 6500, slow, 2);
    assert_ok(eb_store_note(store, first.session, 1, "On Battery", &status), status);
    assert_ok(eb_store_note(store, second.session, 0, "the fan was loud", &status), status);
    expect_listed(store, (eb_run_filter){0}, "3 2 1", NULL);
    expect_listed(store, (eb_run_filter){.limit = 2}, "3 2", "the newest 2 of 3 runs; limit=3 shows all");
    expect_listed(store, (eb_run_filter){.session = 1}, "2 1", NULL);
    expect_listed(store, (eb_run_filter){.engine = "ref64"}, "3 2", NULL);
    expect_listed(store, (eb_run_filter){.engine = "ref64", .session = 1}, "2", NULL);
    expect_listed(store, (eb_run_filter){.text = "battery"}, "1", NULL);
    expect_listed(store, (eb_run_filter){.text = "FAN"}, "3", NULL);
    expect_listed(store, (eb_run_filter){.text = "S=64"}, "2 1", NULL);
    expect_listed(store, (eb_run_filter){.text = "%_s"}, "3", NULL); /* % and _ are not wildcards */
    expect_listed(store, (eb_run_filter){.text = "demo"}, "3 2 1", NULL);
    expect_listed(store, (eb_run_filter){.text = "nowhere"}, "", "no run matches");

    eb_report *report = fresh();
    const eb_run_filter none = {.session = 9};
    assert_refused(eb_store_runs(store, &none, report, &status), EB_NOT_FOUND, status);
    assert_says(&status, "no session 9: the log has sessions 1 to 2");
    eb_report_free(report);
    eb_store_close(store);
}

TEST(a_listed_run_has_its_figures)
{
    const eb_run_filter all = {0};
    eb_store *store = open_log("figures.db");
    written w = begin(store, "compare");
    (void)add_run(store, &w, &a_fast_engine, 6500, quick, 3);
    (void)add_run(store, &w, &a_true_engine, 6500, quick, 0);
    eb_report *report = fresh();
    (void)listed(store, &all, report);
    const eb_table *table = table_of(report, "runs");
    assert_integer(cell_of(table, 1, "session"), 1);
    assert_text(cell_of(table, 1, "dataset"), "demo");
    assert_integer(cell_of(table, 1, "n"), 100);
    assert_integer(cell_of(table, 1, "d"), 16);
    assert_text(cell_of(table, 1, "engine"), "fasted");
    assert_text(cell_of(table, 1, "device"), "cpu");
    assert_real(cell_of(table, 1, "eps"), 12.5);
    assert_real(cell_of(table, 1, "selectivity"), 64);
    assert_integer(cell_of(table, 1, "pairs"), 6500);
    assert_integer(cell_of(table, 1, "trials"), 3);
    assert_real(cell_of(table, 1, "kernel_s"), 1.01);
    assert_real(cell_of(table, 1, "total_s"), 2.02);
    assert_real(cell_of(table, 1, "tflops_derived"), 2.0 * 100 * 100 * 16 / 1.01 / 1e12);
    assert_text(cell_of(table, 1, "state"), "done");
    assert_int_equal(cell_of(table, 0, "kernel_s").kind, EB_NA);
    assert_int_equal(cell_of(table, 0, "pairs").kind, EB_NA);
    eb_report_free(report);
    eb_store_close(store);
}

TEST(sessions_are_listed)
{
    eb_status status = {0};
    eb_store *store = open_log("sessions.db");
    written first = begin(store, "load nowhere");
    assert_ok(eb_store_command_end(store, first.command, EB_IO, "nowhere: no such file", 0.1, &status), status);
    assert_ok(eb_store_session_end(store, first.session, &status), status);
    written second = begin(store, "join");
    (void)add_run(store, &second, &a_true_engine, 6500, slow, 2);
    eb_report *report = fresh();
    assert_ok(eb_store_sessions(store, 0, report, &status), status);
    const eb_table *table = table_of(report, "sessions");
    assert_int_equal(table->rows, 2);
    assert_integer(cell_of(table, 0, "session"), 2);
    assert_text(cell_of(table, 0, "state"), "running");
    assert_int_equal(cell_of(table, 0, "ended").kind, EB_NA);
    assert_integer(cell_of(table, 0, "runs"), 1);
    assert_integer(cell_of(table, 1, "failed"), 1);
    assert_text(cell_of(table, 1, "state"), "ended");
    eb_report_free(report);
    report = fresh();
    assert_ok(eb_store_sessions(store, 1, report, &status), status);
    assert_int_equal(table_of(report, "sessions")->rows, 1);
    assert_true(noted(report, "the newest 1 of 2 sessions"));
    eb_report_free(report);
    eb_store_close(store);
}

/* ---- one run ---- */

static void log_everything(eb_store *store, const written *w)
{
    eb_status status = {0};
    uint64_t count[100] = {[50] = 7};
    const eb_target target = {.wanted = 64, .eps = 12.5, .selectivity = 64, .pairs = 6500, .passes = 1};
    const eb_accuracy a = {.n = 100,
                           .eps = 12.5,
                           .common = 3200,
                           .overlap = 0.99,
                           .overlap_min = 0.5,
                           .errors = {.bins = 100, .low = -1, .high = 1, .count = count, .under = 2, .over = 3}};
    int64_t fast = add_run(store, w, &a_fast_engine, 6500, quick, 3);
    int64_t truth = add_run(store, w, &a_true_engine, 6500, slow, 3);
    assert_ok(eb_store_accuracy(store, fast, truth, &a, &status), status);
    assert_ok(eb_store_target(store, w->command, w->dataset, "ref64", &target, &status), status);
    assert_ok(eb_store_counter(store, fast, "bank conflicts", 12, "1", "model", &status), status);
    assert_ok(eb_store_note(store, w->session, fast, "about this run", &status), status);
    assert_ok(eb_store_note(store, w->session, truth, "about the other", &status), status);
    assert_ok(eb_store_note(store, w->session, 0, "about the session", &status), status);
}

TEST(show_tells_all_of_a_run)
{
    eb_status status = {0};
    eb_store *store = open_log("show.db");
    written w = begin(store, "compare fasted ref64 S=64");
    log_everything(store, &w);
    eb_report *report = fresh();
    assert_ok(eb_store_show(store, 1, report, &status), status);
    assert_true(eb_report_ok(report));
    assert_text(field_of(report, "command"), "compare fasted ref64 S=64");
    assert_text(field_of(report, "engine"), "fasted");
    assert_text(field_of(report, "spec"), "fasted");
    assert_text(field_of(report, "tensor"), "sm_90");
    assert_int_equal(table_of(report, "options")->rows, 1);
    assert_text(cell_of(table_of(report, "options"), 0, "value"), "sm_90");
    assert_real(field_of(report, "total_s"), 2.02);
    assert_int_equal(field_of(report, "switches").kind, EB_NA);
    assert_int_equal(item_of(report, "dataset_details")->as.record.fields, 4);
    assert_text(item_of(report, "device_details")->as.record.field[1].value, "Some CPU");
    assert_text(item_of(report, "build")->as.record.field[1].value, "abc");
    assert_int_equal(table_of(report, "trial_times")->rows, 3);
    assert_real(cell_of(table_of(report, "trial_times"), 1, "kernel_s"), 1.01);
    assert_int_equal(cell_of(table_of(report, "trial_times"), 1, "upload_s").kind, EB_NA);
    assert_integer(cell_of(table_of(report, "accuracy"), 0, "truth_run"), 2);
    assert_real(cell_of(table_of(report, "accuracy"), 0, "overlap"), 0.99);
    const eb_series *errors = &item_of(report, "errors")->as.series;
    assert_int_equal(errors->points, 100);
    assert_true(errors->y[50] == 7 && errors->y[49] == 0 && errors->under == 2 && errors->over == 3);
    assert_text(cell_of(table_of(report, "counters"), 0, "source"), "time");
    assert_real(cell_of(table_of(report, "targets"), 0, "wanted"), 64);
    assert_true(noted(report, "about this run") && noted(report, "about the session"));
    assert_false(noted(report, "about the other"));
    eb_report_free(report);

    report = fresh();
    assert_refused(eb_store_show(store, 3, report, &status), EB_NOT_FOUND, status);
    assert_says(&status, "no run 3: the log has runs 1 to 2");
    assert_refused(eb_store_show(store, -1, report, &status), EB_NOT_FOUND, status);
    eb_report_free(report);
    eb_store_close(store);
}

/* ---- an engine's own options and figures ---- */

TEST(show_tells_options_and_figures_it_never_heard_of)
{
    eb_status status = {0};
    eb_store *store = open_log("own.db");
    written w = begin(store, "join tree[leaf=128,grow]");
    (void)add_index_run(store, &w, "leaf=128,-prune,grow", true);
    (void)add_index_run(store, &w, "leaf=128,grow", false); /* grow has no effect on a CPU */
    (void)add_run(store, &w, &a_true_engine, 6500, quick, 1);
    eb_report *report = fresh();
    assert_ok(eb_store_show(store, 1, report, &status), status);
    assert_text(field_of(report, "spec"), "tree[leaf=128,-prune,+grow]");
    const eb_table *options = table_of(report, "options");
    assert_int_equal(options->rows, 3);
    assert_text(cell_of(options, 0, "option"), "leaf"); /* in the order of the engine's list */
    assert_text(cell_of(options, 0, "value"), "128");
    assert_text(cell_of(options, 1, "option"), "prune");
    assert_text(cell_of(options, 1, "value"), "off");
    assert_text(cell_of(options, 2, "option"), "grow");
    assert_text(cell_of(options, 2, "value"), "on");
    const eb_table *figures = table_of(report, "figures");
    assert_int_equal(figures->rows, 2);
    assert_text(cell_of(figures, 0, "figure"), "build_s");
    assert_real(cell_of(figures, 0, "mean"), 0.002);
    assert_real(cell_of(figures, 0, "least"), 0.001);
    assert_real(cell_of(figures, 0, "most"), 0.003);
    assert_text(cell_of(figures, 0, "unit"), "s");
    assert_text(cell_of(figures, 1, "figure"), "pruned");
    assert_real(cell_of(figures, 1, "mean"), 0.15); /* mean of the trials that have the figure */
    assert_int_equal(field_of(report, "tensor").kind, EB_NA);
    assert_int_equal(field_of(report, "switches").kind, EB_NA);
    eb_report_free(report);

    report = fresh();
    assert_ok(eb_store_show(store, 2, report, &status), status);
    assert_int_equal(table_of(report, "options")->rows, 1);
    eb_report_free(report);
    report = fresh();
    assert_ok(eb_store_show(store, 3, report, &status), status);
    assert_null(item_of(report, "options"));
    assert_null(item_of(report, "figures"));
    eb_report_free(report);
    assert_string_equal(look(store, "SELECT group_concat(exactness || is_truth) FROM v_runs"),
                        "certified0,certified0,truth1");
    assert_string_equal(look(store, "SELECT group_concat(run || name || '=' || value) FROM v_options WHERE run = 2"),
                        "2leaf=128");
    assert_string_equal(look(store, "SELECT group_concat(trial || ' ' || value || unit) FROM v_figures "
                                    "WHERE run = 1 AND key = 'pruned'"),
                        "0 0.1,1 0.2");
    eb_store_close(store);
}

/* ---- two runs ---- */

static eb_report *diff_of(eb_store *store, int64_t a, int64_t b)
{
    eb_status status = {0};
    eb_report *report = fresh();
    assert_ok(eb_store_diff(store, a, b, report, &status), status);
    assert_true(eb_report_ok(report));
    return report;
}

static bool differs(const eb_report *report, const char *condition)
{
    const eb_table *table = table_of(report, "conditions");
    for (size_t k = 0; k < table->rows; k++)
        if (strcmp(cell_of(table, k, "condition").as.text, condition) == 0)
            return cell_of(table, k, "differs").as.boolean;
    fail_msg("no condition %s", condition);
    return false;
}

/* An option's row of the table: baseline and run, with "*" if they differ, such as "64 128*". */
static const char *option_in(const eb_report *report, const char *option)
{
    static char text[128];
    const eb_table *table = table_of(report, "options");
    for (size_t k = 0; k < table->rows; k++) {
        eb_value a = cell_of(table, k, "baseline"), b = cell_of(table, k, "run");
        if (strcmp(cell_of(table, k, "option").as.text, option) != 0)
            continue;
        (void)snprintf(text, sizeof text, "%s %s%s", a.kind == EB_TEXT ? a.as.text : "?",
                       b.kind == EB_TEXT ? b.as.text : "?", cell_of(table, k, "differs").as.boolean ? "*" : "");
        return text;
    }
    return "not there";
}

TEST(diff_judges_times_under_equal_conditions)
{
    eb_status status = {0};
    eb_store *store = open_log("diff.db");
    written w = begin(store, "compare");
    (void)add_run(store, &w, &a_true_engine, 6500, slow, 3);
    (void)add_run(store, &w, &a_true_engine, 6500, quick, 3);
    (void)add_run(store, &w, &a_fast_engine, 6502, quick, 2);
    eb_report *report = diff_of(store, 1, 2);
    const eb_table *times = table_of(report, "times");
    assert_text(cell_of(times, 0, "part"), "kernel_s");
    assert_text(cell_of(times, 0, "verdict"), "FASTER");
    assert_real(cell_of(times, 0, "ratio"), 1.01 / 2.01);
    assert_real(cell_of(times, 1, "baseline_s"), 4.02);
    assert_int_equal(report->notes, 0);
    assert_false(differs(report, "engine"));
    eb_report_free(report);

    report = diff_of(store, 2, 1);
    assert_text(cell_of(table_of(report, "times"), 0, "verdict"), "SLOWER");
    eb_report_free(report);
    report = diff_of(store, 2, 2);
    assert_text(cell_of(table_of(report, "times"), 0, "verdict"), "SAME");
    eb_report_free(report);

    report = diff_of(store, 2, 3);
    assert_text(cell_of(table_of(report, "times"), 0, "verdict"), "UNCLEAR");
    assert_true(noted(report, "at least 3 trials a side; here are 3 and 2"));
    assert_true(noted(report, "gave 6500 and 6502 pairs: the results differ"));
    assert_true(differs(report, "engine"));
    eb_report_free(report);

    static const double scattered[] = {1.00, 1.06, 1.09};
    (void)add_run(store, &w, &a_true_engine, 6500, scattered, 3);
    report = diff_of(store, 2, 4);
    assert_text(cell_of(table_of(report, "times"), 0, "verdict"), "UNCLEAR");
    assert_true(noted(report, "3 and 3 trials are too few to tell"));
    eb_report_free(report);

    report = fresh();
    assert_refused(eb_store_diff(store, 1, 9, report, &status), EB_NOT_FOUND, status);
    assert_says(&status, "no run 9: the log has runs 1 to 4");
    eb_report_free(report);
    eb_store_close(store);
}

TEST(diff_warns_of_unequal_conditions)
{
    eb_status status = {0};
    eb_store *store = open_log("unequal.db");
    written w = begin(store, "compare");
    (void)add_run(store, &w, &a_fast_engine, 6500, slow, 3);
    eb_dataset other = a_dataset();
    memset(other.sha256, 'b', 64);
    assert_ok(eb_store_dataset(store, &other, &w.dataset, &status), status);
    eb_run run = a_run(&a_fast_engine);
    int64_t id;
    run.eps = 13;
    run.mode = EB_RUN_COUNT;
    run.setup.resources.threads = 1;
    take_options(&run.setup, "tensor=sm_80");
    (void)snprintf(run.setup.device.model, sizeof run.setup.device.model, "Other CPU");
    assert_ok(eb_store_run_begin(store, w.command, w.dataset, &run, &id, &status), status);
    eb_report *report = diff_of(store, 1, id);
    assert_true(noted(report, "the datasets differ"));
    assert_true(noted(report, "ε differs"));
    assert_true(noted(report, "the devices differ"));
    assert_true(noted(report, "threads differ"));
    assert_true(noted(report, "options differ"));
    assert_string_equal(option_in(report, "tensor"), "sm_90 sm_80*");
    assert_true(noted(report, "only counted"));
    assert_false(noted(report, "the results differ"));
    assert_true(differs(report, "sha256") && differs(report, "eps") && differs(report, "device_model"));
    assert_false(differs(report, "dataset")); /* same name, other hash */
    assert_int_equal(cell_of(table_of(report, "times"), 0, "run_s").kind, EB_NA);
    eb_report_free(report);
    eb_store_close(store);
}

TEST(diff_says_that_a_team_has_more_devices)
{
    static const char *const names[] = {"cuda:0", "cuda:0+1", "cuda:2+3"};
    eb_status status = {0};
    eb_store *store = open_log("teams.db");
    written w = begin(store, "join");
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        eb_run run = a_run(&a_fast_engine);
        int64_t id;
        (void)snprintf(run.setup.device.name, sizeof run.setup.device.name, "%s", names[k]);
        assert_ok(eb_store_run_begin(store, w.command, w.dataset, &run, &id, &status), status);
    }
    eb_report *report = diff_of(store, 1, 2);
    assert_true(noted(report, "the numbers of devices differ") && differs(report, "devices"));
    eb_report_free(report);
    report = diff_of(store, 2, 3);
    assert_false(noted(report, "the numbers of devices differ") || differs(report, "devices"));
    assert_true(differs(report, "device"));
    eb_report_free(report);
    eb_store_close(store);
}

TEST(diff_says_that_tables_keep_other_distances)
{
    eb_status status = {0};
    eb_store *store = open_log("kinds.db");
    written w = begin(store, "join");
    for (int kind = 0; kind <= 2; kind++) {
        eb_run run = a_run(&a_fast_engine);
        int64_t id;
        run.distances = (eb_distances)kind;
        assert_ok(eb_store_run_begin(store, w.command, w.dataset, &run, &id, &status), status);
    }
    eb_report *report = diff_of(store, 1, 2);
    assert_true(noted(report, "the tables keep other distances") && differs(report, "distances"));
    eb_report_free(report);
    report = diff_of(store, 3, 3);
    assert_false(noted(report, "the tables keep other distances") || differs(report, "distances"));
    eb_report_free(report);
    eb_store_close(store);
}

TEST(diff_compares_options_it_never_heard_of)
{
    eb_store *store = open_log("options.db");
    written w = begin(store, "join");
    (void)add_index_run(store, &w, "", false);
    (void)add_index_run(store, &w, "leaf=128", false);
    (void)add_index_run(store, &w, "-prune", false);
    (void)add_index_run(store, &w, "grow", true);
    eb_report *report = diff_of(store, 1, 2);
    assert_string_equal(option_in(report, "leaf"), "64 128*");
    assert_true(noted(report, "options differ"));
    eb_report_free(report);
    report = diff_of(store, 1, 3);
    assert_string_equal(option_in(report, "leaf"), "64 64");
    assert_string_equal(option_in(report, "prune"), "? off*"); /* not logged: the default */
    assert_true(noted(report, "options differ"));
    eb_report_free(report);
    report = diff_of(store, 1, 1);
    assert_string_equal(option_in(report, "leaf"), "64 64");
    assert_int_equal(report->notes, 0);
    eb_report_free(report);
    report = diff_of(store, 1, 4); /* an option without effect on a CPU gives no warning */
    assert_string_equal(option_in(report, "grow"), "? on*");
    assert_true(noted(report, "devices differ"));
    assert_false(noted(report, "options differ"));
    eb_report_free(report);
    eb_store_close(store);
}

TEST(options_that_mean_nothing_to_the_other_engine_are_no_warning)
{
    eb_store *store = open_log("others.db");
    written w = begin(store, "compare fasted ref64 tree");
    (void)add_run(store, &w, &a_fast_engine, 6500, quick, 3);
    (void)add_run(store, &w, &a_true_engine, 6500, quick, 3);
    (void)add_index_run(store, &w, "leaf=128", false);
    eb_report *report = diff_of(store, 2, 1);
    assert_string_equal(option_in(report, "tensor"), "? sm_90*");
    assert_int_equal(report->notes, 0);
    eb_report_free(report);
    report = diff_of(store, 1, 3);
    assert_string_equal(option_in(report, "tensor"), "sm_90 ?*");
    assert_string_equal(option_in(report, "leaf"), "? 128*");
    assert_int_equal(report->notes, 0);
    eb_report_free(report);
    report = diff_of(store, 2, 2);
    assert_null(item_of(report, "options")); /* neither run has options */
    eb_report_free(report);
    eb_store_close(store);
}

/* ---- replaying ---- */

TEST(commands_are_those_that_succeeded)
{
    eb_status status = {0};
    char **texts;
    size_t count;
    int64_t command;
    eb_store *store = open_log("replay.db");
    assert_refused(eb_store_commands(store, 0, &texts, &count, &status), EB_NOT_FOUND, status);
    assert_says(&status, "the log has no sessions yet");
    written w = begin(store, "load demo");
    assert_ok(eb_store_command_end(store, w.command, EB_OK, NULL, 0.5, &status), status);
    assert_ok(eb_store_command_begin(store, w.session, "nonsense", &command, &status), status);
    assert_ok(eb_store_command_end(store, command, EB_USAGE, "no command", 0, &status), status);
    assert_ok(eb_store_command_begin(store, w.session, "tune S=64", &command, &status), status);
    assert_ok(eb_store_command_end(store, command, EB_OK, NULL, 0.5, &status), status);
    assert_ok(eb_store_command_begin(store, w.session, "join ref64", &command, &status), status); /* still running */
    for (int64_t session = 0; session <= 1; session++) {
        assert_ok(eb_store_commands(store, session, &texts, &count, &status), status);
        assert_int_equal(count, 2);
        assert_string_equal(texts[0], "load demo");
        assert_string_equal(texts[1], "tune S=64");
        free(texts[0]);
        free(texts[1]);
        free(texts);
    }
    assert_refused(eb_store_commands(store, 2, &texts, &count, &status), EB_NOT_FOUND, status);
    assert_null(texts);
    eb_store_close(store);
}

RUN_TESTS_WITH(make_folder, remove_folder)
