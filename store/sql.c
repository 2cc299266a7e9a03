#include "store/sql.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

eb_code eb_sql_fail(const eb_store *store, eb_status *status)
{
    int result = sqlite3_errcode(store->db), error = sqlite3_system_errno(store->db);
    switch (result) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return eb_fail(status, EB_LOG, "%s: another process kept the session log locked for too long", store->path);
    case SQLITE_FULL: return eb_fail(status, EB_LOG, "%s: no space is left for the session log", store->path);
    case SQLITE_READONLY:
        return eb_fail(status, EB_LOG, "%s: the session log, or the folder it is in, may not be written", store->path);
    case SQLITE_CANTOPEN:
        return eb_fail(status, EB_LOG, "%s: cannot open the session log: %s", store->path,
                       error ? strerror(error) : sqlite3_errmsg(store->db));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return eb_fail(status, EB_LOG, "%s: the session log is damaged: %s", store->path, sqlite3_errmsg(store->db));
    case SQLITE_IOERR:
        return eb_fail(status, EB_LOG, "%s: cannot read or write the session log: %s", store->path,
                       error ? strerror(error) : sqlite3_errmsg(store->db));
    case SQLITE_NOMEM: return eb_fail(status, EB_LOG, "%s: out of memory for the session log", store->path);
    default: return eb_fail(status, EB_LOG, "%s: the session log refused: %s", store->path, sqlite3_errmsg(store->db));
    }
}

/* ---- statements ---- */

static eb_code prepare(eb_store *store, const char *text, sqlite3_stmt **out, eb_status *status)
{
    for (size_t k = 0; k < store->prepared_count; k++)
        if (store->prepared[k].text == text) {
            *out = store->prepared[k].statement;
            return EB_OK;
        }
    if (store->prepared_count == EB_STORE_STATEMENTS)
        return eb_fail(status, EB_INTERNAL, "the session log has more than %u statements", EB_STORE_STATEMENTS);
    if (sqlite3_prepare_v3(store->db, text, -1, SQLITE_PREPARE_PERSISTENT, out, NULL) != SQLITE_OK)
        return eb_sql_fail(store, status);
    store->prepared[store->prepared_count].text = text;
    store->prepared[store->prepared_count++].statement = *out;
    return EB_OK;
}

static int bind_value(const eb_store *store, sqlite3_stmt *statement, int index, eb_value value)
{
    switch (value.kind) {
    case EB_NA: break;
    case EB_BOOL: return sqlite3_bind_int(statement, index, value.as.boolean);
    case EB_INTEGER: return sqlite3_bind_int64(statement, index, eb_pending_number(&store->pending, value.as.integer));
    case EB_UNSIGNED: /* SQLite's integers end at 2⁶³ − 1; no count gets there */
        return value.as.u64 <= INT64_MAX ? sqlite3_bind_int64(statement, index, (sqlite3_int64)value.as.u64)
                                         : SQLITE_TOOBIG;
    case EB_REAL: return sqlite3_bind_double(statement, index, value.as.real);
    case EB_TEXT: return sqlite3_bind_text(statement, index, value.as.text, -1, SQLITE_TRANSIENT);
    }
    return sqlite3_bind_null(statement, index);
}

static void bind_all(eb_query *query, const eb_value *values, size_t count)
{
    int wanted = sqlite3_bind_parameter_count(query->statement);
    if (wanted != (int)count)
        query->failed = eb_fail(query->status, EB_INTERNAL,
                                "%zu values for a statement of the session log that takes %d", count, wanted);
    for (size_t k = 0; k < count && !query->failed; k++) {
        int result = bind_value(query->store, query->statement, (int)k + 1, values[k]);
        if (result != SQLITE_OK)
            query->failed = eb_fail(query->status, EB_LOG, "%s: cannot log value %zu: %s", query->store->path, k + 1,
                                    sqlite3_errstr(result));
    }
}

eb_query eb_sql_rows(eb_store *store, const char *text, const eb_value *values, size_t count, eb_status *status)
{
    eb_query query = {.store = store, .status = status};
    query.failed = prepare(store, text, &query.statement, status);
    if (!query.failed)
        bind_all(&query, values, count);
    return query;
}

eb_query eb_sql_rows_once(eb_store *store, const char *text, const eb_value *values, size_t count, eb_status *status)
{
    eb_query query = {.store = store, .once = true, .status = status};
    if (sqlite3_prepare_v2(store->db, text, -1, &query.statement, NULL) != SQLITE_OK)
        query.failed = eb_sql_fail(store, status);
    else
        bind_all(&query, values, count);
    return query;
}

bool eb_sql_next(eb_query *query)
{
    const int result = query->failed ? SQLITE_DONE : sqlite3_step(query->statement);
    if (result != SQLITE_ROW && result != SQLITE_DONE)
        query->failed = eb_sql_fail(query->store, query->status);
    return result == SQLITE_ROW;
}

eb_code eb_sql_done(eb_query *query)
{
    if (query->once) {
        (void)sqlite3_finalize(query->statement);
    } else if (query->statement) {
        (void)sqlite3_reset(query->statement); /* returns the step's error again, which query->failed has */
        (void)sqlite3_clear_bindings(query->statement);
    }
    query->statement = NULL;
    return query->failed;
}

static eb_code run_now(eb_store *store, const char *text, const eb_value *values, size_t count, int64_t *id,
                       eb_status *status)
{
    eb_query query = eb_sql_rows(store, text, values, count, status);
    (void)eb_sql_next(&query);
    EB_TRY(eb_sql_done(&query));
    if (id)
        *id = sqlite3_last_insert_rowid(store->db);
    return EB_OK;
}

eb_code eb_sql_run(eb_store *store, const char *text, const eb_value *values, size_t count, int64_t *id,
                   eb_status *status)
{
    return store->pending.recording
               ? eb_pending_add(&store->pending, store->path, NULL, text, values, count, id, status)
               : run_now(store, text, values, count, id, status);
}

eb_code eb_sql_integer(eb_store *store, const char *text, const eb_value *values, size_t count, int64_t otherwise,
                       int64_t *out, eb_status *status)
{
    eb_query query = eb_sql_rows(store, text, values, count, status);
    const bool row = eb_sql_next(&query);
    if (!query.failed)
        *out = row && eb_sql_value(&query, 0).kind != EB_NA ? eb_sql_int(&query, 0) : otherwise;
    return eb_sql_done(&query);
}

eb_code eb_sql_script(eb_store *store, const char *text, eb_status *status)
{
    return sqlite3_exec(store->db, text, NULL, NULL, NULL) == SQLITE_OK ? EB_OK : eb_sql_fail(store, status);
}

/* ---- values of a row ---- */

eb_value eb_sql_value(const eb_query *query, int index)
{
    switch (sqlite3_column_type(query->statement, index)) {
    case SQLITE_INTEGER: return eb_int(sqlite3_column_int64(query->statement, index));
    case SQLITE_FLOAT: return eb_real(sqlite3_column_double(query->statement, index));
    case SQLITE_TEXT: return eb_text((const char *)sqlite3_column_text(query->statement, index));
    default: return eb_na();
    }
}

int64_t eb_sql_int(const eb_query *query, int index) { return sqlite3_column_int64(query->statement, index); }

double eb_sql_real(const eb_query *query, int index)
{
    return sqlite3_column_type(query->statement, index) == SQLITE_NULL ? NAN
                                                                       : sqlite3_column_double(query->statement, index);
}

const char *eb_sql_text(const eb_query *query, int index)
{
    const char *text = (const char *)sqlite3_column_text(query->statement, index);
    return text ? text : "";
}

/* ---- transactions ---- */

eb_code eb_sql_begin(eb_store *store, eb_status *status)
{
    static const char text[] = "BEGIN IMMEDIATE";
    eb_pending *p = &store->pending;
    eb_code failed = p->waits ? EB_OK : run_now(store, text, EB_NO_VALUES, NULL, status);
    if (failed && p->may && sqlite3_errcode(store->db) == SQLITE_BUSY) {
        p->waits = true;
        failed = EB_OK;
    }
    p->recording = p->waits;
    p->begun = p->count;
    return failed;
}

eb_code eb_sql_begin_reading(eb_store *store, eb_status *status)
{
    static const char text[] = "BEGIN";
    return eb_sql_run(store, text, EB_NO_VALUES, NULL, status);
}

eb_code eb_sql_end(eb_store *store, eb_code failed, eb_status *status)
{
    static const char commit[] = "COMMIT", rollback[] = "ROLLBACK";
    if (store->pending.recording) {
        store->pending.recording = false;
        if (failed)
            eb_pending_cut(&store->pending, store->pending.begun);
        return failed;
    }
    if (!failed)
        failed = eb_sql_run(store, commit, EB_NO_VALUES, NULL, status);
    /* After a full disk SQLite may have rolled back already. */
    if (failed && !sqlite3_get_autocommit(store->db))
        (void)eb_sql_run(store, rollback, EB_NO_VALUES, NULL, NULL);
    return failed;
}

void eb_moment(char buffer[EB_MOMENT_BYTES])
{
    struct timespec now = {0};
    struct tm utc;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)gmtime_r(&now.tv_sec, &utc);
    size_t used = strftime(buffer, EB_MOMENT_BYTES, "%Y-%m-%dT%H:%M:%S", &utc);
    (void)snprintf(buffer + used, EB_MOMENT_BYTES - used, ".%09ldZ", now.tv_nsec);
}

/* ---- SQL that people type ---- */

static int allow_reading(void *unused, int action, const char *a, const char *b, const char *database, const char *view)
{
    (void)unused, (void)a, (void)b, (void)database, (void)view;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_FUNCTION:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    default: return SQLITE_DENY;
    }
}

int eb_sql_prepare_reading(sqlite3 *db, const char *text, sqlite3_stmt **out, const char **rest)
{
    sqlite3_set_authorizer(db, allow_reading, NULL);
    const int result = sqlite3_prepare_v2(db, text, -1, out, rest);
    sqlite3_set_authorizer(db, NULL, NULL);
    return result;
}

static int is_cancelled(void *job) { return eb_job_cancelled(job); }

void eb_sql_watch(sqlite3 *db, eb_job *job)
{
    enum { STEPS_BETWEEN_TESTS = 100000 };
    sqlite3_progress_handler(db, job ? STEPS_BETWEEN_TESTS : 0, job ? is_cancelled : NULL, job);
}
