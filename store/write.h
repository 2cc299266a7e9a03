/* write: what the writing halves of the store share. */
#pragma once

#include "store/sql.h"

/* "" is n/a. */
static inline eb_value eb_known_text(const char *text) { return text[0] != '\0' ? eb_text(text) : eb_na(); }

/* The id that `find` gives for these values, or that `add` makes with the same ones. Inside a transaction. */
eb_code eb_find_or_add(eb_store *store, const char *find, const char *add, const eb_value *values, size_t count,
                       int64_t *id, eb_status *status);

/* One row added, as one transaction; its id (may be NULL). */
eb_code eb_add_row(eb_store *store, const char *text, const eb_value *values, size_t count, int64_t *id,
                   eb_status *status);

/* The id of the device's row, added when there is none. Inside a transaction. */
eb_code eb_find_device(eb_store *store, const eb_device *device, int64_t *id, eb_status *status);

/* Runs, as one transaction, a statement that must change a row; `what` and `id` name the missing one. */
eb_code eb_change_row(eb_store *store, const char *text, const eb_value *values, size_t count, const char *what,
                      int64_t id, eb_status *status);

/* EB_NOT_FOUND naming the numbers there are. */
eb_code eb_need_run(eb_store *store, int64_t run, eb_status *status);
eb_code eb_need_recall(eb_store *store, int64_t experiment, eb_status *status);
eb_code eb_need_session(eb_store *store, int64_t session, eb_status *status);
