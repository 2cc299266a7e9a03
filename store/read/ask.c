/* ask: answers `sql`: a SELECT that a person typed, .tables or .schema. It uses the store's connection, since closing a
 * second one in this process would drop the log's locks (store.h). A statement that could change the log is refused
 * before it runs. */
#include <stdio.h>
#include <string.h>

#include "store/read/read.h"

/* Turns SQLite's result code into an error. */
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
    const int result = eb_sql_prepare_reading(store->db, text, out, &rest);
    if (result != SQLITE_OK)
        return refuse(store, result, status);
    if (!*out || !sqlite3_stmt_readonly(*out))
        return eb_fail(status, EB_USAGE, "expected a SELECT of the log, as SELECT * FROM v_runs");
    if (rest[strspn(rest, " \t;")] != '\0')
        return eb_fail(status, EB_USAGE, "expected one SELECT, found more behind it: %.40s", rest);
    return EB_OK;
}

/* True if the column's numbers are identifiers, which are shown as 12345, not 12,345. */
static bool is_name(const char *column)
{
    const size_t length = strlen(column);
    return strcmp(column, "id") == 0 || (length > 3 && strcmp(column + length - 3, "_id") == 0) ||
           eb_field_is_identity(column);
}

/* Adds the statement's columns. A repeated name gets a number, since keys must be unique. */
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
        const eb_unit unit = name && is_name(name) ? EB_IDENTITY : EB_PLAIN;
        eb_table_column(table, &(eb_column){key, name ? name : "column", unit});
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
    eb_table *table = eb_report_table(report, EB_F(rows), "Rows");
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

/* ---- .tables and .schema, as in SQLite's shell ---- */

/* Views come first: they are the stable interface (epsbench-log(5)). */
#define OF_THE_LOG " FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' "
#define VIEWS_FIRST "ORDER BY type DESC, name"

static eb_code list_tables(eb_store *store, eb_report *report, eb_status *status)
{
    static const char text[] = "SELECT name, type" OF_THE_LOG VIEWS_FIRST;
    eb_table *table = eb_report_table(report, EB_F(tables), "Views and tables");
    eb_table_column(table, EB_F(name));
    eb_table_column(table, EB_F(type));
    eb_query query = eb_sql_rows(store, text, EB_NO_VALUES, status);
    while (eb_sql_next(&query))
        eb_table_row(table, (const eb_value[]){eb_sql_value(&query, 0), eb_sql_value(&query, 1)}, 2);
    eb_report_note(report,
                   "`sql .schema NAME` shows how one is defined; views stay as they are from version to version");
    return eb_sql_done(&query);
}

/* name "": all views and tables. */
static eb_code show_schema(eb_store *store, const char *name, eb_report *report, eb_status *status)
{
    static const char text[] = "SELECT group_concat(sql || ';', char(10)) FROM (SELECT sql" OF_THE_LOG
                               "AND (?1 = '' OR name = ?1 COLLATE NOCASE) " VIEWS_FIRST ")";
    eb_query query = eb_sql_rows(store, text, EB_VALUES(eb_text(name)), status);
    if (eb_sql_next(&query) && eb_sql_value(&query, 0).kind == EB_TEXT)
        eb_report_raw(report, eb_sql_text(&query, 0));
    else if (!query.failed)
        query.failed =
            eb_fail(status, EB_NOT_FOUND, "the log has no view or table \"%.80s\"; `sql .tables` names them", name);
    return eb_sql_done(&query);
}

/* True if `text` is this command; name receives its argument: "v_runs" for ".schema v_runs;". */
static bool is_dot_command(const char *text, const char *command, char name[80])
{
    const size_t length = strlen(command);
    if (strncmp(text, command, length) != 0 || !strchr(" \t;", text[length]))
        return false;
    const char *at = text + length + strspn(text + length, " \t;");
    (void)snprintf(name, 80, "%.*s", (int)strcspn(at, " \t;"), at);
    at += strlen(name);
    return at[strspn(at, " \t;")] == '\0';
}

static eb_code answer_dot(eb_store *store, const char *text, eb_report *report, eb_status *status)
{
    char name[80];
    if (is_dot_command(text, ".tables", name) && name[0] == '\0')
        return list_tables(store, report, status);
    if (is_dot_command(text, ".schema", name))
        return show_schema(store, name, report, status);
    return eb_fail(status, EB_USAGE, "expected a SELECT, .tables or .schema [NAME], found %.80s", text);
}

eb_code eb_store_ask(eb_store *store, const char *text, size_t limit, eb_report *report, eb_job *job, eb_status *status)
{
    sqlite3_stmt *statement = NULL;
    if (text[0] == '.')
        return answer_dot(store, text, report, status);
    eb_code failed = prepare(store, text, &statement, status);
    eb_sql_watch(store->db, job);
    if (!failed)
        failed = answer(store, statement, limit, report, status);
    eb_sql_watch(store->db, NULL);
    (void)sqlite3_finalize(statement);
    return failed;
}
