#include "store/pending.h"

#include <stdlib.h>
#include <string.h>

#include "store/write.h"

struct eb_pending_write {
    const char *find, *text;
    eb_value *values; /* one block with the texts behind them */
    size_t count, bytes;
    int64_t stand_in; /* 0: nobody asked for the row's number */
};

static bool is_stand_in(const eb_pending *p, int64_t id)
{
    return id >= EB_STAND_IN && (uint64_t)(id - EB_STAND_IN) < p->numbers;
}

int64_t eb_pending_number(const eb_pending *p, int64_t id)
{
    int64_t number = is_stand_in(p, id) ? p->number[id - EB_STAND_IN] : 0;
    return number > 0 ? number : id;
}

/* ---- adding ---- */

static eb_value *copy_values(const eb_value *values, size_t count, size_t *bytes)
{
    size_t room = count * sizeof *values;
    for (size_t k = 0; k < count; k++)
        room += values[k].kind == EB_TEXT ? strlen(values[k].as.text) + 1 : 0;
    *bytes = room + sizeof(eb_pending_write);
    eb_value *copy = malloc(room + 1);
    char *at = copy ? (char *)(copy + count) : NULL;
    for (size_t k = 0; copy && k < count; k++) {
        copy[k] = values[k];
        if (values[k].kind != EB_TEXT)
            continue;
        size_t length = strlen(values[k].as.text) + 1;
        copy[k].as.text = memcpy(at, values[k].as.text, length);
        at += length;
    }
    return copy;
}

/* Room for one more in both lists. */
static bool grow(eb_pending *p)
{
    if (p->count == p->capacity) {
        size_t wanted = p->capacity ? 2 * p->capacity : 64;
        eb_pending_write *grown = realloc(p->write, wanted * sizeof *grown);
        if (!grown)
            return false;
        p->write = grown;
        p->capacity = wanted;
    }
    if (p->numbers == p->number_capacity) {
        size_t wanted = p->number_capacity ? 2 * p->number_capacity : 64;
        int64_t *grown = realloc(p->number, wanted * sizeof *grown);
        if (!grown)
            return false;
        p->number = grown;
        p->number_capacity = wanted;
    }
    return true;
}

eb_code eb_pending_add(eb_store *store, const char *find, const char *text, const eb_value *values, size_t count,
                       int64_t *id, eb_status *status)
{
    eb_pending *p = &store->pending;
    eb_pending_write one = {.find = find, .text = text, .count = count};
    one.values = copy_values(values, count, &one.bytes);
    if (!one.values || !grow(p)) {
        free(one.values);
        return eb_fail_memory(status, "what waits for the session log", one.bytes);
    }
    if (p->bytes + one.bytes > EB_PENDING_BYTES) {
        free(one.values);
        return eb_fail(status, EB_LOG,
                       "%s: another process keeps the session log locked, and more waits for it than %zu MiB",
                       store->path, EB_PENDING_BYTES >> 20);
    }
    if (id) {
        one.stand_in = *id = EB_STAND_IN + (int64_t)p->numbers;
        p->number[p->numbers++] = 0;
    }
    p->bytes += one.bytes;
    p->write[p->count++] = one;
    return EB_OK;
}

void eb_pending_cut(eb_pending *p, size_t count)
{
    while (p->count > count) {
        p->bytes -= p->write[--p->count].bytes;
        free(p->write[p->count].values);
    }
}

void eb_pending_free(eb_pending *p)
{
    eb_pending_cut(p, 0);
    free(p->write);
    free(p->number);
    *p = (eb_pending){0};
}

/* ---- making them ---- */

static eb_code make(eb_store *store, const eb_pending_write *one, eb_status *status)
{
    int64_t number = 0;
    eb_code failed = one->find ? eb_find_or_add(store, one->find, one->text, one->values, one->count, &number, status)
                               : eb_sql_run(store, one->text, one->values, one->count, &number, status);
    if (!failed && one->stand_in)
        store->pending.number[one->stand_in - EB_STAND_IN] = number;
    return failed;
}

/* A row that was not written has no number. */
static void forget_numbers(eb_pending *p)
{
    for (size_t k = 0; k < p->count; k++)
        if (p->write[k].stand_in)
            p->number[p->write[k].stand_in - EB_STAND_IN] = 0;
}

eb_code eb_store_catch_up(eb_store *store, unsigned wait_ms, bool *written, eb_status *status)
{
    eb_pending *p = &store->pending;
    const unsigned usual_ms = store->wait_ms;
    *written = false;
    if (!p->waits)
        return EB_OK;
    store->wait_ms = wait_ms;
    p->waits = false; /* from here on statements are run */
    eb_code failed = eb_sql_begin(store, status);
    if (!failed && !p->waits) {
        for (size_t k = 0; k < p->count && !failed; k++)
            failed = make(store, &p->write[k], status);
        failed = eb_sql_end(store, failed, status);
        if (failed)
            forget_numbers(p);
    }
    store->wait_ms = usual_ms;
    *written = !failed && !p->waits;
    p->waits = !*written;
    p->recording = false;
    if (*written) {
        eb_pending_cut(p, 0);
        p->runs = 0;
    }
    return failed;
}

bool eb_store_waits(const eb_store *store, size_t *runs, size_t *writes)
{
    *runs = store->pending.runs;
    *writes = store->pending.count;
    return store->pending.waits;
}

int64_t eb_store_number(const eb_store *store, int64_t id)
{
    int64_t number = eb_pending_number(&store->pending, id);
    return number >= EB_STAND_IN ? 0 : number;
}
