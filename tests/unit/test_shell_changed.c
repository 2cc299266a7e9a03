/* A dataset's file changes while a session uses it. The process survives, every command that reads points reports the
 * change, and no run in the log has a result that does not belong to its dataset's hash. */

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>

#include "core/base/clock.h"
#include "shell/dispatch.h"
#include "tests/unit/io_files.h"
#include "tests/unit/test.h"

enum { N = 500, D = 24, HEADER = 8, SIZE = HEADER + N * D * 4, PAGE = 4096, MOST_KNOWN = 4096 };
#define EPS 0.9

static const double eps = EPS;

/* Random points; their spread depends on the version, so that |R| differs a great deal between versions. */
static void make_version(unsigned version, unsigned char out[SIZE])
{
    const uint32_t shape[2] = {N, D};
    unsigned seed = 1 + version;
    memcpy(out, shape, sizeof shape);
    for (size_t k = 0; k < (size_t)N * D; k++) {
        float value = (float)(rand_r(&seed) % 1000) * (0.0004F + 0.0001F * (float)(version % 5));
        memcpy(out + HEADER + k * sizeof value, &value, sizeof value);
    }
}

/* ---- |R| by hash ---- */

typedef struct known {
    char sha256[65];
    uint64_t pairs;
} known;

static known all[MOST_KNOWN];
static size_t known_count;

static const known *find_known(const char *sha256)
{
    for (size_t k = 0; k < known_count; k++)
        if (strcmp(all[k].sha256, sha256) == 0)
            return &all[k];
    return NULL;
}

/* Counts pairs by definition: eb_truth_distance2 for points in memory. */
static uint64_t count_pairs(const eb_dataset *ds)
{
    uint64_t pairs = ds->n;
    for (size_t i = 0; i < ds->n; i++)
        for (size_t j = i + 1; j < ds->n; j++)
            pairs += eb_truth_distance2(ds, i, j) <= eb_squared_threshold(eps) ? 2 : 0;
    return pairs;
}

/* Copies the points as they are now. If the copy has the hash of the load, stores its |R| under that hash. */
static void learn(const eb_dataset *ds)
{
    static unsigned char rows[N * D * 4];
    eb_dataset copy = *ds;
    assert_true(ds->n * ds->stride <= sizeof rows);
    memcpy(rows, ds->rows, ds->n * ds->stride);
    copy.rows = rows;
    if (eb_dataset_seal(&copy, NULL) || strcmp(copy.sha256, ds->sha256) != 0 || find_known(ds->sha256) ||
        known_count == MOST_KNOWN)
        return;
    memcpy(all[known_count].sha256, ds->sha256, sizeof all[known_count].sha256);
    all[known_count++].pairs = count_pairs(&copy);
}

/* ---- the shell ---- */

typedef struct bench {
    eb_shell shell;
    char path[512], log[520];
    FILE *out;
    char *text;
    size_t text_size;
} bench;

static void open_bench(bench *b, const char *name, bool mapped)
{
    *b = (bench){.shell = {.session = eb_session_new(),
                           .signal_fd = -1,
                           .logging = true,
                           .build = {.version = "1.2.3", .commit = "abc", .flags = "-O2", .compiler = "cc"}}};
    assert_non_null(b->shell.session);
    b->shell.session->settings.trials = 8;
    b->shell.session->settings.threads = 2;
    b->shell.session->settings.mode = EB_MODE_JSON;
    (void)snprintf(b->path, sizeof b->path, "%s", in_folder(name));
    (void)snprintf(b->log, sizeof b->log, "%s.db", in_folder(name));
    b->shell.log_path = b->log;
    b->out = open_memstream(&b->text, &b->text_size);
    b->shell.out = b->shell.err = b->out;
    assert_int_equal(setenv("EPSBENCH_READ_LIMIT", mapped ? "0" : "1000000", 1), 0);
}

static void close_bench(bench *b)
{
    eb_shell_end(&b->shell);
    eb_session_free(b->shell.session);
    (void)fclose(b->out);
    free(b->text);
}

/* Runs a line and returns its outcome; its output is in b->text. */
static eb_code run(bench *b, const char *format, const char *argument)
{
    char line[600];
    (void)snprintf(line, sizeof line, format, argument);
    (void)fseeko(b->out, 0, SEEK_SET);
    eb_code failed = eb_shell_run(&b->shell, line, NULL);
    (void)fputc('\0', b->out);
    (void)fflush(b->out);
    return failed;
}

static void overwrite(const char *path, const unsigned char *bytes)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, SIZE, 0), SIZE);
    assert_int_equal(close(fd), 0);
}

static int64_t ask_log(const char *path, const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t value = sqlite3_column_int64(statement, 0);
    (void)sqlite3_finalize(statement);
    (void)sqlite3_close(db);
    return value;
}

TEST(commands_refuse_until_it_is_loaded_again)
{
    static const char *const reading[] = {"info",
                                          "project",
                                          "tune S=3",
                                          "curve queries=50",
                                          "sweep S=1..4 points=3",
                                          "join ref64 eps=1",
                                          "compare fasted ref64 eps=1",
                                          "counters ref64 eps=1",
                                          "save a.npz"};
    static unsigned char first[SIZE], second[SIZE];
    make_version(1, first);
    make_version(2, second);
    for (int mapped = 0; mapped < 2; mapped++) {
        bench b;
        open_bench(&b, mapped ? "refuse-mapped.fbin" : "refuse.fbin", mapped);
        overwrite(b.path, first);
        assert_int_equal(run(&b, "load %s", b.path), EB_OK);
        for (size_t k = 0; k + 1 < sizeof reading / sizeof *reading; k++)
            assert_int_equal(run(&b, "%s", reading[k]), EB_OK);
        int64_t runs = ask_log(b.log, "SELECT count(*) FROM run");
        assert_true(runs > 0);
        overwrite(b.path, second);
        for (size_t k = 0; k < sizeof reading / sizeof *reading; k++) {
            assert_int_equal(run(&b, "%s", reading[k]), EB_CHANGED);
            assert_non_null(strstr(b.text, "\"code\":\"changed\""));
            assert_non_null(strstr(b.text, "changed since it was loaded; load it again: expected 48008 bytes written"));
        }
        assert_int_equal(ask_log(b.log, "SELECT count(*) FROM run"), runs);
        assert_int_equal(run(&b, "%s", "accuracy"), EB_OK); /* reports the old points and reads none */
        assert_int_equal(run(&b, "%s", "synth uniform 10 2; info"), EB_OK);
        assert_int_equal(run(&b, "load %s", b.path), EB_OK);
        assert_int_equal(run(&b, "%s", "join ref64 eps=1"), EB_OK);
        close_bench(&b);
    }
}

/* ---- a change at every check ---- */

/* A dataset check that fails from call number `most` on. The shell thread checks, too, while it waits for a slow
 * command; the log may have got results before that check. So only results after a worker thread's check count as
 * errors. */
static struct fuse {
    _Atomic unsigned looks;
    unsigned most;
    _Atomic bool blown, by_worker;
    int64_t results; /* in the log when a worker thread's check failed */
    const char *log;
    pthread_t shell;
} fuse;

static int64_t count_results(const char *log)
{
    return ask_log(log, "SELECT (SELECT count(*) FROM trial) + (SELECT count(*) FROM target) + (SELECT count(*) FROM "
                        "sweep_point) + (SELECT count(*) FROM accuracy) + (SELECT count(*) FROM counter)");
}

static eb_code look_at_fuse(const void *owner, eb_status *status)
{
    (void)owner;
    if (atomic_fetch_add(&fuse.looks, 1) < fuse.most)
        return EB_OK;
    if (!atomic_exchange(&fuse.blown, true) && !pthread_equal(fuse.shell, pthread_self())) {
        fuse.results = count_results(fuse.log);
        fuse.by_worker = true;
    }
    return eb_fail(status, EB_CHANGED, "points: changed");
}

TEST(nothing_is_logged_of_points_that_changed)
{
    static const char *const lines[] = {"info",
                                        "project",
                                        "tune S=3,4",
                                        "curve queries=50",
                                        "sweep S=1..4 points=3",
                                        "join ref64 eps=1 trials=3",
                                        "join ref64 S=3 trials=2",
                                        "compare fasted[tensor=sm_80] fasted ref64 eps=1 trials=2",
                                        "counters fasted,ref64 eps=1 trials=1"};
    bench b;
    open_bench(&b, "fuse", false);
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        bool blown = true;
        for (unsigned looks = 0; blown; looks++) {
            assert_int_equal(run(&b, "%s", "synth gaussian 60 4 7"), EB_OK);
            b.shell.session->dataset->check = look_at_fuse;
            fuse = (struct fuse){.most = looks, .log = b.log, .shell = pthread_self()};
            eb_code failed = run(&b, "%s", lines[k]);
            blown = fuse.blown;
            if (failed != (blown ? EB_CHANGED : EB_OK))
                fail_msg("%s, changed at look %u: %s", lines[k], looks, b.text);
            if (fuse.by_worker && count_results(b.log) != fuse.results)
                fail_msg("%s, changed at look %u: logged all the same", lines[k], looks);
            assert_true(blown || looks >= 2); /* at least one check before the work and one after it */
        }
    }
    assert_int_equal(ask_log(b.log, "SELECT count(*) FROM run WHERE state = 'running'"), 0);
    assert_true(ask_log(b.log, "SELECT count(*) FROM run WHERE state = 'failed' AND pairs IS NULL") > 0);
    close_bench(&b);
}

static double changes_s;

static eb_code look_at_clock(const void *owner, eb_status *status)
{
    (void)owner;
    return eb_now_s() < changes_s ? EB_OK : eb_fail(status, EB_CHANGED, "points: changed");
}

/* A trial that would take seconds or hours ends early. */
TEST(work_on_points_that_changed_ends)
{
    bench b;
    open_bench(&b, "clock", false);
    assert_int_equal(run(&b, "%s", "synth gaussian 150000 64 7"), EB_OK);
    b.shell.session->dataset->check = look_at_clock;
    changes_s = eb_now_s() + 0.3;
    assert_int_equal(run(&b, "%s", "join ref64 eps=0.1 count warmup=none"), EB_CHANGED);
    assert_int_equal(ask_log(b.log, "SELECT count(*) FROM run WHERE state = 'partial' AND pairs IS NULL"), 1);
    assert_int_equal(ask_log(b.log, "SELECT count(*) FROM command WHERE error_code = 'changed'"), 1);
    close_bench(&b);
}

/* ---- at random moments ---- */

typedef struct vandal {
    const char *path;
    _Atomic bool stop;
    unsigned seed, deeds;
} vandal;

static void rest(unsigned *seed, long most_us)
{
    const struct timespec pause = {.tv_nsec = rand_r(seed) % most_us * 1000};
    (void)nanosleep(&pause, NULL);
}

/* Writes page by page, so that a reader in between sees pages of both versions. */
static void rewrite_in_place(int fd, const unsigned char *bytes)
{
    for (size_t at = 0; at < SIZE; at += PAGE)
        if (pwrite(fd, bytes + at, SIZE - at < PAGE ? SIZE - at : PAGE, (off_t)at) < 0)
            return;
}

static void replace(const char *path, const unsigned char *bytes)
{
    char other[600];
    (void)snprintf(other, sizeof other, "%s.new", path);
    overwrite(other, bytes);
    (void)rename(other, path);
}

static void *vandalise(void *argument)
{
    vandal *v = argument;
    static unsigned char bytes[SIZE];
    while (!atomic_load(&v->stop)) {
        rest(&v->seed, 400000);
        make_version((unsigned)rand_r(&v->seed) % 20, bytes);
        int fd = open(v->path, O_WRONLY | O_CLOEXEC), deed = rand_r(&v->seed) % 4;
        if (deed == 0)
            replace(v->path, bytes);
        if (deed == 1 && ftruncate(fd, rand_r(&v->seed) % SIZE) == 0)
            rest(&v->seed, 20000);
        if (deed != 0)
            rewrite_in_place(fd, bytes);
        (void)close(fd);
        v->deeds++;
    }
    return NULL;
}

typedef struct tally {
    unsigned loads, succeeded, refused;
} tally;

static void check_success(const bench *b, const char *line)
{
    const known *k = find_known(b->shell.session->dataset->sha256);
    char expected[64];
    if (!k)
        fail_msg("%s: succeeded with points that had changed", line);
    if (!k || !strstr(line, "join"))
        return;
    (void)snprintf(expected, sizeof expected, "\"pairs\":%llu,", (unsigned long long)k->pairs);
    if (!strstr(b->text, expected))
        fail_msg("%s: expected %s found %s", line, expected, b->text);
}

static void one_round(bench *b, tally *t)
{
    static const char *const lines[] = {"join ref64 eps=0.9",
                                        "join ref64 eps=0.9 count",
                                        "curve queries=300",
                                        "join ref64 eps=0.9",
                                        "tune S=3",
                                        "info",
                                        "join ref64 eps=0.9",
                                        "sweep S=1..4 points=3",
                                        "compare fasted ref64 eps=0.9",
                                        "join ref64 eps=0.9"};
    eb_code failed = run(b, "load %s", b->path);
    if (failed && failed != EB_CHANGED && failed != EB_BAD_FORMAT && failed != EB_IO)
        fail_msg("load: %s", b->text);
    if (failed)
        return;
    t->loads++;
    learn(b->shell.session->dataset);
    for (size_t k = 0; k < sizeof lines / sizeof *lines && !failed; k++) {
        failed = run(b, "%s", lines[k]);
        if (failed && failed != EB_CHANGED)
            fail_msg("%s: %s", lines[k], b->text);
        if (!failed)
            check_success(b, lines[k]);
        t->succeeded += !failed;
        t->refused += failed == EB_CHANGED;
    }
}

/* Every logged ref64 run with a result has the |R| of its dataset's hash. */
static void check_log(const char *path)
{
    static const char sql[] = "SELECT run.id, dataset.sha256, coalesce(run.pairs, -1), count(trial.trial) FROM run "
                              "JOIN dataset ON dataset.id = run.dataset_id LEFT JOIN trial ON trial.run_id = run.id "
                              "WHERE run.engine = 'ref64' GROUP BY run.id";
    sqlite3 *db;
    sqlite3_stmt *row;
    size_t told = 0;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &row, NULL), SQLITE_OK);
    while (sqlite3_step(row) == SQLITE_ROW) {
        const known *k = find_known((const char *)sqlite3_column_text(row, 1));
        int64_t pairs = sqlite3_column_int64(row, 2), trials = sqlite3_column_int64(row, 3);
        assert_int_equal(pairs >= 0, trials > 0);
        told += pairs >= 0;
        if (pairs >= 0 && (!k || k->pairs != (uint64_t)pairs))
            fail_msg("run %lld: %lld pairs, its hash has %lld", (long long)sqlite3_column_int64(row, 0),
                     (long long)pairs, k ? (long long)k->pairs : -1);
    }
    assert_true(told > 0);
    (void)sqlite3_finalize(row);
    (void)sqlite3_close(db);
}

static void vandalised(const char *name, bool mapped)
{
    const char *wanted = getenv("EPSBENCH_STRESS_S");
    double end_s = eb_now_s() + (wanted ? strtod(wanted, NULL) : 3);
    static unsigned char bytes[SIZE];
    bench b;
    tally t = {0};
    pthread_t thread;
    open_bench(&b, name, mapped);
    make_version(0, bytes);
    overwrite(b.path, bytes);
    vandal v = {.path = b.path, .seed = 5};
    assert_int_equal(pthread_create(&thread, NULL, vandalise, &v), 0);
    /* The test needs a success and a refusal; slow machines get up to 60 s more for that. */
    while (eb_now_s() < end_s || ((t.succeeded == 0 || t.refused == 0) && eb_now_s() < end_s + 60))
        one_round(&b, &t);
    atomic_store(&v.stop, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    close_bench(&b);
    check_log(b.log);
    print_message("%s: %u deeds, %u loads, %u commands succeeded, %u refused\n", name, v.deeds, t.loads, t.succeeded,
                  t.refused);
    assert_true(t.succeeded > 0 && t.refused > 0);
}

TEST(no_run_has_a_wrong_hash)
{
    vandalised("read.fbin", false);
    vandalised("mapped.fbin", true);
}

RUN_TESTS_WITH(make_folder, remove_folder)
