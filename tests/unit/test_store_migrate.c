/* store: logs that older programs wrote, brought up to this one's schema. tests/store/version-K.db are logs of schema
 * K, made by the program of their time.
 *
 * version-2.db has five sessions. Four are as that program left them on a CPU: tune, join, compare, sweep, counters,
 * `ablate list`, notes, both tensor cores, a command that failed. The last was written by hand, in the words of that
 * program, as a GPU would have left it: fasted in several sets of switches, ref64, ted and wmma-ref that carry FASTED's
 * switches too, times of upload and download, energy, clock, throttling; a run cancelled after its first trial, one
 * before it (19), one killed while nobody watched the device (20).
 *
 * version-3.db is version-2.db as the program of schema 3 migrated it, with a session of that program: a comparison, a
 * join, a target, a sweep, a note. By hand, again: run 24 and what belongs to it, wmma-ref[device=cuda:0] on the GPU.
 *
 * version-4.db is version-3.db as the program of schema 4 migrated it, with a session of that program: a target, a
 * comparison with self pairs, joins that made a table (25, 26, 28) and one that counted (27), a sweep, a note.
 *
 * version-8.db is a session of the program of schema 8: targets, a comparison, `precision`, a join, a curve, a recall,
 * a note, all with kept reports; an answer to a lesson, by hand.
 */

#include <signal.h>
#include <sys/wait.h>

#include "store/schema.h"
#include "tests/unit/store_log.h"
#include "tests/unit/test.h"

#define RUNS 20
#define VIEWS 12

/* Copies version-K.db to this name, and puts a file beside it that migration must not touch. */
static void copy_golden(int version, const char *name)
{
    char from[64];
    (void)snprintf(from, sizeof from, "tests/store/version-%d.db", version);
    copy_file(from, in_folder(name));
    copy_file(from, in_folder("before.db"));
}

static void change(sqlite3 *db, const char *sql)
{
    char *complaint = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &complaint) != SQLITE_OK)
        fail_msg("%s: %s", sql, complaint);
}

/* The first value of the query's result; the caller frees it with sqlite3_free. */
static char *ask(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    char *value = sqlite3_mprintf("%s", sqlite3_column_text(statement, 0));
    (void)sqlite3_finalize(statement);
    assert_non_null(value);
    return value;
}

static void expect_zero(eb_store *store, const char *sql)
{
    if (strcmp(look(store, sql), "0") != 0)
        fail_msg("%s: %s", sql, look(store, sql));
}

static void expect_healthy(eb_store *store)
{
    assert_string_equal(look(store, "PRAGMA user_version"), SCHEMA);
    assert_string_equal(look(store, "PRAGMA integrity_check"), "ok");
    assert_string_equal(look(store, "SELECT count(*) FROM pragma_foreign_key_check"), "0");
    expect_zero(store, "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0 "
                       "AND name NOT LIKE 'sqlite_%'");
}

/* ---- views give the same values before and after ---- */

/* The columns by which a view is compared: every old column with its type. Exceptions: switches of engines other than
 * fasted, executed operations of a run without trials, and engine names that have changed. */
static char *columns_of(eb_store *store, const char *view)
{
    char *sql =
        sqlite3_mprintf("SELECT group_concat(CASE name WHEN 'switches' THEN 'iif(engine = ''fasted'', switches, "
                        "NULL)' WHEN 'executed_flops' THEN 'iif(trials > 0, executed_flops, NULL)' "
                        "WHEN 'engine' THEN 'replace(engine, ''wmma-ref'', ''wmma'')' "
                        "WHEN 'spec' THEN 'replace(spec, ''wmma-ref'', ''wmma'')' "
                        "WHEN 'fast_engine' THEN 'replace(fast_engine, ''wmma-ref'', ''wmma'')' ELSE name || ', "
                        "typeof(' || name || ')' END, ', ') FROM pragma_table_info(%Q, 'old')",
                        view);
    char *columns = ask(store->db, sql);
    sqlite3_free(sql);
    return columns;
}

static void expect_same_view(eb_store *store, const char *view)
{
    char *columns = columns_of(store, view);
    const char *const ways[][2] = {{"old", "main"}, {"main", "old"}};
    for (size_t k = 0; k < 2; k++) {
        char *sql = sqlite3_mprintf("SELECT count(*) FROM (SELECT %s FROM %s.%s EXCEPT SELECT %s FROM %s.%s)", columns,
                                    ways[k][0], view, columns, ways[k][1], view);
        if (strcmp(look(store, sql), "0") != 0)
            fail_msg("%s: %s rows of %s differ", view, look(store, sql), ways[k][0]);
        sqlite3_free(sql);
    }
    char *rows = sqlite3_mprintf("SELECT (SELECT count(*) FROM old.%s) - (SELECT count(*) FROM main.%s)", view, view);
    expect_zero(store, rows);
    sqlite3_free(rows);
    sqlite3_free(columns);
}

/* Compares all views of the old file. Returns how many of them have rows. */
static int expect_same_views(eb_store *store)
{
    int told = 0;
    char *attach = sqlite3_mprintf("ATTACH %Q AS old", in_folder("before.db"));
    sqlite3_stmt *views = NULL;
    change(store->db, attach);
    sqlite3_free(attach);
    static const char names[] = "SELECT name FROM old.sqlite_master WHERE type = 'view'";
    assert_int_equal(sqlite3_prepare_v2(store->db, names, -1, &views, NULL), SQLITE_OK);
    while (sqlite3_step(views) == SQLITE_ROW) {
        const char *view = (const char *)sqlite3_column_text(views, 0);
        char *any = sqlite3_mprintf("SELECT count(*) > 0 FROM old.%s", view);
        expect_same_view(store, view);
        told += strcmp(look(store, any), "1") == 0;
        sqlite3_free(any);
    }
    (void)sqlite3_finalize(views);
    return told;
}

TEST(every_view_says_what_it_said)
{
    static const int views[][2] = {{1, 10}, {2, VIEWS}, {3, 14}, {4, 14}, {8, 15}}; /* version, views with rows */
    for (size_t k = 0; k < sizeof views / sizeof views[0]; k++) {
        copy_golden(views[k][0], "views.db");
        eb_store *store = open_log("views.db");
        expect_healthy(store);
        assert_int_equal(expect_same_views(store), views[k][1]);
        eb_store_close(store);
    }
}

/* ---- options and figures ---- */

TEST(runs_keep_their_options)
{
    static const struct {
        int run;
        const char *spec, *options;
    } expected[] = {
        {1, "ref64", "NULL"},
        {2, "fasted", "tensor=sm_90"},
        {4, "fasted[tensor=sm_80]", "tensor=sm_80"},
        {9, "fasted", "preset=best"},
        {10, "ref64", "NULL"},
        {13, "fasted[paper]", "preset=paper"},
        {14, "fasted[paper,-async-copy,-pipeline]", "preset=paper,async-copy=off,pipeline=off"},
        {16, "fasted[paper,-swizzle,-alignment]", "preset=paper,swizzle=off,alignment=off"},
        {20, "fasted[paper,-tile-order,+symmetric]", "preset=paper,tile-order=off,symmetric=on"},
    };
    char sql[128];
    copy_golden(2, "options.db");
    eb_store *store = open_log("options.db");
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
        (void)snprintf(sql, sizeof sql, "SELECT spec FROM v_runs WHERE run = %d", expected[k].run);
        assert_string_equal(look(store, sql), expected[k].spec);
        (void)snprintf(sql, sizeof sql, "SELECT options FROM v_runs WHERE run = %d", expected[k].run);
        assert_string_equal(look(store, sql), expected[k].options);
        (void)snprintf(sql, sizeof sql, "SELECT group_concat(name || '=' || value) FROM v_options WHERE run = %d",
                       expected[k].run);
        assert_int_equal(strlen(look(store, sql)), strlen(expected[k].options)); /* in any order */
    }
    assert_string_equal(look(store, "SELECT group_concat(DISTINCT engine || exactness || is_truth) FROM v_runs"),
                        "ref64truth1,fastedapproximate0,tedapproximate0,wmmaapproximate0");
    eb_store_close(store);
}

TEST(only_fasted_keeps_fasteds_switches)
{
    copy_golden(2, "switches.db");
    eb_store *store = open_log("switches.db");
    (void)expect_same_views(store);
    assert_string_equal(look(store, "SELECT group_concat(run) FROM old.v_runs WHERE engine <> 'fasted' AND "
                                    "switches IS NOT NULL"),
                        "11,12,17");
    assert_string_equal(look(store, "SELECT count(*) FROM v_options WHERE run IN (11, 12, 17)"), "0");
    assert_string_equal(look(store, "SELECT count(*) FROM v_runs WHERE engine <> 'fasted' AND "
                                    "coalesce(switches, tensor, options) IS NOT NULL"),
                        "0");
    assert_string_equal(look(store, "SELECT group_concat(spec) FROM v_runs WHERE run IN (11, 12, 17)"),
                        "ted,wmma,wmma");
    eb_store_close(store);
}

/* ---- names ---- */

/* A run of a renamed engine is found under the new name. The text of commands stays as typed. */
TEST(old_runs_go_by_the_engines_new_name)
{
    eb_status status = {0};
    copy_golden(3, "names.db");
    eb_store *store = open_log("names.db");
    assert_string_equal(look(store, "SELECT group_concat(run || engine || ' ' || spec) FROM v_runs "
                                    "WHERE engine LIKE 'wmma%'"),
                        "12wmma wmma,17wmma wmma,24wmma wmma[device=cuda:0]");
    assert_string_equal(look(store, "SELECT count(*) FROM v_targets WHERE engine = 'wmma'"), "1");
    assert_string_equal(look(store, "SELECT count(*) FROM v_sweep WHERE engine = 'wmma'"), "1");
    assert_string_equal(look(store, "SELECT fast_engine FROM v_accuracy WHERE fast_run = 24"), "wmma");
    assert_string_equal(look(store, "SELECT count(*) FROM v_commands WHERE text LIKE '%wmma-ref%'"), "3");
    eb_report *report = eb_report_new("diff");
    assert_ok(eb_store_diff(store, 12, 24, report, &status), status);
    assert_false(cell_of(table_of(report, "conditions"), 0, "differs").as.boolean);
    eb_report_free(report);
    eb_store_close(store);
}

/* Accuracies from before self pairs were a choice leave self pairs out. */
TEST(old_accuracies_leave_self_pairs_out)
{
    copy_golden(3, "selves.db");
    eb_store *store = open_log("selves.db");
    assert_string_equal(look(store, "SELECT count(*) > 3 AND sum(self_pairs) = 0 FROM v_accuracy"), "1");
    eb_store_close(store);
}

/* Every table from before distances were a choice kept FP64; a run that only counted kept none. */
TEST(old_tables_kept_fp64)
{
    copy_golden(4, "kept.db");
    eb_store *store = open_log("kept.db");
    assert_string_equal(look(store, "SELECT group_concat(run || ifnull(distances, '-')) FROM v_runs WHERE run > 24"),
                        "25f64,26f64,27-,28f64");
    assert_string_equal(look(store, "SELECT sum((distances IS NULL) <> (mode = 'count')) FROM v_runs"), "0");
    eb_store_close(store);
}

/* Before schema 9 nothing was sampled, and no rung was logged; the reports of that time are still there. */
TEST(old_runs_are_of_all_rows)
{
    copy_golden(8, "all.db");
    eb_store *store = open_log("all.db");
    assert_string_equal(look(store, "SELECT count(*) || ' ' || count(sampled) FROM v_runs"), "7 0");
    assert_string_equal(look(store, "SELECT count(*) || ' ' || count(sampled) FROM v_accuracy"), "4 0");
    assert_string_equal(look(store, "SELECT count(*) FROM v_rungs"), "0");
    assert_string_equal(look(store, "SELECT count(*) FROM report WHERE items LIKE '%rungs%'"), "1");
    eb_store_close(store);
}

/* Each number of a trial becomes a figure with its unit; there are no other figures. */
TEST(trials_keep_their_figures)
{
    static const struct {
        const char *key, *unit;
    } figures[] = {{"upload_s", "s"},     {"convert_s", "s"},      {"norms_s", "s"}, {"kernel_s", "s"},
                   {"download_s", "s"},   {"table_s", "s"},        {"total_s", "s"}, {"energy_j", "J"},
                   {"sm_clock_hz", "Hz"}, {"throttle_reasons", ""}};
    size_t count = sizeof figures / sizeof figures[0];
    copy_golden(2, "figures.db");
    eb_store *store = open_log("figures.db");
    (void)expect_same_views(store);
    for (size_t k = 0; k < count; k++) {
        const char *key = figures[k].key;
        char *new = sqlite3_mprintf("SELECT run, trial, value FROM v_figures WHERE key = %Q AND unit = %Q", key,
                                    figures[k].unit);
        char *old = sqlite3_mprintf("SELECT run, trial, %s FROM old.v_trials WHERE %s IS NOT NULL", key, key);
        char *lost = sqlite3_mprintf("SELECT count(*) FROM (%s EXCEPT %s)", old, new);
        char *made = sqlite3_mprintf("SELECT count(*) FROM (%s EXCEPT %s)", new, old);
        char *some = sqlite3_mprintf("SELECT count(*) = 0 FROM (%s)", old);
        expect_zero(store, lost);
        expect_zero(store, made);
        expect_zero(store, some);
        sqlite3_free(new), sqlite3_free(old), sqlite3_free(lost), sqlite3_free(made), sqlite3_free(some);
    }
    /* Each trial executed what its run executed. */
    expect_zero(store, "SELECT count(*) FROM (SELECT run, trial, executed_flops FROM old.v_trials JOIN old.v_runs "
                       "USING (run) WHERE executed_flops IS NOT NULL EXCEPT SELECT run, trial, value FROM v_figures "
                       "WHERE key = 'executed_flops')");
    assert_string_equal(look(store, "SELECT count(*) FROM v_figures WHERE run IN (19, 20) AND key = 'executed_flops'"),
                        "0"); /* no trial: killed before the value was known */
    assert_string_equal(look(store, "SELECT count(DISTINCT key) FROM v_figures"), "11");
    eb_store_close(store);
}

TEST(all_of_a_migrated_log_can_be_shown)
{
    eb_status status = {0};
    eb_run_filter all = {.limit = 100};
    eb_report *runs = eb_report_new("runs");
    uint64_t rows;
    copy_golden(2, "shown.db");
    eb_store *store = open_log("shown.db");
    assert_ok(eb_store_runs(store, &all, runs, &status), status);
    assert_int_equal(table_of(runs, "runs")->rows, RUNS);
    for (int64_t run = 1; run <= RUNS; run++) {
        eb_report *shown = eb_report_new("show");
        assert_ok(eb_store_show(store, run, shown, &status), status);
        assert_int_equal(field_of(shown, "run").as.integer, run);
        eb_report_free(shown);
    }
    eb_report *shown = eb_report_new("show");
    assert_ok(eb_store_show(store, 9, shown, &status), status);
    assert_text(field_of(shown, "switches"), "best");
    assert_text(field_of(shown, "throttle"), "power cap");
    assert_real(field_of(shown, "energy_j"), 5.08);
    assert_integer(cell_of(table_of(shown, "accuracy"), 0, "truth_run"), 10);
    assert_true(noted(shown, "the GPU was warm"));
    assert_ok(eb_store_export(store, in_folder("shown.sql"), 0, &rows, &status), status);
    assert_int_equal(rows, RUNS);
    eb_report_free(shown);
    eb_report_free(runs);
    eb_store_close(store);
}

/* ---- repeated, concurrent, and with a user's own views ---- */

TEST(migrating_twice_changes_nothing)
{
    eb_status status = {0};
    copy_golden(2, "twice.db");
    eb_store_close(open_log("twice.db"));
    content once = read_whole(in_folder("twice.db"));
    eb_store *store = open_log("twice.db");
    assert_ok(eb_schema_migrate(store, &eb_schema_current, &status), status);
    eb_store_close(store);
    content twice = read_whole(in_folder("twice.db"));
    assert_int_equal(once.size, twice.size);
    assert_memory_equal(once.bytes, twice.bytes, once.size);
    free(once.bytes);
    free(twice.bytes);
}

TEST(several_may_migrate_the_same_log)
{
    pid_t child[3];
    copy_golden(2, "shared.db");
    for (int k = 0; k < 3; k++) {
        child[k] = fork();
        assert_true(child[k] >= 0);
        if (child[k] == 0) {
            eb_store *store;
            eb_status status = {0};
            eb_code failed = eb_store_open(in_folder("shared.db"), &store, &status);
            if (failed)
                (void)fprintf(stderr, "opener: %s\n", status.message);
            _exit(failed ? 1 : 0);
        }
    }
    for (int k = 0; k < 3; k++) {
        int how;
        assert_int_equal(waitpid(child[k], &how, 0), child[k]);
        assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    }
    eb_store *store = open_log("shared.db");
    expect_healthy(store);
    assert_int_equal(expect_same_views(store), VIEWS);
    eb_store_close(store);
}

/* A user's own views read our views, or views that no longer exist. */
TEST(views_of_others_are_left_as_they_are)
{
    sqlite3 *db;
    copy_golden(2, "others.db");
    assert_int_equal(sqlite3_open(in_folder("others.db"), &db), SQLITE_OK);
    change(db, "CREATE VIEW fastest AS SELECT engine, min(kernel_s) AS best_s FROM v_runs GROUP BY engine;"
               "CREATE VIEW \"odd \"\"name\" AS SELECT energy_j FROM trial -- of each\n;"
               "CREATE VIEW w AS SELECT count(*) AS engines FROM fastest");
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    eb_store *store = open_log("others.db");
    expect_healthy(store);
    assert_string_equal(look(store, "SELECT engines FROM w"), "4");
    assert_string_equal(look(store, "SELECT best_s FROM fastest WHERE engine = 'ted'"), "0.031");
    assert_string_equal(look(store, "SELECT sql FROM sqlite_master WHERE name = 'odd \"name'"),
                        "CREATE VIEW \"odd \"\"name\" AS SELECT energy_j FROM trial -- of each");
    eb_store_close(store);
}

/* ---- an interrupted migration ---- */

/* The file's schema and every row of every table, as text; the caller frees it. */
static char *dump(const char *name)
{
    char *text = NULL;
    size_t size = 0;
    sqlite3 *db;
    sqlite3_stmt *tables = NULL, *rows = NULL;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(sqlite3_open(in_folder(name), &db), SQLITE_OK);
    char *version = ask(db, "PRAGMA user_version");
    (void)fprintf(out, "version %s\n", version);
    sqlite3_free(version);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT name, sql, type FROM sqlite_master ORDER BY type, name", -1,
                                        &tables, NULL),
                     SQLITE_OK);
    while (sqlite3_step(tables) == SQLITE_ROW) {
        const char *sql = (const char *)sqlite3_column_text(tables, 1);
        (void)fprintf(out, "%s: %s\n", (const char *)sqlite3_column_text(tables, 0), sql ? sql : "");
        if (strcmp((const char *)sqlite3_column_text(tables, 2), "table") != 0)
            continue;
        char *select = sqlite3_mprintf("SELECT * FROM \"%w\"", sqlite3_column_text(tables, 0));
        assert_int_equal(sqlite3_prepare_v2(db, select, -1, &rows, NULL), SQLITE_OK);
        while (sqlite3_step(rows) == SQLITE_ROW)
            for (int k = 0; k < sqlite3_column_count(rows); k++) {
                const char *value = (const char *)sqlite3_column_text(rows, k);
                (void)fprintf(out, "%d %s\n", sqlite3_column_type(rows, k), value ? value : "");
            }
        (void)sqlite3_finalize(rows);
        sqlite3_free(select);
    }
    (void)sqlite3_finalize(tables);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void expect_as_before(const char *name, const char *before)
{
    char *after = dump(name);
    assert_string_equal(after, before);
    free(after);
}

TEST(a_migration_that_fails_at_its_end_leaves_the_old_log)
{
    eb_status status = {0};
    eb_store store = {.path = (char *)(uintptr_t)in_folder("failing.db")};
    const char *const *now = eb_schema_current.migrations;
    static const char wrong[] = "CREATE VIEW v_runs AS SELECT 1; CREATE TABLE run (id);";
    const char *const steps[] = {now[0], now[1], now[2], now[3]};
    const eb_schema broken = {.version = 4, .migrations = steps, .views = wrong};
    copy_golden(2, "failing.db");
    char *before = dump("failing.db");
    assert_int_equal(sqlite3_open(store.path, &store.db), SQLITE_OK);
    assert_refused(eb_schema_migrate(&store, &broken, &status), EB_LOG, status);
    assert_says(&status, "already exists");
    for (size_t k = 0; k < store.prepared_count; k++)
        (void)sqlite3_finalize(store.prepared[k].statement);
    assert_int_equal(sqlite3_close(store.db), SQLITE_OK);
    expect_as_before("failing.db", before);
    free(before);
    eb_store *whole = open_log("failing.db"); /* by a program that can */
    expect_healthy(whole);
    assert_int_equal(expect_same_views(whole), VIEWS);
    eb_store_close(whole);
}

/* Counts steps of SQLite's virtual machine; the process kills itself at the last step. */
static int count_down(void *context)
{
    long *left = context;
    if (--*left == 0)
        (void)kill(getpid(), SIGKILL);
    return 0;
}

/* Migrates in a child process. Returns the steps left at the end, −1 on failure. */
static long migrate_for(const char *path, long steps)
{
    eb_status status = {0};
    eb_store store = {.path = (char *)(uintptr_t)path};
    if (sqlite3_open(path, &store.db) != SQLITE_OK)
        return -1;
    sqlite3_progress_handler(store.db, 1, count_down, &steps);
    return eb_schema_migrate(&store, &eb_schema_current, &status) ? -1 : steps;
}

static bool is_killed_after(const char *path, long steps)
{
    int how;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(migrate_for(path, steps) < 0 ? 1 : 0);
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how) || WEXITSTATUS(how) == 0);
    return WIFSIGNALED(how);
}

static long steps_of_a_migration(const char *path)
{
    long steps = 0;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        long left = migrate_for(path, 1L << 40);
        _exit(left < 0 || write(ends[1], &left, sizeof left) != (ssize_t)sizeof left);
    }
    (void)close(ends[1]);
    ssize_t got = read(ends[0], &steps, sizeof steps);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(got, sizeof steps);
    (void)close(ends[0]);
    return (1L << 40) - steps;
}

TEST(a_process_killed_while_it_migrates_leaves_the_old_log)
{
    enum { DEATHS = 16 };
    static const char *const beside[] = {"killed.db-wal", "killed.db-shm", "killed.db-journal"};
    copy_golden(2, "killed.db");
    char *before = dump("killed.db");
    long steps = steps_of_a_migration(in_folder("killed.db"));
    assert_true(steps > 1000);
    for (long k = 1; k <= DEATHS; k++) {
        for (size_t f = 0; f < sizeof beside / sizeof beside[0]; f++)
            (void)unlink(in_folder(beside[f]));
        copy_golden(2, "killed.db");
        /* The last kill comes just before the commit. */
        assert_true(is_killed_after(in_folder("killed.db"), k == DEATHS ? steps - 1 : k * steps / DEATHS));
        expect_as_before("killed.db", before);
        assert_false(is_killed_after(in_folder("killed.db"), 1L << 40));
        eb_store *store = open_log("killed.db");
        expect_healthy(store);
        assert_int_equal(expect_same_views(store), VIEWS);
        eb_store_close(store);
    }
    free(before);
}

RUN_TESTS_WITH(make_folder, remove_folder)
