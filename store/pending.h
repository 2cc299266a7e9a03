/* pending: writes that wait in memory while another process keeps the log locked, and are made, in their order and as
 * one transaction, once it lets go.
 *
 * A row that waits has no number yet: whoever adds it is given a stand-in (EB_STAND_IN and up), which is good wherever
 * the number is, for as long as the log is open. Statements are given the number as soon as there is one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"
#include "core/report/report.h"

#define EB_PENDING_BYTES ((size_t)64 << 20)     /* what may wait: hundreds of thousands of trials */
#define EB_STAND_IN INT64_C(0x4550534200000000) /* far from any number of a row, and any count */

typedef struct eb_pending_write {
    const char *find, *text;
    eb_value *values; /* one block with the texts behind them */
    size_t count, bytes;
    int64_t stand_in; /* 0: nobody asked for the row's number */
} eb_pending_write;

typedef struct eb_pending {
    bool may, waits, recording; /* may: this log's writes can wait; waits: some do; recording: a transaction of such */
    eb_pending_write *write;
    size_t count, capacity, bytes, begun; /* begun: how many there were when the transaction began */
    int64_t *number;                      /* of the rows that stand-ins stand for; 0: none yet */
    size_t numbers, number_capacity;
    size_t runs; /* of these writes, runs that begin */
} eb_pending;

/* Adds to what waits: a statement, or (find not NULL) what eb_find_or_add does. Texts of values are copied; log: its
 * path, for messages. id (may be NULL): its stand-in. */
eb_code eb_pending_add(eb_pending *pending, const char *log, const char *find, const char *text, const eb_value *values,
                       size_t count, int64_t *id, eb_status *status);

/* Takes back what was added since there were `count`. */
void eb_pending_cut(eb_pending *pending, size_t count);
void eb_pending_free(eb_pending *pending);

/* The row's number for a stand-in that has one; anything else as it is. */
int64_t eb_pending_number(const eb_pending *pending, int64_t id);
