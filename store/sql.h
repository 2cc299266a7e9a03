/* sql: running statements with values in and values out. Everything in this folder goes to SQLite through here.
 *
 * Statements are static texts and stay prepared while the log is open, so a text must not be used again before its
 * query was done. Values are the reports' (core/report.h): n/a is NULL both ways. Failures are EB_LOG and name the
 * file.
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
    unsigned wait_ms;      /* for another process's lock */
    double waited_s;       /* since when this statement waits */
    bool (*hurried)(void); /* somebody wants the program to stop waiting; NULL: nobody can */
    eb_pending pending;
    struct {
        const char *text; /* told apart by address */
        sqlite3_stmt *statement;
    } prepared[EB_STORE_STATEMENTS];
    size_t prepared_count;
};

/* The arguments of a statement, and how many. */
#define EB_VALUES(...) (const eb_value[]){__VA_ARGS__}, sizeof((const eb_value[]){__VA_ARGS__}) / sizeof(eb_value)
#define EB_NO_VALUES NULL, 0

/* EB_LOG with what SQLite last complained of, in a sentence: locked, full, read-only, damaged, … */
eb_code eb_sql_fail(const eb_store *store, eb_status *status);

/* One transaction. Writers begin here and not with their first change, so that waiting for another process happens
 * where it can succeed. eb_sql_end commits when `failed` is EB_OK, else takes everything back; returns the outcome. */
eb_code eb_sql_begin(eb_store *store, eb_status *status);
eb_code eb_sql_end(eb_store *store, eb_code failed, eb_status *status);

/* For reading several tables as they were at one moment; ends with eb_sql_end too. */
eb_code eb_sql_begin_reading(eb_store *store, eb_status *status);

/* Runs a statement that gives no rows. `id` (may be NULL): the new row's. */
eb_code eb_sql_run(eb_store *store, const char *text, const eb_value *values, size_t count, int64_t *id,
                   eb_status *status);

/* A query's rows: while (eb_sql_next(&query)) …; return eb_sql_done(&query); done in any case, early too. */
typedef struct eb_query {
    eb_store *store;
    sqlite3_stmt *statement;
    bool once;
    eb_code failed; /* no row comes after that; whoever reads may set it */
    eb_status *status;
} eb_query;
eb_query eb_sql_rows(eb_store *store, const char *text, const eb_value *values, size_t count, eb_status *status);
/* The same for a text made at run time, which is not kept. */
eb_query eb_sql_rows_once(eb_store *store, const char *text, const eb_value *values, size_t count, eb_status *status);
bool eb_sql_next(eb_query *query);    /* false: there is none, or it failed */
eb_code eb_sql_done(eb_query *query); /* its failure, which *status tells of */

/* Column `index` of the row; texts are valid until the next step. */
eb_value eb_sql_value(const eb_query *query, int index);
int64_t eb_sql_int(const eb_query *query, int index);      /* NULL: 0 */
double eb_sql_real(const eb_query *query, int index);      /* NULL: NAN */
const char *eb_sql_text(const eb_query *query, int index); /* NULL: "" */

/* The first column of the first row as an integer; `otherwise` when there is no row or it is NULL. */
eb_code eb_sql_integer(eb_store *store, const char *text, const eb_value *values, size_t count, int64_t otherwise,
                       int64_t *out, eb_status *status);

/* Runs a text of several statements, as from a file. */
eb_code eb_sql_script(eb_store *store, const char *text, eb_status *status);

/* This moment. */
void eb_moment(char buffer[EB_MOMENT_BYTES]);
