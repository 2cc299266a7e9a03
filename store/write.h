/* write: helpers of the store's files that write: rows found or added, changed, required. */
#pragma once

#include "store/sql.h"

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
