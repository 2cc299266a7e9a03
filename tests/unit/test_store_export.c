/* Exports hold what the log holds, and a file appears complete or not at all. */

#include <jansson.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/unit/store_log.h"
#include "tests/unit/test.h"

static const double thirds[] = {1.0 / 3, 2.0 / 3, 0.1};

static char *text_of(const char *name)
{
    FILE *file = fopen(in_folder(name), "rbe");
    char *text = calloc(1, 1 << 20);
    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    assert_int_equal(fclose(file), 0);
    return text;
}

static size_t files_in_folder(void)
{
    size_t count = 0;
    DIR *folder = opendir(files_folder);
    assert_non_null(folder);
    while (readdir(folder))
        count++;
    assert_int_equal(closedir(folder), 0);
    return count;
}

/* Opens a log with two sessions and rows in every table. */
static eb_store *full_log(const char *name)
{
    eb_status status = {0};
    uint64_t count[100] = {[50] = 7};
    const eb_boundary_pair boundary = {.i = 1, .j = 2, .dist_fast = NAN, .dist_true = 0.1, .in_true = true};
    const eb_target target = {.wanted = 64, .eps = 0.1, .selectivity = 64, .pairs = 6500, .passes = 1};
    eb_store *store = open_log(name);
    for (int k = 0; k < 2; k++) {
        written w = begin(store, k ? "join; say \"hi\", you" : "compare fasted ref64 S=64");
        int64_t fast = add_run(store, &w, &a_fast_engine, 6500, thirds, 3);
        int64_t truth = add_run(store, &w, &a_true_engine, 6500, thirds, k ? 0 : 2);
        eb_accuracy a = {.n = 100,
                         .eps = 0.1,
                         .common = 3200,
                         .overlap = 1.0 / 3,
                         .error_std = NAN,
                         .errors = {.bins = 100, .low = -1.0 / 3, .high = 1.0 / 3, .count = count},
                         .boundary_count = 1};
        a.boundary = malloc(sizeof boundary);
        assert_non_null(a.boundary);
        *a.boundary = boundary;
        assert_ok(eb_store_accuracy(store, fast, truth, &a, &status), status);
        free(a.boundary);
        assert_ok(eb_store_target(store, w.command, w.dataset, "ref64", &target, &status), status);
        assert_ok(eb_store_sweep(store, w.command, w.dataset, "ref64", 3, thirds, thirds, NULL, NULL, &status), status);
        assert_ok(eb_store_counter(store, fast, "occupancy", 1.0 / 3, "ratio", "model", &status), status);
        eb_report *report = eb_report_new("compare");
        eb_report_conclude(report, "it's <so>");
        assert_ok(eb_store_report(store, w.command, w.dataset, report, &status), status);
        eb_report_free(report);
        assert_ok(eb_store_session_device(store, w.session, &(eb_device){.kind = EB_DEVICE_CUDA}, &status), status);
        assert_ok(eb_store_note(store, w.session, fast, "it's\ntwo lines; --x", &status), status);
        assert_ok(eb_store_note(store, w.session, 1, "about the first", &status), status);
        end(store, &w);
    }
    return store;
}

static uint64_t export(eb_store *store, const char *name, int64_t session)
{
    eb_status status = {0};
    uint64_t rows = 0;
    assert_ok(eb_store_export(store, in_folder(name), session, &rows, &status), status);
    return rows;
}

static void read_back(const char *dump, const char *database)
{
    sqlite3 *db;
    char *text = text_of(dump), *complaint = NULL;
    assert_int_equal(sqlite3_open(in_folder(database), &db), SQLITE_OK);
    if (sqlite3_exec(db, text, NULL, NULL, &complaint) != SQLITE_OK)
        fail_msg("%s", complaint);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    free(text);
}

TEST(csv_has_a_row_for_each_trial)
{
    eb_store *store = full_log("csv.db");
    assert_int_equal(export(store, "log.csv", 0), 4);
    char *text = text_of("log.csv"), *at = text;
    size_t lines = 0;
    assert_memory_equal(text, "run,session,command,started,", 28);
    for (; (at = strstr(at, "\r\n")); at += 2)
        lines++;
    assert_int_equal(lines, 1 + 3 + 2 + 3 + 1); /* a run without trials has one row, too */
    assert_non_null(strstr(text, "\"join; say \"\"hi\"\", you\""));
    assert_non_null(strstr(text, ",0.3333333333333333,")); /* shortest text that gives the same FP64 */
    assert_non_null(strstr(text, ",0.1,"));
    free(text);
    assert_int_equal(export(store, "one.CSV", 1), 2);
    text = text_of("one.CSV");
    assert_null(strstr(text, "say"));
    free(text);

    /* Texts that a spreadsheet would take for a formula are escaped. */
    assert_string_equal(look(store, "UPDATE command SET text = '=1+\"1\"' WHERE id = 1 RETURNING 'done'"), "done");
    (void)export(store, "formula.csv", 0);
    text = text_of("formula.csv");
    assert_non_null(strstr(text, ",\"'=1+\"\"1\"\"\","));
    free(text);
    eb_store_close(store);
}

TEST(json_parses_and_holds_every_number)
{
    eb_store *store = full_log("json.db");
    assert_int_equal(export(store, "log.json", 0), 4);
    json_error_t error;
    json_t *log = json_load_file(in_folder("log.json"), JSON_REJECT_DUPLICATES, &error);
    if (!log)
        fail_msg("line %d: %s", error.line, error.text);
    assert_string_equal(json_string_value(json_object_get(log, "schema")), "epsbench-log/1");
    json_t *runs = json_object_get(log, "runs"), *run = json_array_get(runs, 0);
    json_t *trials = json_object_get(run, "trials");
    assert_int_equal(json_array_size(runs), 4);
    assert_int_equal(json_integer_value(json_object_get(run, "pairs")), 6500);
    assert_true(json_is_null(json_object_get(run, "switches")));
    assert_int_equal(json_array_size(trials), 3);
    assert_true(json_real_value(json_object_get(json_array_get(trials, 0), "kernel_s")) == 1.0 / 3);
    assert_int_equal(json_array_size(json_object_get(run, "counters")), 1);
    assert_int_equal(json_array_size(json_object_get(json_array_get(runs, 3), "trials")), 0);
    json_t *accuracy = json_array_get(json_object_get(log, "accuracy"), 1);
    assert_true(json_is_null(json_object_get(accuracy, "error_std")));
    assert_int_equal(json_array_size(json_object_get(accuracy, "histogram")), 120);
    assert_int_equal(json_array_size(json_object_get(accuracy, "boundary")), 1);
    assert_int_equal(json_array_size(json_object_get(log, "targets")), 2);
    assert_int_equal(json_array_size(json_object_get(log, "sweep")), 6);
    assert_int_equal(json_array_size(json_object_get(log, "notes")), 4);
    json_decref(log);

    assert_int_equal(export(store, "one.json", 2), 2);
    log = json_load_file(in_folder("one.json"), 0, &error);
    assert_int_equal(json_array_size(json_object_get(log, "accuracy")), 1);
    assert_int_equal(json_array_size(json_object_get(log, "notes")), 2);
    json_decref(log);
    eb_store_close(store);
}

/* Every format has an engine's own options and figures. */
TEST(exports_hold_what_the_store_never_heard_of)
{
    json_error_t error;
    eb_store *store = open_log("own.db");
    written w = begin(store, "join tree[leaf=128,-prune]");
    (void)add_index_run(store, &w, "leaf=128,-prune", false);
    end(store, &w);
    (void)export(store, "own.json", 0);
    json_t *log = json_load_file(in_folder("own.json"), JSON_REJECT_DUPLICATES, &error);
    json_t *run = json_array_get(json_object_get(log, "runs"), 0), *options = json_object_get(run, "options");
    json_t *figures = json_object_get(run, "figures"), *figure;
    size_t index, own = 0;
    assert_int_equal(json_array_size(options), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(options, 0), "name")), "leaf");
    assert_string_equal(json_string_value(json_object_get(json_array_get(options, 1), "value")), "off");
    assert_string_equal(json_string_value(json_object_get(run, "spec")), "tree[leaf=128,-prune]");
    assert_string_equal(json_string_value(json_object_get(run, "exactness")), "certified");
    json_array_foreach(figures, index, figure) own +=
        strcmp(json_string_value(json_object_get(figure, "key")), "build_s") == 0 &&
        json_real_value(json_object_get(figure, "value")) ==
            0.001 * (double)(json_integer_value(json_object_get(figure, "trial")) + 1) &&
        strcmp(json_string_value(json_object_get(figure, "unit")), "s") == 0;
    assert_int_equal(own, 3);
    json_decref(log);

    (void)export(store, "own.csv", 0);
    char *text = text_of("own.csv");
    assert_non_null(strstr(text, ",spec,options,"));
    assert_non_null(strstr(text, ",\"tree[leaf=128,-prune]\",\"leaf=128,prune=off\","));
    free(text);

    (void)export(store, "own.sql", 1);
    read_back("own.sql", "own-again.db");
    eb_store *again = open_log("own-again.db");
    assert_string_equal(look(again, "SELECT options FROM v_runs"), "leaf=128,prune=off");
    assert_string_equal(look(again, "SELECT count(*) FROM v_figures"), look(store, "SELECT count(*) FROM v_figures"));
    assert_string_equal(look(again, "SELECT sum(value) FROM v_figures WHERE key = 'build_s'"), "0.006");
    eb_store_close(again);
    eb_store_close(store);
}

TEST(json_mends_names_that_are_not_utf8)
{
    eb_status status = {0};
    json_error_t error;
    eb_store *store = open_log("bytes.db");
    written w = begin(store, "note");
    static const char bytes[] = "a\xff\xc3\xa9 \xe2\x82 \xed\xa0\x80 \xf0\x9f\x98\x80";
    assert_ok(eb_store_note(store, w.session, 0, bytes, &status), status);
    (void)export(store, "bytes.json", 0);
    json_t *log = json_load_file(in_folder("bytes.json"), 0, &error);
    if (!log)
        fail_msg("line %d: %s", error.line, error.text);
    assert_string_equal(json_string_value(json_object_get(json_array_get(json_object_get(log, "notes"), 0), "text")),
                        "a\xef\xbf\xbd\xc3\xa9 \xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd "
                        "\xf0\x9f\x98\x80");
    json_decref(log);
    eb_store_close(store);
}

/* ---- SQL ---- */

TEST(sql_makes_the_same_log_again)
{
    eb_store *store = full_log("first.db");
    assert_int_equal(export(store, "log.sql", 0), 4);
    read_back("log.sql", "second.db");
    eb_store *again = open_log("second.db"); /* the copy is a log: it has the identity and the version */
    assert_int_equal(export(again, "again.sql", 0), 4);
    char *before = text_of("log.sql"), *after = text_of("again.sql");
    assert_string_equal(before, after);
    assert_string_equal(look(again, "PRAGMA integrity_check"), "ok");
    assert_string_equal(look(again, "SELECT count(*) FROM pragma_foreign_key_check"), "0");
    assert_string_equal(look(again, "SELECT value = 1.0 / 3 FROM trial_figure WHERE key = 'kernel_s' LIMIT 1"), "1");
    assert_string_equal(look(again, "SELECT text FROM note LIMIT 1"), "it's\ntwo lines; --x");
    free(before);
    free(after);
    eb_store_close(again);
    eb_store_close(store);
}

TEST(sql_of_a_session_stands_alone)
{
    eb_store *store = full_log("both.db");
    assert_int_equal(export(store, "half.sql", 2), 2);
    read_back("half.sql", "half.db");
    eb_store *half = open_log("half.db");
    assert_string_equal(look(half, "SELECT count(*) FROM pragma_foreign_key_check"), "0");
    assert_string_equal(look(half, "SELECT group_concat(session) FROM v_sessions"), "2");
    assert_string_equal(look(half, "SELECT group_concat(run) FROM v_runs"), "3,4");
    assert_string_equal(look(half, "SELECT count(*) FROM v_accuracy"), "1");
    assert_string_equal(look(half, "SELECT count(*) FROM v_sweep"), "3");
    assert_string_equal(look(half, "SELECT count(*) FROM v_notes"),
                        "1"); /* without the note about another session's run */
    eb_store_close(half);
    eb_store_close(store);
}

TEST(tables_of_others_are_not_lost_silently)
{
    eb_status status = {0};
    eb_store *store = full_log("more.db");
    assert_int_equal(sqlite3_exec(store->db, "CREATE TABLE mine (x)", NULL, NULL, NULL), SQLITE_OK);
    assert_refused(eb_store_export(store, in_folder("more.sql"), 0, NULL, &status), EB_LOG, status);
    assert_says(&status, ".dump");
    assert_int_equal(access(in_folder("more.sql"), F_OK), -1);
    eb_store_close(store);
}

/* ---- scripts ---- */

TEST(a_script_has_the_commands_that_succeeded)
{
    eb_status status = {0};
    int64_t command;
    eb_store *store = open_log("script.db");
    assert_refused(eb_store_export(store, in_folder("none.eb"), 0, NULL, &status), EB_NOT_FOUND, status);
    written w = begin(store, "load demo");
    assert_ok(eb_store_command_end(store, w.command, EB_OK, NULL, 0, &status), status);
    assert_ok(eb_store_command_begin(store, w.session, "nonsense", &command, &status), status);
    assert_ok(eb_store_command_end(store, command, EB_USAGE, "no", 0, &status), status);
    assert_ok(eb_store_command_begin(store, w.session, "tune S=64", &command, &status), status);
    assert_ok(eb_store_command_end(store, command, EB_OK, NULL, 0, &status), status);
    assert_int_equal(export(store, "one.eb", 1), 2);
    char *text = text_of("one.eb");
    assert_memory_equal(text, "# session 1 of 2", 16);
    assert_string_equal(strchr(text, '\n'), "\nload demo\ntune S=64\n");
    free(text);
    eb_store_close(store);
}

/* ---- files ---- */

TEST(an_export_is_whole_or_not_there)
{
    eb_status status = {0};
    struct stat file;
    struct rlimit before, tight;
    eb_store *store = full_log("whole.db");
    (void)umask(027);
    (void)export(store, "kept.json", 0);
    assert_int_equal(stat(in_folder("kept.json"), &file), 0);
    assert_int_equal(file.st_mode & 0777, 0640);
    size_t files = files_in_folder();

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    tight = (struct rlimit){.rlim_cur = 5000, .rlim_max = before.rlim_max};
    void (*old)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    eb_code failed = eb_store_export(store, in_folder("kept.json"), 0, NULL, &status);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    (void)signal(SIGXFSZ, old);
    assert_int_equal(failed, EB_IO);
    assert_says(&status, "File too large");

    json_error_t error;
    json_t *log = json_load_file(in_folder("kept.json"), 0, &error); /* the previous file */
    assert_non_null(log);
    json_decref(log);
    assert_int_equal(files_in_folder(), files);
    eb_store_close(store);
}

TEST(odd_places_are_refused)
{
    eb_status status = {0};
    eb_store *store = full_log("places.db");
    assert_refused(eb_store_export(store, in_folder("log.xml"), 0, NULL, &status), EB_USAGE, status);
    assert_says(&status, "known are .csv .json .sql .eb .md .html");
    assert_refused(eb_store_export(store, ".csv", 0, NULL, &status), EB_USAGE, status);
    assert_refused(eb_store_export(store, in_folder("log.csv"), 9, NULL, &status), EB_NOT_FOUND, status);
    assert_says(&status, "sessions 1 to 2");
    assert_refused(eb_store_export(store, in_folder("nowhere/log.csv"), 0, NULL, &status), EB_IO, status);
    assert_int_equal(mkdir(in_folder("dir.csv"), 0700), 0);
    assert_refused(eb_store_export(store, in_folder("dir.csv"), 0, NULL, &status), EB_IO, status);
    assert_says(&status, "a folder");
    assert_int_equal(symlink("target.csv", in_folder("link.csv")), 0);
    FILE *target = fopen(in_folder("target.csv"), "we");
    assert_non_null(target);
    assert_int_equal(fclose(target), 0);
    (void)export(store, "link.csv", 0);
    char *text = text_of("target.csv"); /* the link still leads to its target */
    assert_memory_equal(text, "run,", 4);
    free(text);
    eb_store_close(store);
}

RUN_TESTS_WITH(make_folder, remove_folder)
