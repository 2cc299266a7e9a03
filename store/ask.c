/* A person's own SELECT. The connection is the store's: a second one in this process would drop its locks (store.h).
 * What would change anything is refused before it runs. */
#include <stdio.h>
#include <string.h>

#include "store/only_reading.h"
#include "store/read.h"

/* SQLite's complaint, a sentence of ours. */
static eb_code refuse(const eb_store *store, int result, eb_status *status)
{
    switch (result) {
    case SQLITE_AUTH:
        return eb_fail(status, EB_USAGE,
                       "expected a SELECT of the log, found a statement that would do more: the log "
                       "is only read");
    case SQLITE_ERROR: return eb_fail(status, EB_USAGE, "SQLite cannot read this: %s", sqlite3_errmsg(store->db));
    case SQLITE_INTERRUPT: return eb_fail(status, EB_CANCELLED, "interrupted");
    default: return eb_sql_fail(store, status);
    }
}

static eb_code prepare(eb_store *store, const char *text, sqlite3_stmt **out, eb_status *status)
{
    const char *rest = "";
    sqlite3_set_authorizer(store->db, eb_only_reading, NULL);
    int result = sqlite3_prepare_v2(store->db, text, -1, out, &rest);
    sqlite3_set_authorizer(store->db, NULL, NULL);
    if (result != SQLITE_OK)
        return refuse(store, result, status);
    if (!*out || !sqlite3_stmt_readonly(*out))
        return eb_fail(status, EB_USAGE, "expected a SELECT of the log, as SELECT * FROM v_runs");
    if (rest[strspn(rest, " \t;")] != '\0')
        return eb_fail(status, EB_USAGE, "expected one SELECT, found more behind it: %.40s", rest);
    return EB_OK;
}

/* Members of a document have names of their own. */
static void add_columns(eb_table *table, sqlite3_stmt *statement)
{
    int count = sqlite3_column_count(statement);
    for (int k = 0; k < count; k++) {
        const char *name = sqlite3_column_name(statement, k);
        char key[80];
        int same = 0;
        for (int before = 0; name && before < k; before++) {
            const char *other = sqlite3_column_name(statement, before);
            same += other && strcmp(other, name) == 0;
        }
        (void)snprintf(key, sizeof key, same > 0 ? "%.60s_%d" : "%.60s", name ? name : "column", same + 1);
        eb_table_column(table, key, name ? name : "column", EB_IDENTITY);
    }
}

static eb_code add_rows(eb_store *store, sqlite3_stmt *statement, eb_table *table, size_t limit, bool *cut,
                        eb_status *status)
{
    eb_query query = {.store = store, .statement = statement};
    eb_value cells[EB_MOST_ASKED];
    int result;
    while ((result = sqlite3_step(statement)) == SQLITE_ROW && table->rows < limit) {
        for (size_t k = 0; k < table->columns; k++)
            cells[k] = eb_sql_value(&query, (int)k);
        eb_table_row(table, cells, table->columns);
    }
    *cut = result == SQLITE_ROW;
    return result == SQLITE_ROW || result == SQLITE_DONE ? EB_OK : refuse(store, result, status);
}

static eb_code answer(eb_store *store, sqlite3_stmt *statement, size_t limit, eb_report *report, eb_status *status)
{
    bool cut = false;
    if (sqlite3_column_count(statement) > (int)EB_MOST_ASKED)
        return eb_fail(status, EB_USAGE, "a SELECT of %d columns; at most %u are shown",
                       sqlite3_column_count(statement), EB_MOST_ASKED);
    eb_table *table = eb_report_table(report, "rows", "Rows");
    if (!table)
        return eb_fail_memory(status, "the rows", limit);
    add_columns(table, statement);
    EB_TRY(add_rows(store, statement, table, limit, &cut, status));
    if (cut)
        eb_report_note(report, "the first %zu rows; limit=N before the SELECT shows more", limit);
    else if (table->rows == 0)
        eb_report_note(report, "no rows");
    return EB_OK;
}

eb_code eb_store_ask(eb_store *store, const char *text, size_t limit, eb_report *report, eb_job *job, eb_status *status)
{
    sqlite3_stmt *statement = NULL;
    eb_code failed = prepare(store, text, &statement, status);
    sqlite3_progress_handler(store->db, EB_STEPS_BETWEEN_LOOKS, eb_look_for_cancel, job);
    if (!failed)
        failed = answer(store, statement, limit, report, status);
    sqlite3_progress_handler(store->db, 0, NULL, NULL);
    (void)sqlite3_finalize(statement);
    return failed;
}
