/* read: turns the rows of a query into items of a report. */
#pragma once

#include "store/sql.h"

#define EB_MOST_SHOWN 32u
#define EB_MOST_ASKED 256u /* columns of a SELECT that a person typed */
#define EB_SHOWN_COUNT(columns) (sizeof(columns) / sizeof(columns)[0])
#define EB_SHOWN(columns) columns, EB_SHOWN_COUNT(columns)

/* Reports all rows of a query as a table. columns: the report's columns, in the query's order; at most EB_MOST_SHOWN.
 * *rows (may be NULL) receives the number of rows. */
eb_code eb_read_table(eb_store *store, eb_report *report, const eb_column *key, const char *title,
                      const eb_column *const *columns, size_t count, const char *text, const eb_value *values,
                      size_t value_count, size_t *rows, eb_status *status);

/* Reports the only row of a query as a record, or as fields of the report if key is NULL. */
eb_code eb_read_record(eb_store *store, eb_report *report, const eb_column *key, const char *title,
                       const eb_column *const *columns, size_t count, const char *text, const eb_value *values,
                       size_t value_count, eb_status *status);

/* A part of a report, from a query about one session or command, whose number is ?1. */
typedef struct eb_read_part {
    const eb_column
        *key; /* of a table, left out if it has no rows; NULL: the query's only row becomes the report's fields */
    const char *title;
    const eb_column *const *columns;
    size_t count;
    const char *text;
} eb_read_part;

eb_code eb_read_parts(eb_store *store, int64_t number, const eb_read_part *parts, size_t count, eb_report *report,
                      eb_status *status);

/* Rows that a list shows at most; limit 0: 50. */
int64_t eb_list_limit(size_t limit);

/* Notes that only the newest `shown` of `all` rows are listed, if so. */
void eb_note_cut(eb_report *report, const char *what, size_t shown, int64_t all);

/* Parts of reports that several readers show; nothing where the log has none. Call them inside a transaction. */
eb_code eb_read_errors(eb_store *store, int64_t run, eb_report *report, eb_status *status); /* series "errors" */
eb_code eb_read_recall(eb_store *store, int64_t experiment, eb_report *report, eb_status *status);

/* What the log's tables have of a command whose report was not kept: its targets, S(ε), runs, comparisons, recall. */
eb_code eb_read_command(eb_store *store, int64_t command, eb_report *report, eb_status *status);

/* Points of S(ε) that a query returns with ε, S, its error (NULL: exact), in the order of ε. Adds a series "curve" with
 * a band; fewer than two points: none. */
eb_code eb_read_curve(eb_store *store, eb_report *report, const char *title, const char *text, const eb_value *values,
                      size_t value_count, eb_status *status);
