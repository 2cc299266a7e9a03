#include "store/pending.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

static bool is_stand_in(const eb_pending *p, int64_t id)
{
    return id >= EB_STAND_IN && (uint64_t)(id - EB_STAND_IN) < p->numbers;
}

int64_t eb_pending_number(const eb_pending *p, int64_t id)
{
    int64_t number = is_stand_in(p, id) ? p->number[id - EB_STAND_IN] : 0;
    return number > 0 ? number : id;
}

/* ---- adding and removing ---- */

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

/* Makes room for one more entry in both arrays. */
static bool grow(eb_pending *p)
{
    return eb_array_grow(&p->write, p->count, &p->capacity, sizeof *p->write, 64) &&
           eb_array_grow(&p->number, p->numbers, &p->number_capacity, sizeof *p->number, 64);
}

eb_code eb_pending_add(eb_pending *p, const char *log, const char *find, const char *text, const eb_value *values,
                       size_t count, int64_t *id, eb_status *status)
{
    eb_pending_write one = {.find = find, .text = text, .count = count};
    one.values = copy_values(values, count, &one.bytes);
    if (!one.values || !grow(p)) {
        free(one.values);
        return eb_fail_memory(status, "what waits for the session log", one.bytes);
    }
    if (p->bytes + one.bytes > EB_PENDING_BYTES) {
        free(one.values);
        return eb_fail(status, EB_LOG,
                       "%s: another process keeps the session log locked, and more than %zu MiB wait to be written",
                       log, EB_PENDING_BYTES >> 20);
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
