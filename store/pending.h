/* pending: queues writes in memory while another process keeps the log locked. Once the lock is free, they are executed
 * in order, as one transaction.
 *
 * A queued row has no number yet. Its caller gets a stand-in (EB_STAND_IN and up), valid wherever a number is for as
 * long as the log is open. Statements replace a stand-in by the number once it is known.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"
#include "core/report/report.h"

#define EB_PENDING_BYTES ((size_t)64 << 20)     /* limit of the queue: hundreds of thousands of trials */
#define EB_STAND_IN INT64_C(0x4550534200000000) /* larger than any row's number and any count */

typedef struct eb_pending_write {
    const char *find, *text;
    eb_value *values; /* one allocation: the values, then the texts */
    size_t count, bytes;
    int64_t stand_in; /* 0: the caller did not ask for the row's number */
} eb_pending_write;

typedef struct eb_pending {
    bool may, waits, recording; /* may: writes may be queued; waits: some are; recording: the transaction is queued */
    eb_pending_write *write;
    size_t count, capacity, bytes, begun; /* begun: count when the transaction began */
    int64_t *number;                      /* row numbers, by stand-in − EB_STAND_IN; 0: none yet */
    size_t numbers, number_capacity;
    size_t runs; /* queued writes that begin a run */
} eb_pending;

/* Queues a statement, or an eb_find_or_add if `find` is not NULL. Texts in values are copied. log: the log's path, for
 * messages. *id (may be NULL) receives the stand-in. EB_LOG if the queue is full. */
eb_code eb_pending_add(eb_pending *pending, const char *log, const char *find, const char *text, const eb_value *values,
                       size_t count, int64_t *id, eb_status *status);

/* Removes the newest writes until `count` are left. */
void eb_pending_cut(eb_pending *pending, size_t count);
void eb_pending_free(eb_pending *pending);

/* The row's number for a stand-in that has one; any other id unchanged. */
int64_t eb_pending_number(const eb_pending *pending, int64_t id);
