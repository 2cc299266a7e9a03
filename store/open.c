/* open: opens and closes the log. Opening creates or migrates the file and marks sessions whose process is gone. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/files/state_path.h"
#include "store/process.h"
#include "store/schema.h"

#define OLDEST_SQLITE 3037000 /* first version with STRICT tables */

eb_code eb_store_default_path(char *buffer, size_t size, eb_status *status)
{
    if (eb_state_path("sessions.db", buffer, size))
        return EB_OK;
    return eb_fail(status, EB_LOG,
                   "no place for the session log: neither XDG_STATE_HOME nor HOME names a folder that can "
                   "be used; use --db FILE");
}

static eb_code make_folders(const char *path, eb_status *status)
{
    char *folders = strdup(path);
    if (!folders)
        return eb_fail_memory(status, "the session log's path", strlen(path) + 1);
    size_t missing = eb_make_folders(folders);
    int error = errno;
    free(folders);
    return missing == 0 ? EB_OK
                        : eb_fail(status, EB_LOG, "%s: cannot create the folder %.*s for the session log: %s", path,
                                  (int)missing, path, strerror(error));
}

static void square_root(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL)
        sqlite3_result_null(context);
    else
        sqlite3_result_double(context, sqrt(sqlite3_value_double(values[0])));
}

/* The views use sqrt, which SQLite lacks if built without its mathematical functions. */
static eb_code add_square_root(eb_store *store, eb_status *status)
{
    if (sqlite3_compileoption_used("ENABLE_MATH_FUNCTIONS"))
        return EB_OK;
    int result = sqlite3_create_function(store->db, "sqrt", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                         NULL, square_root, NULL, NULL);
    return result == SQLITE_OK ? EB_OK : eb_sql_fail(store, status);
}

/* The error for a log that cannot be opened. For a new log SQLite reports that the file is missing, since it tries
 * opening for reading last; the true cause is the folder's error, which is reported instead. */
static eb_code fail_to_open(const eb_store *store, eb_status *status)
{
    const char *slash = strrchr(store->path, '/');
    char *folder = slash ? strndup(store->path, (size_t)(slash - store->path) + 1) : strdup(".");
    int error = folder && access(store->path, F_OK) != 0 && access(folder, W_OK) != 0 ? errno : 0;
    free(folder);
    return error ? eb_fail(status, EB_LOG, "%s: cannot create the session log: %s", store->path, strerror(error))
                 : eb_sql_fail(store, status);
}

/* Makes the log readable by its owner only: any new log, and the log at the default path with its folder, even if it
 * existed. Errors are ignored: a mode may stay as it is, and SQLite reports a file that cannot be created. */
static void make_private(const char *path)
{
    char usual[4096];
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0)
        (void)close(fd);
    if (!eb_state_path("sessions.db", usual, sizeof usual) || strcmp(path, usual) != 0)
        return;
    (void)!chmod(usual, 0600);
    *strrchr(usual, '/') = '\0';
    (void)!chmod(usual, 0700);
}

/* SQLite's busy handler, called repeatedly while another process has the lock. 0: give up. */
static int wait_for_lock(void *context, int tries)
{
    eb_store *store = context;
    const struct timespec pause = {.tv_nsec = 5000000};
    const unsigned hurried_ms = 100;
    const double now_s = eb_now_s();
    if (tries == 0)
        store->waited_s = now_s;
    bool hurried = store->hurried && store->hurried();
    unsigned patience_ms = hurried && store->wait_ms > hurried_ms ? hurried_ms : store->wait_ms;
    if ((now_s - store->waited_s) * 1e3 >= patience_ms)
        return 0;
    (void)nanosleep(&pause, NULL);
    return 1;
}

void eb_store_patience(eb_store *store, unsigned wait_ms, bool (*hurried)(void))
{
    store->wait_ms = wait_ms;
    store->hurried = hurried;
}

/* The prefix "./" keeps SQLite from interpreting ":memory:" or "file:…". */
static eb_code open_database(eb_store *store, eb_status *status)
{
    char *name = sqlite3_mprintf("%s%s", store->path[0] == '/' ? "" : "./", store->path);
    if (!name)
        return eb_fail_memory(status, "the session log's path", strlen(store->path) + 3);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    int result = sqlite3_open_v2(name, &store->db, flags, NULL);
    sqlite3_free(name);
    if (!store->db)
        return eb_fail_memory(status, "the session log", 65536);
    if (result != SQLITE_OK)
        return fail_to_open(store, status);
    if (sqlite3_db_readonly(store->db, "main") == 1) /* SQLite falls back to read-only */
        return eb_fail(status, EB_LOG, "%s: the session log may not be written", store->path);
    if (sqlite3_busy_handler(store->db, wait_for_lock, store) != SQLITE_OK)
        return eb_sql_fail(store, status);
    return add_square_root(store, status);
}

/* WAL lets other processes read and write meanwhile; the mode stays set in the file. Errors are ignored: if the file
 * system has no shared memory, or another process holds a lock, the old journal works too, with more waiting. */
static void use_write_ahead_log(eb_store *store) { (void)eb_sql_script(store, "PRAGMA journal_mode = WAL", NULL); }

/* ---- sessions of killed processes ---- */

static eb_code interrupt_session(eb_store *store, int64_t session, eb_status *status)
{
    static const char *const texts[] =
        {("UPDATE run SET state = 'interrupted' WHERE state = 'running' AND command_id IN "
          "(SELECT id FROM command WHERE session_id = ?)"),
         "UPDATE command SET outcome = 'interrupted' WHERE outcome = 'running' AND session_id = ?",
         "UPDATE session SET state = 'interrupted' WHERE state = 'running' AND id = ?"};
    eb_code failed = EB_OK;
    EB_TRY(eb_sql_begin(store, status));
    for (size_t k = 0; k < sizeof texts / sizeof texts[0] && !failed; k++)
        failed = eb_sql_run(store, texts[k], EB_VALUES(eb_int(session)), NULL, status);
    return eb_sql_end(store, failed, status);
}

/* The next session after `after` whose process is gone; 0: none. */
static eb_code next_dead_session(eb_store *store, const eb_process *self, int64_t after, int64_t *session,
                                 eb_status *status)
{
    static const char running[] =
        "SELECT id, host, boot, pid, process_start FROM session WHERE state = 'running' AND id > ? ORDER BY id";
    *session = 0;
    eb_query query = eb_sql_rows(store, running, EB_VALUES(eb_int(after)), status);
    while (*session == 0 && eb_sql_next(&query)) {
        eb_process other = {.pid = eb_sql_int(&query, 3), .start = eb_sql_int(&query, 4)};
        (void)snprintf(other.host, sizeof other.host, "%s", eb_sql_text(&query, 1));
        (void)snprintf(other.boot, sizeof other.boot, "%s", eb_sql_text(&query, 2));
        if (eb_process_gone(self, &other))
            *session = eb_sql_int(&query, 0);
    }
    return eb_sql_done(&query);
}

static eb_code interrupt_dead_sessions(eb_store *store, eb_status *status)
{
    eb_process self;
    eb_process_self(&self);
    int64_t session = 0;
    do {
        EB_TRY(next_dead_session(store, &self, session, &session, status));
        if (session > 0)
            EB_TRY(interrupt_session(store, session, status));
    } while (session > 0);
    return EB_OK;
}

/* ---- open, close ---- */

/* NORMAL with WAL: a power failure may lose the last transactions, a killed process loses none. Foreign keys are
 * switched on after migration, which may rebuild tables. */
static eb_code set_up_connection(eb_store *store, eb_status *status)
{
    static const char text[] = "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF";
    return eb_sql_script(store, text, status);
}

static eb_code prepare_database(eb_store *store, eb_status *status)
{
    make_private(store->path);
    EB_TRY(open_database(store, status));
    EB_TRY(eb_schema_migrate(store, &eb_schema_current, status));
    use_write_ahead_log(store);
    EB_TRY(set_up_connection(store, status));
    store->pending.may = true;
    return interrupt_dead_sessions(store, status);
}

static eb_code prepare_background(eb_store *store, eb_status *status)
{
    EB_TRY(open_database(store, status));
    store->pending.may = true;
    return set_up_connection(store, status);
}

static eb_code open_with(const char *path, eb_code (*prepare)(eb_store *, eb_status *), eb_store **out,
                         eb_status *status)
{
    *out = NULL;
    eb_store *store = calloc(1, sizeof *store);
    if (!store || !(store->path = strdup(path))) {
        free(store);
        return eb_fail_memory(status, "the session log", sizeof *store);
    }
    store->wait_ms = EB_STORE_WAIT_MS;
    eb_code failed = prepare(store, status);
    if (failed)
        eb_store_close(store);
    else
        *out = store;
    return failed;
}

eb_code eb_store_open(const char *path, eb_store **out, eb_status *status)
{
    *out = NULL;
    if (path[0] == '\0')
        return eb_fail(status, EB_LOG, "the session log's path is empty");
    if (sqlite3_libversion_number() < OLDEST_SQLITE)
        return eb_fail(status, EB_LOG, "the session log needs SQLite 3.37 or later, found %s", sqlite3_libversion());
    EB_TRY(eb_schema_check_file(&eb_schema_current, path, status));
    EB_TRY(make_folders(path, status));
    return open_with(path, prepare_database, out, status);
}

eb_code eb_store_open_second(const char *path, eb_store **out, eb_status *status)
{
    return open_with(path, prepare_background, out, status);
}

void eb_store_close(eb_store *store)
{
    if (!store)
        return;
    for (size_t k = 0; k < store->prepared_count; k++)
        (void)sqlite3_finalize(store->prepared[k].statement);
    (void)sqlite3_close(store->db); /* NULL is fine; all statements are finalized */
    eb_pending_free(&store->pending);
    free(store->path);
    free(store);
}
