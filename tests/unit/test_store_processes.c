/* The log with killed processes, and with several processes at once. */

#include <signal.h>
#include <sys/wait.h>

#include "store/process.h"
#include "tests/unit/store_log.h"
#include "tests/unit/test.h"

#define WRITERS 2
#define NOTES_EACH 300

/* ---- child processes; their exit status is the result ---- */

static void wait_for(pid_t child)
{
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    if (!WIFEXITED(how) || WEXITSTATUS(how) != 0)
        fail_msg("a child ended with %d", how);
}

/* A session that writes trials and acknowledges each, until it is killed. */
static void write_trials_forever(const char *path, int acknowledge)
{
    eb_store *store;
    eb_status status;
    eb_dataset ds = a_dataset();
    eb_run run = a_run(&a_true_engine);
    int64_t session, command, dataset, id;
    if (eb_store_open(path, &store, &status) || eb_store_session_begin(store, &a_build, &session, &status) ||
        eb_store_command_begin(store, session, "join ref64 eps=12.5", &command, &status) ||
        eb_store_dataset(store, &ds, &dataset, &status) ||
        eb_store_run_begin(store, command, dataset, &run, &id, &status))
        _exit(1);
    run.pairs = 6500;
    for (unsigned k = 0;; k++) {
        eb_figures trial = a_trial(&run, k, 2 * k);
        if (log_trial(store, id, &run, k, &trial, &status) || write(acknowledge, &k, sizeof k) != (ssize_t)sizeof k)
            _exit(1);
    }
}

TEST(a_killed_process_loses_nothing_it_finished)
{
    int ends[2];
    unsigned trial, last = 0;
    char sql[128];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        write_trials_forever(in_folder("killed.db"), ends[1]);
    (void)close(ends[1]);
    while (last < 40) /* then the child is in the middle of a later trial */
        assert_int_equal(read(ends[0], &last, sizeof last), sizeof last);
    assert_int_equal(kill(child, SIGKILL), 0);
    while (read(ends[0], &trial, sizeof trial) == (ssize_t)sizeof trial)
        last = trial;
    (void)close(ends[0]);

    /* A dead child that was not waited for is a zombie, which counts as dead. */
    siginfo_t death;
    assert_int_equal(waitid(P_PID, (id_t)child, &death, WEXITED | WNOWAIT), 0);
    eb_store *store = open_log("killed.db");
    (void)snprintf(sql, sizeof sql, "SELECT count(*) FROM v_trials WHERE trial <= %u AND total_s = 2 * kernel_s", last);
    assert_int_equal(strtoul(look(store, sql), NULL, 10), last + 1);
    assert_string_equal(look(store, "SELECT s.state || c.outcome || r.state || r.pairs FROM v_sessions AS s, "
                                    "v_commands AS c, v_runs AS r"),
                        "interruptedinterruptedinterrupted6500");
    assert_string_equal(look(store, "PRAGMA integrity_check"), "ok");
    eb_store_close(store);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static eb_code write_notes(const char *path, eb_status *status)
{
    eb_store *store;
    int64_t session, command;
    eb_code failed = eb_store_open(path, &store, status);
    if (!failed)
        failed = eb_store_session_begin(store, &a_build, &session, status);
    for (int k = 0; k < NOTES_EACH && !failed; k++)
        if (!(failed = eb_store_command_begin(store, session, "note x", &command, status)) &&
            !(failed = eb_store_note(store, session, 0, "x", status)))
            failed = eb_store_command_end(store, command, EB_OK, NULL, 0, status);
    if (!failed)
        failed = eb_store_session_end(store, session, status);
    eb_store_close(store);
    return failed;
}

/* Runs in a child process, which prints its own errors. */
static void write_notes_and_exit(const char *path)
{
    eb_status status = {0};
    eb_code failed = write_notes(path, &status);
    if (failed)
        (void)fprintf(stderr, "writer: %s\n", status.message);
    _exit(failed ? 1 : 0);
}

/* The log does not exist yet, so both processes also create it at once. */
TEST(two_processes_write_at_once)
{
    pid_t child[WRITERS];
    for (int k = 0; k < WRITERS; k++) {
        child[k] = fork();
        assert_true(child[k] >= 0);
        if (child[k] == 0)
            write_notes_and_exit(in_folder("shared.db"));
    }
    for (int k = 0; k < WRITERS; k++)
        wait_for(child[k]);
    eb_store *store = open_log("shared.db");
    assert_int_equal(strtol(look(store, "SELECT count(*) FROM v_notes"), NULL, 10), WRITERS * NOTES_EACH);
    assert_int_equal(strtol(look(store, "SELECT count(*) FROM v_commands WHERE outcome = 'ok'"), NULL, 10),
                     WRITERS * NOTES_EACH);
    assert_string_equal(look(store, "SELECT group_concat(DISTINCT state) FROM v_sessions"), "ended");
    assert_string_equal(look(store, "SELECT count(*) FROM build"), "1");
    eb_store_close(store);
}

TEST(many_may_create_the_same_log)
{
    for (int round = 0; round < 5; round++) {
        pid_t child[4];
        char name[32];
        (void)snprintf(name, sizeof name, "race-%d.db", round);
        for (int k = 0; k < 4; k++) {
            child[k] = fork();
            assert_true(child[k] >= 0);
            if (child[k] == 0) {
                eb_store *store;
                eb_status status = {0};
                eb_code failed = eb_store_open(in_folder(name), &store, &status);
                if (failed)
                    (void)fprintf(stderr, "opener: %s\n", status.message);
                _exit(failed ? 1 : 0);
            }
        }
        for (int k = 0; k < 4; k++)
            wait_for(child[k]);
        eb_store *store = open_log(name);
        assert_string_equal(look(store, "PRAGMA user_version"), SCHEMA);
        eb_store_close(store);
    }
}

/* ---- living processes ---- */

TEST(running_sessions_of_living_processes_are_left_alone)
{
    eb_store *mine = open_log("living.db");
    (void)begin(mine, "join");
    eb_store *other = open_log("living.db");
    assert_string_equal(look(other, "SELECT state FROM v_sessions"), "running");
    eb_store_close(other);
    /* The same process number, but of another process. */
    static const char other_start[] = "UPDATE session SET process_start = process_start + 1";
    assert_int_equal(sqlite3_exec(mine->db, other_start, NULL, NULL, NULL), SQLITE_OK);
    other = open_log("living.db");
    assert_string_equal(look(other, "SELECT state FROM v_sessions"), "interrupted");
    assert_string_equal(look(other, "SELECT outcome FROM v_commands"), "interrupted");
    eb_store_close(other);
    eb_store_close(mine);
}

TEST(a_process_is_gone_only_for_certain)
{
    eb_process self, other;
    eb_process_self(&self);
    assert_true(self.pid == getpid() && self.start > 0 && self.host[0] != '\0');
    assert_false(eb_process_gone(&self, &self));
    other = self;
    other.start = 0; /* start unknown: the number decides */
    assert_false(eb_process_gone(&self, &other));
    other.start = self.start + 1;
    assert_true(eb_process_gone(&self, &other));
    other.host[0] = '?'; /* processes of another machine cannot be checked */
    assert_false(eb_process_gone(&self, &other));
    other = self;
    other.boot[0] = '?';
    assert_true(eb_process_gone(&self, &other));
    other.boot[0] = '\0';
    assert_false(eb_process_gone(&self, &other));
    other = self;
    other.pid = 0;
    assert_true(eb_process_gone(&self, &other));
    other.pid = (int64_t)1 << 40;
    assert_true(eb_process_gone(&self, &other));
}

RUN_TESTS_WITH(make_folder, remove_folder)
