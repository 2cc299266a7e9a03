/* read: from rows of a query to items of a report. */
#pragma once

#include "store/write.h"

#define EB_MOST_SHOWN 32u
#define EB_MOST_ASKED 256u /* columns of a person's own SELECT */
#define EB_SHOWN_COUNT(columns) (sizeof(columns) / sizeof(columns)[0])
#define EB_SHOWN(columns) columns, EB_SHOWN_COUNT(columns)

/* columns: how a report shows the query's. All rows as a table. *rows (may be NULL) receives their number. */
eb_code eb_read_table(eb_store *store, eb_report *report, const eb_column *key, const char *title,
                      const eb_column *const *columns, size_t count, const char *text, const eb_value *values,
                      size_t value_count, size_t *rows, eb_status *status);

/* The only row as a record, or with key NULL as fields of the report. */
eb_code eb_read_record(eb_store *store, eb_report *report, const eb_column *key, const char *title,
                       const eb_column *const *columns, size_t count, const char *text, const eb_value *values,
                       size_t value_count, eb_status *status);

/* A list that was cut says so: nothing is left out silently. */
void eb_note_cut(eb_report *report, const char *what, size_t shown, int64_t all);
