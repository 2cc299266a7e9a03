/* json: exports the log as one JSON document: {"schema", "runs", "accuracy", "targets", "sweep", "notes", "lessons",
 * "recall", "rungs"}. All but "schema" are arrays of objects whose keys are the columns of the views. Objects are
 * written one by one, so a long log need not fit in memory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/export/export.h"
#include "store/json.h"

/* The row as an object; NULL: out of memory. */
static json_t *object_of(const eb_query *query)
{
    json_t *object = json_object();
    for (int k = 0; object && k < sqlite3_column_count(query->statement); k++) {
        const char *key = sqlite3_column_name(query->statement, k);
        if (json_object_set_new(object, key, eb_json_value(eb_sql_value(query, k))) != 0) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

/* Adds the rows of a query as an array to an object. */
static eb_code add_rows(eb_store *store, json_t *object, const char *key, const char *text, int64_t id,
                        eb_status *status)
{
    json_t *array = json_array();
    if (json_object_set_new(object, key, array) != 0)
        return eb_fail_memory(status, "JSON", 64);
    eb_query query = eb_sql_rows(store, text, EB_VALUES(eb_int(id)), status);
    while (eb_sql_next(&query))
        if (json_array_append_new(array, object_of(&query)) != 0)
            query.failed = eb_fail_memory(status, "JSON", 1024);
    return eb_sql_done(&query);
}

/* ---- the document ---- */

/* An array nested in a row, by a query with the row's id as its only parameter. */
typedef struct nested {
    const char *key, *text;
} nested;

/* An array of the document. text: query with the session (0: all) as its only parameter and the row's id as its first
 * column. */
typedef struct section {
    const char *key, *text;
    nested in_row[4];
} section;

static const section sections[] = {
    {"runs",
     "SELECT r.*, c.text AS command_text FROM v_runs AS r JOIN command AS c ON c.id = r.command "
     "WHERE ?1 = 0 OR r.session = ?1 ORDER BY run",
     {{"options", "SELECT name, value FROM v_options WHERE run = ? ORDER BY name"},
      {"trials", "SELECT trial, ended, upload_s, convert_s, norms_s, kernel_s, download_s, table_s, total_s, energy_j, "
                 "sm_clock_hz, throttle_reasons FROM v_trials WHERE run = ? ORDER BY trial"},
      {"figures", "SELECT trial, key, value, unit FROM v_figures WHERE run = ? ORDER BY trial, key"},
      {"counters", "SELECT metric, value, unit, CASE source WHEN 'model' THEN 'time' ELSE source END AS source "
                   "FROM v_counters WHERE run = ? ORDER BY metric, source"}}},
    {"accuracy",
     "SELECT * FROM v_accuracy WHERE ?1 = 0 OR session = ?1 ORDER BY accuracy",
     {{"histogram", "SELECT quantity, bin, low, high, count FROM v_histogram WHERE accuracy = ? "
                    "ORDER BY quantity, bin"},
      {"boundary", "SELECT place, i, j, dist_fast, dist_true, in_fast, in_true FROM v_boundary "
                   "WHERE accuracy = ? ORDER BY place"}}},
    {"targets", "SELECT * FROM v_targets WHERE ?1 = 0 OR session = ?1 ORDER BY target", {{NULL, NULL}}},
    {"sweep", "SELECT * FROM v_sweep WHERE ?1 = 0 OR session = ?1 ORDER BY point", {{NULL, NULL}}},
    {"notes", "SELECT * FROM v_notes WHERE ?1 = 0 OR session = ?1 ORDER BY note", {{NULL, NULL}}},
    {"lessons", "SELECT * FROM v_lessons WHERE ?1 = 0 OR session = ?1 ORDER BY given", {{NULL, NULL}}},
    {"recall",
     "SELECT * FROM v_recall WHERE ?1 = 0 OR session = ?1 ORDER BY point",
     {{"trial_times", "SELECT trial, ended, passes, pass_s FROM v_recall_trials WHERE point = ? ORDER BY trial"}}},
    {"rungs", "SELECT * FROM v_rungs WHERE ?1 = 0 OR session = ?1 ORDER BY rung", {{NULL, NULL}}}};

static eb_code put_object(eb_export *export, const section *part, const eb_query *query, bool first, eb_status *status)
{
    eb_code failed = EB_OK;
    json_t *object = object_of(query);
    if (!object)
        return eb_fail_memory(status, "JSON", 4096);
    for (const nested *n = part->in_row; n < part->in_row + 4 && n->key && !failed; n++)
        failed = add_rows(export->store, object, n->key, n->text, eb_sql_int(query, 0), status);
    if (!failed) {
        (void)fputs(first ? "\n" : ",\n", export->file);
        if (json_dumpf(object, export->file, JSON_COMPACT) != 0)
            failed = eb_fail(status, EB_IO, "%s: cannot write: %s", export->path, strerror(errno));
    }
    json_decref(object);
    return failed ? failed : eb_export_check(export, status);
}

static eb_code put_section(eb_export *export, const section *part, eb_status *status)
{
    bool first = true;
    eb_query query = eb_sql_rows(export->store, part->text, EB_VALUES(eb_int(export->session)), status);
    (void)fprintf(export->file, ",\n\"%s\":[", part->key);
    for (; eb_sql_next(&query); first = false) {
        query.failed = put_object(export, part, &query, first, status);
        export->rows += part == &sections[0];
    }
    (void)fputs("]", export->file);
    return eb_sql_done(&query);
}

eb_code eb_export_json(eb_export *export, eb_status *status)
{
    (void)fputs("{\"schema\":\"epsbench-log/1\"", export->file);
    for (size_t k = 0; k < sizeof sections / sizeof sections[0]; k++)
        EB_TRY(put_section(export, &sections[k], status));
    (void)fputs("}\n", export->file);
    return eb_export_check(export, status);
}
