#include "store/evaluate.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/sql.h"

typedef struct named {
    char *name;
    eb_value value; /* owns its text */
} named;

struct eb_evaluator {
    sqlite3 *db;
    named *value;
    size_t values;
    char *text; /* the last answer, if it was a text; else NULL */
};

static eb_code complain(const eb_evaluator *e, const char *text, eb_status *status)
{
    return eb_fail(status, EB_USAGE, "SQLite cannot make sense of \"%.200s\": %s", text, sqlite3_errmsg(e->db));
}

eb_code eb_evaluator_new(eb_evaluator **out, eb_status *status)
{
    eb_evaluator *e = calloc(1, sizeof *e);
    *out = NULL;
    if (!e)
        return eb_fail_memory(status, "an evaluator", sizeof *e);
    if (sqlite3_open(":memory:", &e->db) != SQLITE_OK) {
        eb_evaluator_free(e);
        return eb_fail(status, EB_INTERNAL, "SQLite opens no database in memory");
    }
    /* An unknown column in double quotes is an error, not a text. */
    (void)sqlite3_db_config(e->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    *out = e;
    return EB_OK;
}

static void drop_text(const named *value)
{
    if (value->value.kind == EB_TEXT)
        free((void *)value->value.as.text);
}

void eb_evaluator_free(eb_evaluator *e)
{
    if (!e)
        return;
    for (size_t k = 0; k < e->values; k++) {
        drop_text(&e->value[k]);
        free(e->value[k].name);
    }
    free(e->value);
    free(e->text);
    (void)sqlite3_close(e->db);
    free(e);
}

/* ---- a report's tables ---- */

static eb_code run(eb_evaluator *e, const char *text, eb_status *status)
{
    return sqlite3_exec(e->db, text, NULL, NULL, NULL) == SQLITE_OK ? EB_OK : complain(e, text, status);
}

static eb_code drop_all(eb_evaluator *e, eb_status *status)
{
    static const char names[] = "SELECT name FROM sqlite_master WHERE type = 'table' LIMIT 1";
    for (;;) {
        sqlite3_stmt *query = NULL;
        if (sqlite3_prepare_v2(e->db, names, -1, &query, NULL) != SQLITE_OK)
            return complain(e, names, status);
        char *drop = sqlite3_step(query) == SQLITE_ROW
                         ? sqlite3_mprintf("DROP TABLE \"%w\"", sqlite3_column_text(query, 0))
                         : NULL;
        (void)sqlite3_finalize(query);
        if (!drop)
            return EB_OK;
        eb_code failed = run(e, drop, status);
        sqlite3_free(drop);
        EB_TRY(failed);
    }
}

static void bind(sqlite3_stmt *statement, int place, eb_value value)
{
    switch (value.kind) {
    case EB_NA: (void)sqlite3_bind_null(statement, place); break;
    case EB_BOOL: (void)sqlite3_bind_int(statement, place, value.as.boolean); break;
    case EB_INTEGER: (void)sqlite3_bind_int64(statement, place, value.as.integer); break;
    case EB_UNSIGNED: (void)sqlite3_bind_int64(statement, place, (sqlite3_int64)value.as.u64); break;
    case EB_REAL: (void)sqlite3_bind_double(statement, place, value.as.real); break;
    case EB_TEXT: (void)sqlite3_bind_text(statement, place, value.as.text, -1, SQLITE_TRANSIENT); break;
    }
}

/* Creates a table with these columns, and prepares the statement that inserts a row. */
static eb_code make_table(eb_evaluator *e, const char *name, const char *const *column, size_t columns,
                          sqlite3_stmt **insert, eb_status *status)
{
    sqlite3_str *create = sqlite3_str_new(e->db), *row = sqlite3_str_new(e->db);
    sqlite3_str_appendf(create, "CREATE TABLE \"%w\" (", name);
    sqlite3_str_appendf(row, "INSERT INTO \"%w\" VALUES (", name);
    for (size_t c = 0; c < columns; c++) {
        sqlite3_str_appendf(create, "%s\"%w\"", c ? ", " : "", column[c]);
        sqlite3_str_appendf(row, "%s?", c ? ", " : "");
    }
    sqlite3_str_appendall(create, ")");
    sqlite3_str_appendall(row, ")");
    char *create_text = sqlite3_str_finish(create), *row_text = sqlite3_str_finish(row);
    eb_code failed = create_text && row_text ? run(e, create_text, status) : eb_fail_memory(status, "a table", columns);
    if (!failed && sqlite3_prepare_v2(e->db, row_text, -1, insert, NULL) != SQLITE_OK)
        failed = complain(e, row_text, status);
    sqlite3_free(create_text);
    sqlite3_free(row_text);
    return failed;
}

static eb_code insert_row(eb_evaluator *e, sqlite3_stmt *insert, const eb_value *cell, size_t columns,
                          eb_status *status)
{
    for (size_t c = 0; c < columns; c++)
        bind(insert, (int)c + 1, cell[c]);
    const int result = sqlite3_step(insert);
    (void)sqlite3_reset(insert);
    return result == SQLITE_DONE ? EB_OK : complain(e, "INSERT", status);
}

/* cell: rows × columns, row-major. */
static eb_code add_table(eb_evaluator *e, const char *name, const char *const *column, size_t columns, size_t rows,
                         const eb_value *cell, eb_status *status)
{
    sqlite3_stmt *insert = NULL;
    if (columns == 0)
        return EB_OK;
    eb_code failed = make_table(e, name, column, columns, &insert, status);
    for (size_t r = 0; r < rows && !failed; r++)
        failed = insert_row(e, insert, cell + r * columns, columns, status);
    (void)sqlite3_finalize(insert);
    return failed;
}

static eb_code add_report_table(eb_evaluator *e, const char *name, const eb_table *table, eb_status *status)
{
    const char **column = calloc(table->columns + 1, sizeof(void *));
    if (!column)
        return eb_fail_memory(status, "a table's columns", table->columns * sizeof(void *));
    for (size_t c = 0; c < table->columns; c++)
        column[c] = table->column[c].key;
    eb_code failed = add_table(e, name, column, table->columns, table->rows, table->cell, status);
    free(column);
    return failed;
}

/* A table of one row: field_at(of, k), k from 0 to count − 1, without those that are NULL. */
static eb_code add_fields(eb_evaluator *e, const char *name, const void *of, size_t count,
                          const eb_field *(*field_at)(const void *of, size_t k), eb_status *status)
{
    const char **column = calloc(count + 1, sizeof(void *));
    eb_value *cell = calloc(count + 1, sizeof *cell);
    size_t fields = 0;
    eb_code failed = column && cell ? EB_OK : eb_fail_memory(status, "fields", count * sizeof *cell);
    for (size_t k = 0; k < count && !failed; k++) {
        const eb_field *field = field_at(of, k);
        if (field) {
            column[fields] = field->key;
            cell[fields++] = field->value;
        }
    }
    if (!failed)
        failed = add_table(e, name, column, fields, 1, cell, status);
    free(column);
    free(cell);
    return failed;
}

static const eb_field *record_field(const void *of, size_t k) { return &((const eb_record *)of)->field[k]; }

static const eb_field *report_field(const void *of, size_t k)
{
    const eb_item *item = ((const eb_report *)of)->item[k];
    return item->kind == EB_FIELD ? &item->as.field : NULL;
}

static eb_code add_series(eb_evaluator *e, const char *name, const eb_series *series, eb_status *status)
{
    const char *column[3] = {series->x_key ? series->x_key : "x", series->y_key ? series->y_key : "y",
                             series->z_key ? series->z_key : "z"};
    const double *values[3] = {series->x, series->y, series->z};
    const size_t columns = series->z ? 3 : 2;
    sqlite3_stmt *insert = NULL;
    eb_code failed = make_table(e, name, column, columns, &insert, status);
    for (size_t k = 0; k < series->points && !failed; k++) {
        eb_value cell[3];
        for (size_t c = 0; c < columns; c++)
            cell[c] = eb_real(values[c][k]);
        failed = insert_row(e, insert, cell, columns, status);
    }
    (void)sqlite3_finalize(insert);
    return failed;
}

/* True if an item before index `before` has this key. Such items are left out: a record goes before the series that
 * shares its key. */
static bool is_there(const eb_report *report, size_t before, const char *key)
{
    for (size_t k = 0; k < before; k++)
        if (report->item[k]->kind != EB_FIELD && strcmp(report->item[k]->key, key) == 0)
            return true;
    return false;
}

static eb_code add_item(eb_evaluator *e, const eb_report *report, size_t k, eb_status *status)
{
    const eb_item *item = report->item[k];
    if (item->kind == EB_FIELD || is_there(report, k, item->key))
        return EB_OK;
    if (item->kind == EB_TABLE)
        return add_report_table(e, item->key, &item->as.table, status);
    if (item->kind == EB_RECORD)
        return add_fields(e, item->key, &item->as.record, item->as.record.fields, record_field, status);
    return add_series(e, item->key, &item->as.series, status);
}

eb_code eb_evaluator_take(eb_evaluator *e, const eb_report *report, eb_status *status)
{
    EB_TRY(drop_all(e, status));
    EB_TRY(run(e, "BEGIN", status));
    eb_code failed = EB_OK;
    for (size_t k = 0; k < report->items && !failed; k++)
        failed = add_item(e, report, k, status);
    if (!failed)
        failed = add_fields(e, "report", report, report->items, report_field, status);
    EB_TRY(run(e, "COMMIT", failed ? NULL : status));
    return failed;
}

/* ---- values ---- */

static named *find(const eb_evaluator *e, const char *name)
{
    for (size_t k = 0; k < e->values; k++)
        if (strcmp(e->value[k].name, name) == 0)
            return &e->value[k];
    return NULL;
}

static named *add(eb_evaluator *e, const char *name)
{
    named *grown = realloc(e->value, (e->values + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    e->value = grown;
    grown[e->values] = (named){strdup(name), eb_na()};
    return grown[e->values].name ? &grown[e->values++] : NULL;
}

eb_code eb_evaluator_set(eb_evaluator *e, const char *name, eb_value value, eb_status *status)
{
    char *text = value.kind == EB_TEXT ? strdup(value.as.text) : NULL;
    named *place = find(e, name);
    if (!place)
        place = add(e, name);
    if (!place || (value.kind == EB_TEXT && !text)) {
        free(text);
        return eb_fail_memory(status, "a value", sizeof *place);
    }
    drop_text(place);
    place->value = value;
    if (text)
        place->value.as.text = text;
    return EB_OK;
}

/* ---- expressions ---- */

static eb_code prepare(eb_evaluator *e, const char *text, sqlite3_stmt **out, eb_status *status)
{
    const bool query = sqlite3_strnicmp(text, "SELECT", 6) == 0 || sqlite3_strnicmp(text, "WITH", 4) == 0;
    const char *rest = "";
    char *whole = query ? sqlite3_mprintf("%s", text) : sqlite3_mprintf("SELECT %s", text);
    if (!whole)
        return eb_fail_memory(status, "an expression", strlen(text));
    const int result = eb_sql_prepare_reading(e->db, whole, out, &rest);
    eb_code failed = EB_OK;
    if (result != SQLITE_OK)
        failed = complain(e, text, status);
    else if (!*out || rest[strspn(rest, " \t;")] != '\0')
        failed = eb_fail(status, EB_USAGE, "expected one expression or SELECT, found \"%.200s\"", text);
    sqlite3_free(whole);
    return failed;
}

static eb_code bind_values(const eb_evaluator *e, sqlite3_stmt *statement, eb_status *status)
{
    for (int k = 1; k <= sqlite3_bind_parameter_count(statement); k++) {
        const char *name = sqlite3_bind_parameter_name(statement, k);
        const named *value = name ? find(e, name + 1) : NULL;
        if (!value)
            return eb_fail(status, EB_USAGE, "there is no value %s", name ? name : "?");
        bind(statement, k, value->value);
    }
    return EB_OK;
}

static eb_code take_value(eb_evaluator *e, sqlite3_stmt *statement, eb_value *out, eb_status *status)
{
    *out = eb_sql_value(&(eb_query){.statement = statement}, 0);
    if (out->kind != EB_TEXT)
        return EB_OK;
    e->text = strdup(out->as.text);
    *out = eb_text(e->text);
    return e->text ? EB_OK : eb_fail_memory(status, "a text", 1);
}

eb_code eb_evaluator_get(eb_evaluator *e, const char *text, eb_value *out, eb_job *job, eb_status *status)
{
    sqlite3_stmt *statement = NULL;
    *out = eb_na();
    free(e->text);
    e->text = NULL;
    eb_code failed = prepare(e, text, &statement, status);
    if (!failed)
        failed = bind_values(e, statement, status);
    eb_sql_watch(e->db, job);
    const int result = failed ? SQLITE_DONE : sqlite3_step(statement);
    eb_sql_watch(e->db, NULL);
    if (result == SQLITE_ROW)
        failed = take_value(e, statement, out, status);
    else if (result == SQLITE_INTERRUPT)
        failed = eb_fail(status, EB_CANCELLED, "interrupted");
    else if (result != SQLITE_DONE)
        failed = complain(e, text, status);
    (void)sqlite3_finalize(statement);
    return failed;
}
