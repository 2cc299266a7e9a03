/* Opening a log: which files are opened, created, migrated and refused. */

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "store/schema.h"
#include "tests/unit/store_log.h"
#include "tests/unit/test.h"

/* ---- files ---- */

static void make_database(const char *name, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(in_folder(name), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static bool there_is(const char *name) { return access(in_folder(name), F_OK) == 0; }

/* Opening must fail with these words and change neither the file nor its folder. */
static void expect_left_alone(const char *name, const char *words)
{
    eb_store *store;
    eb_status status = {0};
    char beside[64];
    content before = read_whole(in_folder(name));
    assert_refused(eb_store_open(in_folder(name), &store, &status), EB_LOG, status);
    assert_null(store);
    assert_says(&status, name);
    assert_says(&status, words);
    content after = read_whole(in_folder(name));
    assert_int_equal(after.size, before.size);
    assert_memory_equal(after.bytes, before.bytes, before.size);
    (void)snprintf(beside, sizeof beside, "%s-wal", name);
    assert_false(there_is(beside));
    (void)snprintf(beside, sizeof beside, "%s-journal", name);
    assert_false(there_is(beside));
    free(before.bytes);
    free(after.bytes);
}

/* ---- default path ---- */

TEST(the_default_path_follows_xdg)
{
    char path[256];
    eb_status status = {0};
    (void)setenv("XDG_STATE_HOME", "/some/state", 1);
    (void)setenv("HOME", "/home/somebody", 1);
    assert_ok(eb_store_default_path(path, sizeof path, &status), status);
    assert_string_equal(path, "/some/state/epsbench/sessions.db");
    (void)setenv("XDG_STATE_HOME", "not/absolute", 1);
    assert_ok(eb_store_default_path(path, sizeof path, &status), status);
    assert_string_equal(path, "/home/somebody/.local/state/epsbench/sessions.db");
    assert_refused(eb_store_default_path(path, 20, &status), EB_LOG, status);
    (void)unsetenv("XDG_STATE_HOME");
    (void)unsetenv("HOME");
    assert_refused(eb_store_default_path(path, sizeof path, &status), EB_LOG, status);
    assert_says(&status, "--db FILE");
}

TEST(a_new_log_is_what_it_promises)
{
    struct stat folder;
    assert_int_equal(mkdir(in_folder("deep"), 0755), 0);
    eb_store *store = open_log("deep/log.db");
    assert_int_equal(access(in_folder("deep/log.db"), R_OK | W_OK), 0);
    assert_string_equal(look(store, "PRAGMA application_id"), "1701868386");
    assert_string_equal(look(store, "PRAGMA user_version"), SCHEMA);
    assert_string_equal(look(store, "PRAGMA journal_mode"), "wal");
    assert_string_equal(look(store, "PRAGMA foreign_keys"), "1");
    assert_string_equal(look(store, "PRAGMA synchronous"), "1");
    assert_string_equal(look(store, "SELECT count(*) FROM pragma_table_list WHERE type = 'table' AND strict = 0 "
                                    "AND name NOT LIKE 'sqlite_%'"),
                        "0");
    eb_store_close(store);
    assert_int_equal(unlink(in_folder("deep/log.db")), 0);

    eb_store *deeper = open_log("new/folders/log.db");
    eb_store_close(deeper);
    assert_int_equal(stat(in_folder("new/folders"), &folder), 0);
    assert_int_equal(folder.st_mode & 0777, 0700);
    assert_int_equal(unlink(in_folder("new/folders/log.db")), 0);
    assert_int_equal(rmdir(in_folder("new/folders")), 0);
}

static unsigned mode_of(const char *name)
{
    struct stat found;
    assert_int_equal(stat(in_folder(name), &found), 0);
    return found.st_mode & 0777;
}

/* Only the owner may read the default log and its folder, even if they exist already; elsewhere this holds for a new
 * file only. */
TEST(logs_are_their_owners_alone)
{
    (void)setenv("XDG_STATE_HOME", in_folder("state"), 1);
    assert_int_equal(mkdir(in_folder("state"), 0755), 0);
    assert_int_equal(mkdir(in_folder("state/epsbench"), 0755), 0);
    for (int again = 0; again <= 1; again++) {
        eb_store_close(open_log("state/epsbench/sessions.db"));
        assert_int_equal(mode_of("state/epsbench/sessions.db"), 0600);
        assert_int_equal(mode_of("state/epsbench"), 0700);
        assert_int_equal(chmod(in_folder("state/epsbench/sessions.db"), 0644), 0);
        assert_int_equal(chmod(in_folder("state/epsbench"), 0755), 0);
    }
    assert_int_equal(mode_of("state"), 0755);
    eb_store_close(open_log("state/mine.db"));
    assert_int_equal(mode_of("state/mine.db"), 0600);
    assert_int_equal(chmod(in_folder("state/mine.db"), 0644), 0);
    eb_store_close(open_log("state/mine.db"));
    assert_int_equal(mode_of("state/mine.db"), 0644);
    (void)unsetenv("XDG_STATE_HOME");
    assert_int_equal(unlink(in_folder("state/mine.db")), 0);
    assert_int_equal(unlink(in_folder("state/epsbench/sessions.db")), 0);
    assert_int_equal(rmdir(in_folder("state/epsbench")), 0);
    assert_int_equal(rmdir(in_folder("state")), 0);
}

TEST(odd_names_are_only_names)
{
    char before[512];
    eb_store *store;
    eb_status status = {0};
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(files_folder), 0);
    static const char *const names[] = {":memory:", "file:odd?mode=memory", "a'b\"c.db"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        assert_ok(eb_store_open(names[k], &store, &status), status);
        eb_store_close(store);
        assert_true(there_is(names[k]));
    }
    assert_refused(eb_store_open("", &store, &status), EB_LOG, status);
    assert_int_equal(chdir(before), 0);
}

/* ---- refusals ---- */

TEST(foreign_files_are_left_alone)
{
    eb_store *store;
    eb_status status = {0};
    write_whole(in_folder("letter.txt"), "Dear reader,\n", 13);
    expect_left_alone("letter.txt", "no SQLite file");
    char long_text[4096];
    memset(long_text, 'x', sizeof long_text);
    write_whole(in_folder("long.txt"), long_text, sizeof long_text);
    expect_left_alone("long.txt", "no SQLite file");
    make_database("other.db", "PRAGMA application_id = 7; CREATE TABLE t (x); INSERT INTO t VALUES (1);");
    expect_left_alone("other.db", "another program's SQLite file");
    make_database("plain.db", "CREATE TABLE session (id INTEGER PRIMARY KEY);");
    expect_left_alone("plain.db", "another program's SQLite file");
    make_database("wal.db", "PRAGMA journal_mode = WAL; CREATE TABLE t (x);");
    expect_left_alone("wal.db", "another program's SQLite file");

    assert_refused(eb_store_open(files_folder, &store, &status), EB_LOG, status);
    assert_says(&status, "is a folder");
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    assert_refused(eb_store_open(in_folder("pipe"), &store, &status), EB_LOG, status);
    assert_says(&status, "no regular file");
    assert_refused(eb_store_open(in_folder("letter.txt/log.db"), &store, &status), EB_LOG, status);
}

TEST(a_newer_log_is_refused_politely)
{
    eb_store_close(open_log("newer.db"));
    make_database("newer.db", "PRAGMA journal_mode = DELETE; PRAGMA user_version = 11;");
    expect_left_alone("newer.db",
                      "was written by a newer epsbench (schema 11, this one knows " SCHEMA "); use that, or --db FILE");
}

TEST(a_damaged_log_is_an_error_in_words)
{
    eb_store *store = NULL;
    eb_status status = {0};
    eb_store_close(open_log("damaged.db"));
    content whole = read_whole(in_folder("damaged.db"));
    memset(whole.bytes + 100, 0x5a, 3000);
    write_whole(in_folder("damaged.db"), whole.bytes, whole.size);
    assert_refused(eb_store_open(in_folder("damaged.db"), &store, &status), EB_LOG, status);
    assert_says(&status, "damaged");
    free(whole.bytes);
}

/* Root may write everywhere, so a child process of another user tries and sends the message that it gets. */
static void expect_refused_for_others(const char *name, const char *words)
{
    int ends[2];
    eb_status status = {0};
    eb_store *store = NULL;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(2);
        eb_code code = eb_store_open(in_folder(name), &store, &status);
        eb_store_close(store);
        status.code = code;
        _exit(write(ends[1], &status, sizeof status) == (ssize_t)sizeof status ? 0 : 3);
    }
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    assert_int_equal(read(ends[0], &status, sizeof status), sizeof status);
    assert_int_equal(status.code, EB_LOG);
    assert_says(&status, words);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

TEST(read_only_places_are_refused)
{
    assert_int_equal(chmod(files_folder, 0755), 0);
    eb_store_close(open_log("fixed.db"));
    assert_int_equal(chmod(in_folder("fixed.db"), 0444), 0);
    expect_refused_for_others("fixed.db", "may not be written");
    assert_int_equal(chmod(in_folder("fixed.db"), 0000), 0);
    expect_refused_for_others("fixed.db", "ermission denied");

    assert_int_equal(mkdir(in_folder("fixed"), 0755), 0);
    assert_int_equal(chmod(in_folder("fixed"), 0555), 0);
    expect_refused_for_others("fixed/log.db", "cannot create the session log: Permission denied");
    expect_refused_for_others("fixed/new/log.db", "cannot create the folder");
    assert_int_equal(chmod(in_folder("fixed"), 0755), 0);
    assert_int_equal(chmod(in_folder("fixed.db"), 0644), 0);
}

/* ---- failures after opening ---- */

TEST(a_full_disk_loses_only_what_did_not_fit)
{
    eb_status status = {0};
    char *text = malloc(1 << 20);
    int64_t command;
    assert_non_null(text);
    memset(text, 'x', (1 << 20) - 1);
    text[(1 << 20) - 1] = '\0';
    eb_store *store = open_log("full.db");
    written w = begin(store, "join ref64 eps=1");
    (void)look(store, "PRAGMA max_page_count = 100");
    assert_refused(eb_store_command_begin(store, w.session, text, &command, &status), EB_LOG, status);
    assert_says(&status, "no space is left");
    assert_string_equal(look(store, "SELECT count(*) FROM command"), "1");
    assert_ok(eb_store_note(store, w.session, 0, "small things still fit", &status), status);
    eb_store_close(store);
    free(text);
}

TEST(a_file_that_may_not_grow_is_an_error_in_words)
{
    eb_status status = {0};
    const double kernel_s[] = {0.5};
    struct rlimit before, tight = {.rlim_cur = 16384, .rlim_max = RLIM_INFINITY};
    eb_code failed = EB_OK;
    eb_store *store = open_log("limited.db");
    written w = begin(store, "join ref64 eps=1");
    (void)add_run(store, &w, &a_true_engine, 100, kernel_s, 1);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    tight.rlim_max = before.rlim_max;
    void (*old)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    for (int k = 0; k < 1000 && !failed; k++)
        failed = eb_store_note(store, w.session, 0, "one more", &status);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    (void)signal(SIGXFSZ, old);
    assert_int_equal(failed, EB_LOG);
    assert_says(&status, "limited.db");
    eb_store_close(store);
    store = open_log("limited.db");
    assert_string_equal(look(store, "SELECT count(*) FROM v_trials"), "1");
    assert_string_equal(look(store, "PRAGMA integrity_check"), "ok");
    eb_store_close(store);
}

/* Another process adds rows in between: waiting rows get the numbers of the log in place of their temporary ones. */
TEST(what_is_written_while_the_log_is_locked_waits)
{
    eb_status status = {0};
    const double kernel_s[] = {1.0, 2.0};
    eb_store *other = open_log("locked.db"), *store = NULL;
    size_t runs, writes;
    bool done = true;
    assert_ok(eb_store_open_second(in_folder("locked.db"), &store, &status), status);
    eb_store_patience(store, 20, NULL);
    written theirs = begin(other, "info");
    assert_ok(eb_sql_begin(other, &status), status);
    written ours = begin(store, "join ref64");
    int64_t run = add_run(store, &ours, &a_true_engine, 5, kernel_s, 2);
    (void)add_run(store, &ours, &a_fast_engine, 6, kernel_s, 1);
    assert_true(eb_store_waits(store, &runs, &writes));
    assert_int_equal(runs, 2);
    assert_true(writes > 8);
    assert_int_equal(eb_store_number(store, run), 0);
    assert_ok(eb_store_catch_up(store, 20, &done, &status), status);
    assert_false(done);
    assert_ok(eb_sql_end(other, EB_OK, &status), status);
    (void)add_run(other, &theirs, &a_true_engine, 4, kernel_s, 2);
    assert_ok(eb_store_catch_up(store, 20, &done, &status), status);
    assert_true(done);
    assert_false(eb_store_waits(store, &runs, &writes));
    assert_int_equal(eb_store_number(store, run), 2);
    assert_string_equal(look(store,
                             "SELECT group_concat(pairs || ':' || (SELECT count(*) FROM trial WHERE run_id = r.id)) "
                             "FROM (SELECT * FROM run ORDER BY id) AS r"),
                        "4:2,5:2,6:1");
    /* A temporary number may be used like the final number. */
    assert_ok(eb_store_note(store, ours.session, run, "later", &status), status);
    end(store, &ours);
    assert_string_equal(look(store, "SELECT run_id || ':' || session_id FROM note"), "2:2");
    assert_string_equal(look(store, "SELECT group_concat(state) FROM session"), "running,ended");
    eb_store_close(store);
    eb_store_close(other);
}

TEST(of_what_waits_a_transaction_that_failed_is_taken_back)
{
    eb_status status = {0};
    eb_store *other = open_log("locked2.db"), *store = NULL;
    size_t runs, before, after;
    assert_ok(eb_store_open_second(in_folder("locked2.db"), &store, &status), status);
    eb_store_patience(store, 20, NULL);
    assert_ok(eb_sql_begin(other, &status), status);
    written w = begin(store, "info");
    assert_true(eb_store_waits(store, &runs, &before));
    assert_ok(eb_sql_begin(store, &status), status);
    assert_ok(eb_sql_run(store, "SELECT 1", EB_NO_VALUES, NULL, &status), status);
    assert_int_equal(eb_sql_end(store, EB_IO, &status), EB_IO);
    assert_true(eb_store_waits(store, &runs, &after));
    assert_int_equal(before, after);
    assert_true(w.command > w.session);
    assert_ok(eb_sql_end(other, EB_OK, &status), status);
    eb_store_close(store);
    eb_store_close(other);
}

/* ---- migrations ---- */

static const char another_column[] = "ALTER TABLE note ADD COLUMN mood TEXT; UPDATE note SET mood = 'unknown';";
static const char another_views[] = "CREATE VIEW v_notes AS SELECT id AS note, mood FROM note;";

TEST(an_older_log_migrates_and_gets_new_views)
{
    eb_status status = {0};
    const char *const *now = eb_schema_current.migrations, *const steps[] = {now[0], now[1], now[2],        now[3],
                                                                             now[4], now[5], now[6],        now[7],
                                                                             now[8], now[9], another_column};
    const eb_schema next = {.version = 11, .migrations = steps, .views = another_views};
    eb_store *store = open_log("older.db");
    written w = begin(store, "note x");
    assert_ok(eb_store_note(store, w.session, 0, "x", &status), status);
    assert_int_equal(sqlite3_exec(store->db, "CREATE VIEW mine AS SELECT 1 AS one", NULL, NULL, NULL), SQLITE_OK);
    assert_ok(eb_schema_migrate(store, &next, &status), status);
    assert_string_equal(look(store, "PRAGMA user_version"), "11");
    assert_string_equal(look(store, "SELECT mood FROM v_notes"), "unknown");
    assert_string_equal(look(store, "SELECT count(*) FROM sqlite_master WHERE type = 'view'"), "2");
    assert_string_equal(look(store, "SELECT one FROM mine"), "1");
    assert_ok(eb_schema_migrate(store, &next, &status), status); /* already migrated */
    assert_refused(eb_schema_migrate(store, &eb_schema_current, &status), EB_LOG, status);
    assert_says(&status, "newer epsbench (schema 11, this one knows " SCHEMA ")");
    eb_store_close(store);
}

TEST(a_failing_migration_changes_nothing)
{
    eb_status status = {0};
    const char *const *now = eb_schema_current.migrations;
    const char *const steps[] = {now[0],
                                 now[1],
                                 now[2],
                                 now[3],
                                 now[4],
                                 now[5],
                                 now[6],
                                 now[7],
                                 now[8],
                                 another_column,
                                 "CREATE TABLE note (id);"};
    const eb_schema next = {.version = 11, .migrations = steps, .views = another_views};
    eb_store *store = open_log("stuck.db");
    written w = begin(store, "note x");
    assert_ok(eb_store_note(store, w.session, 0, "x", &status), status);
    assert_refused(eb_schema_migrate(store, &next, &status), EB_LOG, status);
    assert_says(&status, "already exists");
    assert_string_equal(look(store, "PRAGMA user_version"), SCHEMA);
    assert_string_equal(look(store, "SELECT text FROM v_notes"), "x");
    assert_string_equal(look(store, "SELECT count(*) FROM pragma_table_info('note') WHERE name = 'mood'"), "0");
    eb_store_close(store);
}

/* Every released schema has a file here, made by the program of its time; it opens and all of it can be read.
 * test_store_migrate.c goes through version 2 and what the views say of both. */
TEST(the_log_of_version_1_opens)
{
    eb_status status = {0};
    eb_report *report = eb_report_new("test");
    eb_run_filter all = {0};
    copy_file("tests/store/version-1.db", in_folder("golden.db"));
    eb_store *store = open_log("golden.db");
    assert_string_equal(look(store, "PRAGMA user_version"), SCHEMA);
    assert_string_equal(look(store, "SELECT count(*) FROM v_limits"), "0");
    assert_string_equal(look(store, "PRAGMA integrity_check"), "ok");
    assert_string_equal(look(store, "SELECT count(*) FROM pragma_foreign_key_check"), "0");
    assert_ok(eb_store_runs(store, &all, report, &status), status);
    assert_int_equal(table_of(report, "runs")->rows, 4);
    for (int64_t run = 1; run <= 4; run++) {
        eb_report *shown = eb_report_new("test");
        assert_ok(eb_store_show(store, run, shown, &status), status);
        assert_integer(field_of(shown, "n"), 60);
        eb_report_free(shown);
    }
    assert_string_equal(look(store, "SELECT pairs FROM v_runs WHERE run = 2"), "360");
    assert_string_equal(look(store, "SELECT group_concat(state) FROM v_runs"), "done,done,done,interrupted");
    assert_string_equal(look(store, "SELECT count(*) FROM v_trials WHERE run = 3"), "3");
    assert_string_equal(look(store, "SELECT text FROM v_notes"), "kept for later versions");
    assert_string_equal(look(store, "SELECT count(*) > 0 FROM v_sweep"), "1");
    assert_string_equal(look(store, "SELECT count(*) FROM v_targets"), "2");
    assert_string_equal(look(store, "SELECT sum(count) FROM v_histogram WHERE quantity = 'overlap'"), "60");
    assert_string_equal(look(store, "SELECT error_code FROM v_commands WHERE outcome = 'failed'"), "not-found");
    eb_report_free(report);
    eb_store_close(store);
}

RUN_TESTS_WITH(make_folder, remove_folder)
