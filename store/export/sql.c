/* sql: exports the log, or one session with all rows it refers to, as SQL that recreates a log. */
#include <stdlib.h>
#include <string.h>

#include "store/export/export.h"
#include "store/schema.h"

/* Every table, parents first, with the condition for its rows of session ?1. */
typedef struct exported_table {
    const char *name, *of_session;
} exported_table;

#define COMMANDS "(SELECT id FROM command WHERE session_id = ?1)"
#define DEVICES                                                                                                        \
    "(SELECT device_id FROM run WHERE command_id IN " COMMANDS                                                         \
    " UNION SELECT device_id FROM recall WHERE command_id IN " COMMANDS                                                \
    " UNION SELECT device_id FROM session_device WHERE session_id = ?1)"
#define RUNS "(SELECT id FROM run WHERE command_id IN " COMMANDS ")"
#define RECALLS "(SELECT id FROM recall WHERE command_id IN " COMMANDS ")"

/* Comparisons and notes are exported only if the runs that they refer to are. A comparison of runs that were not logged
 * belongs to no session. */
#define OWN_RUN(column) "(" column " IS NULL OR " column " IN " RUNS ")"

#define ACCURACIES                                                                                                     \
    "(SELECT id FROM accuracy WHERE coalesce(fast_run_id, truth_run_id) IN " RUNS " AND " OWN_RUN("truth_run_id") ")"

static const exported_table tables[] = {
    {"build", "id IN (SELECT build_id FROM session WHERE id = ?1)"},
    {"session", "id = ?1"},
    {"command", "session_id = ?1"},
    {"dataset", "id IN (SELECT dataset_id FROM run WHERE command_id IN " COMMANDS
                " UNION SELECT dataset_id FROM target WHERE command_id IN " COMMANDS
                " UNION SELECT dataset_id FROM sweep_point WHERE command_id IN " COMMANDS
                " UNION SELECT dataset_id FROM recall WHERE command_id IN " COMMANDS
                " UNION SELECT dataset_id FROM rung WHERE command_id IN " COMMANDS
                " UNION SELECT dataset_id FROM report WHERE command_id IN " COMMANDS ")"},
    {"device", "id IN " DEVICES},
    {"session_device", "session_id = ?1"},
    {"report", "command_id IN " COMMANDS},
    {"device_limit", "device_id IN " DEVICES},
    {"run", "command_id IN " COMMANDS},
    {"run_option", "run_id IN " RUNS},
    {"trial", "run_id IN " RUNS},
    {"trial_figure", "run_id IN " RUNS},
    {"counter", "run_id IN " RUNS},
    {"accuracy", "id IN " ACCURACIES},
    {"histogram_bin", "accuracy_id IN " ACCURACIES},
    {"boundary_pair", "accuracy_id IN " ACCURACIES},
    {"target", "command_id IN " COMMANDS},
    {"sweep_point", "command_id IN " COMMANDS},
    {"recall", "command_id IN " COMMANDS},
    {"recall_point", "recall_id IN " RECALLS},
    {"recall_trial", "point_id IN (SELECT id FROM recall_point WHERE recall_id IN " RECALLS ")"},
    {"rung", "command_id IN " COMMANDS},
    {"lesson_answer", "session_id = ?1"},
    {"lesson_place", "session_id = ?1"},
    {"note", "session_id = ?1 AND " OWN_RUN("run_id")},
};
#define TABLES (sizeof tables / sizeof tables[0])

/* ---- the schema ---- */

static eb_code put_schema(eb_export *export, const char *text, eb_status *status)
{
    eb_query query = eb_sql_rows(export->store, text, EB_NO_VALUES, status);
    while (eb_sql_next(&query))
        (void)fprintf(export->file, "%s;\n", eb_sql_text(&query, 0));
    EB_TRY(eb_sql_done(&query));
    return eb_export_check(export, status);
}

/* Refuses a log with tables that are not in `tables`, since their rows would be lost silently: tables that a user
 * added, or that a migration added and this file does not have yet. */
static eb_code check_tables(eb_store *store, eb_status *status)
{
    static const char text[] = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    int64_t count;
    EB_TRY(eb_sql_integer(store, text, EB_NO_VALUES, 0, &count, status));
    if (count == (int64_t)TABLES)
        return EB_OK;
    return eb_fail(status, EB_LOG,
                   "%s: has %lld tables where a session log has %zu, and the others cannot be exported; sqlite3's "
                   ".dump copies all",
                   store->path, (long long)count, TABLES);
}

/* ---- the rows ---- */

/* Makes "SELECT quote(id) || ', ' || quote(…) FROM table WHERE …". quote() gives SQL literals, exact for numbers too.
 * The caller frees *select. */
static eb_code make_select(eb_store *store, const exported_table *table, char **select, eb_status *status)
{
    static const char text[] = "SELECT group_concat('quote(\"' || name || '\")', ' || '', '' || ') "
                               "FROM pragma_table_info(?)";
    eb_query query = eb_sql_rows(store, text, EB_VALUES(eb_text(table->name)), status);
    if (eb_sql_next(&query) && asprintf(select, "SELECT %s FROM %s WHERE ?1 = 0 OR (%s)", eb_sql_text(&query, 0),
                                        table->name, table->of_session) < 0) {
        *select = NULL;
        query.failed = eb_fail_memory(status, "a statement of the session log", 1024);
    }
    return eb_sql_done(&query);
}

static eb_code put_rows(eb_export *export, const exported_table *table, eb_status *status)
{
    char *select = NULL;
    EB_TRY(make_select(export->store, table, &select, status));
    eb_query query = eb_sql_rows_once(export->store, select, EB_VALUES(eb_int(export->session)), status);
    while (eb_sql_next(&query)) {
        (void)fprintf(export->file, "INSERT INTO %s VALUES (%s);\n", table->name, eb_sql_text(&query, 0));
        export->rows += strcmp(table->name, "run") == 0;
        query.failed = eb_export_check(export, status);
    }
    free(select);
    return eb_sql_done(&query);
}

eb_code eb_export_sql(eb_export *export, eb_status *status)
{
    static const char create_tables[] =
        "SELECT sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid";
    static const char create_rest[] =
        "SELECT sql FROM sqlite_master WHERE type IN ('index', 'view') AND sql IS NOT NULL ORDER BY rowid";
    EB_TRY(check_tables(export->store, status));
    (void)fprintf(export->file,
                  "PRAGMA foreign_keys = OFF;\nBEGIN;\nPRAGMA application_id = %d;\nPRAGMA user_version = %d;\n",
                  EB_APPLICATION_ID, eb_schema_current.version);
    EB_TRY(put_schema(export, create_tables, status));
    for (size_t k = 0; k < TABLES; k++)
        EB_TRY(put_rows(export, &tables[k], status));
    EB_TRY(put_schema(export, create_rest, status));
    (void)fputs("COMMIT;\n", export->file);
    return eb_export_check(export, status);
}
