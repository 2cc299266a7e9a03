/* sql: runs SQL statements of the log with eb_value arguments and results, and has the helpers of files that write
 * rows.
 *
 * Statements are static texts, known by address, and stay prepared while the log is open; a text must not be used again
 * before its query is done. Values are those of reports (core/report/report.h); n/a is NULL both ways. Errors are
 * EB_LOG and name the file.
 */
#pragma once

#include <sqlite3.h>

#include "store/pending.h"
#include "store/store.h"

#define EB_STORE_STATEMENTS 96u
#define EB_STORE_WAIT_MS 5000

struct eb_store {
    sqlite3 *db;
    char *path;
    unsigned wait_ms;      /* how long to wait for another process's lock */
    double waited_s;       /* clock when the current statement began to wait */
    bool (*hurried)(void); /* true if the user wants the program to stop waiting; NULL: never */
    eb_pending pending;
    struct {
        const char *text; /* compared by address */
        sqlite3_stmt *statement;
    } prepared[EB_STORE_STATEMENTS];
    size_t prepared_count;
};

/* A statement's arguments and their number. */
#define EB_VALUES(...) (const eb_value[]){__VA_ARGS__}, sizeof((const eb_value[]){__VA_ARGS__}) / sizeof(eb_value)
#define EB_NO_VALUES NULL, 0

/* EB_LOG with a sentence for SQLite's last error: locked, full, read-only, damaged, … */
eb_code eb_sql_fail(const eb_store *store, eb_status *status);

/* Begins a write transaction. It takes the lock at once, not at the first change, since SQLite can wait for another
 * process only then. eb_sql_end commits if `failed` is EB_OK, else rolls back; it returns the outcome. */
eb_code eb_sql_begin(eb_store *store, eb_status *status);
eb_code eb_sql_end(eb_store *store, eb_code failed, eb_status *status);

/* Begins a read transaction, which sees all tables as of one moment; eb_sql_end ends it. */
eb_code eb_sql_begin_reading(eb_store *store, eb_status *status);

/* Runs a statement without rows. *id (may be NULL) receives the new row's id. */
eb_code eb_sql_run(eb_store *store, const char *text, const eb_value *values, size_t count, int64_t *id,
                   eb_status *status);

/* A query's rows: while (eb_sql_next(&query)) …; return eb_sql_done(&query). eb_sql_done must be called in any case. */
typedef struct eb_query {
    eb_store *store;
    sqlite3_stmt *statement;
    bool once;
    eb_code failed; /* ends the rows; the caller may set it */
    eb_status *status;
} eb_query;
eb_query eb_sql_rows(eb_store *store, const char *text, const eb_value *values, size_t count, eb_status *status);
/* Like eb_sql_rows, for a text made at run time; its statement is not kept. */
eb_query eb_sql_rows_once(eb_store *store, const char *text, const eb_value *values, size_t count, eb_status *status);
bool eb_sql_next(eb_query *query);    /* false: no more rows, or an error */
eb_code eb_sql_done(eb_query *query); /* the query's error, whose message is in *status */

/* Column `index` of the current row; texts are valid until the next eb_sql_next. */
eb_value eb_sql_value(const eb_query *query, int index);
int64_t eb_sql_int(const eb_query *query, int index);      /* NULL: 0 */
double eb_sql_real(const eb_query *query, int index);      /* NULL: NAN */
const char *eb_sql_text(const eb_query *query, int index); /* NULL: "" */

/* The first column of the first row as an integer; `otherwise` if there is no row or it is NULL. */
eb_code eb_sql_integer(eb_store *store, const char *text, const eb_value *values, size_t count, int64_t otherwise,
                       int64_t *out, eb_status *status);

/* Runs a script of several statements. */
eb_code eb_sql_script(eb_store *store, const char *text, eb_status *status);

/* The current time. */
void eb_moment(char buffer[EB_MOMENT_BYTES]);

/* ---- rows: found, added, changed, required ---- */

/* The text; n/a if it is "". */
static inline eb_value eb_known_text(const char *text) { return text[0] != '\0' ? eb_text(text) : eb_na(); }

/* The id that query `find` returns for these values, else that of the row that `add` inserts with the same values. Call
 * it inside a transaction. */
eb_code eb_find_or_add(eb_store *store, const char *find, const char *add, const eb_value *values, size_t count,
                       int64_t *id, eb_status *status);

/* Inserts one row as one transaction. *id (may be NULL) receives its id. */
eb_code eb_add_row(eb_store *store, const char *text, const eb_value *values, size_t count, int64_t *id,
                   eb_status *status);

/* The id of the device's row, which is added if missing. Call it inside a transaction. */
eb_code eb_find_device(eb_store *store, const eb_device *device, int64_t *id, eb_status *status);

/* Runs a statement that must change a row, as one transaction. EB_NOT_FOUND, naming `what` and `id`, if it changes
 * none. */
eb_code eb_change_row(eb_store *store, const char *text, const eb_value *values, size_t count, const char *what,
                      int64_t id, eb_status *status);

/* EB_NOT_FOUND, with the valid numbers, if there is no such row. */
eb_code eb_need_run(eb_store *store, int64_t run, eb_status *status);
eb_code eb_need_recall(eb_store *store, int64_t experiment, eb_status *status);
eb_code eb_need_session(eb_store *store, int64_t session, eb_status *status);

/* ---- SQL that people type ---- */

/* Prepares a statement that only reads. SQLITE_AUTH for any other, also ATTACH and PRAGMA, which SQLite counts as
 * read-only. *rest: the text after the statement. */
int eb_sql_prepare_reading(sqlite3 *db, const char *text, sqlite3_stmt **out, const char **rest);

/* From now on cancelling the job interrupts statements of db; NULL: no job does. */
void eb_sql_watch(sqlite3 *db, eb_job *job);
