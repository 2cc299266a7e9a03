#include "io/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/bytes.h"

typedef struct chooser {
    const eb_bytes *bytes;
    char *const *names;
    const char *key; /* "columns" or "label": for messages */
    eb_columns *out;
} chooser;

static void list_names(const chooser *c, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = 0;
    for (size_t k = 0; c->names && k < c->out->count; k++) {
        char shown[EB_SHOWN_SIZE];
        size_t length = strlen(c->names[k]);
        const char *name = length ? eb_show_bytes(shown, c->names[k], length) : "\"\"";
        if (size - used < strlen(name) + 8) {
            (void)snprintf(buffer + used, size - used, ", …");
            return;
        }
        used += (size_t)snprintf(buffer + used, size - used, "%s%s", k ? ", " : "", name);
    }
}

static eb_code fail_unknown(const chooser *c, const char *text, size_t length, eb_status *status)
{
    char shown[EB_SHOWN_SIZE], listed[240];
    list_names(c, listed, sizeof listed);
    return eb_fail(status, EB_USAGE, "%s: %s= names %s; there are columns 0 to %zu%s%s", c->bytes->name, c->key,
                   eb_show_bytes(shown, text, length), c->out->count - 1, c->names ? ", called " : ", without names",
                   listed);
}

/* Finds one column, first by its name, then by its number. */
static bool find_column(const chooser *c, const char *text, size_t length, size_t *out)
{
    for (size_t k = 0; c->names && k < c->out->count; k++)
        if (strlen(c->names[k]) == length && memcmp(c->names[k], text, length) == 0) {
            *out = k;
            return true;
        }
    uint64_t number;
    if (!eb_read_digits(text, length, &number) || number >= c->out->count)
        return false;
    *out = (size_t)number;
    return true;
}

static eb_code take_column(const chooser *c, size_t column, eb_status *status)
{
    if (c->out->coordinate[column] != EB_NO_COLUMN)
        return eb_fail(status, EB_USAGE, "%s: columns= names column %zu twice; expected each once", c->bytes->name,
                       column);
    c->out->coordinate[column] = (uint32_t)c->out->d++;
    return EB_OK;
}

/* Takes NAME or NAME..NAME. */
static eb_code take_item(const chooser *c, const char *item, size_t length, eb_status *status)
{
    size_t first, last;
    if (find_column(c, item, length, &first))
        return take_column(c, first, status);
    const char *dots = memmem(item, length, "..", 2);
    if (!dots || !find_column(c, item, (size_t)(dots - item), &first))
        return fail_unknown(c, item, dots ? (size_t)(dots - item) : length, status);
    if (!find_column(c, dots + 2, (size_t)(item + length - dots - 2), &last))
        return fail_unknown(c, dots + 2, (size_t)(item + length - dots - 2), status);
    if (last < first)
        return eb_fail(status, EB_USAGE, "%s: columns= names %.*s; expected the first of these before the last",
                       c->bytes->name, (int)(length < 100 ? length : 100), item);
    for (size_t k = first; k <= last; k++)
        EB_TRY(take_column(c, k, status));
    return EB_OK;
}

static eb_code take_list(const chooser *c, const char *list, eb_status *status)
{
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",");
        EB_TRY(take_item(c, at, length, status));
        at += length;
        if (!*at)
            return EB_OK;
    }
}

static eb_code choose(chooser *c, eb_status *status)
{
    const eb_reading *how = &c->bytes->how;
    eb_columns *out = c->out;
    if (how->label) {
        c->key = "label";
        if (!find_column(c, how->label, strlen(how->label), &out->label))
            return fail_unknown(c, how->label, strlen(how->label), status);
    }
    c->key = "columns";
    if (how->columns)
        return take_list(c, how->columns, status);
    for (size_t k = 0; k < out->count; k++)
        if (k != out->label)
            out->coordinate[k] = (uint32_t)out->d++;
    return EB_OK;
}

eb_code eb_columns_choose(const eb_bytes *bytes, size_t count, char *const *names, eb_columns *out, eb_status *status)
{
    *out = (eb_columns){.count = count, .label = SIZE_MAX};
    out->coordinate = calloc(count + 1, sizeof *out->coordinate);
    if (!out->coordinate)
        return eb_fail_memory(status, bytes->name, count * sizeof *out->coordinate);
    for (size_t k = 0; k < count; k++)
        out->coordinate[k] = EB_NO_COLUMN;
    chooser c = {.bytes = bytes, .names = names, .out = out};
    eb_code failed = choose(&c, status);
    if (!failed && out->d == 0)
        failed = eb_fail(status, EB_USAGE, "%s: no column is left to be a coordinate beside the label", bytes->name);
    if (failed)
        eb_columns_free(out);
    return failed;
}

void eb_columns_free(eb_columns *columns)
{
    free(columns->coordinate);
    *columns = (eb_columns){.label = SIZE_MAX};
}

/* A value of only digits, dots and commas may consist of numbers; any other character means a name. */
bool eb_columns_are_named(const eb_reading *how)
{
    static const char numbers[] = "0123456789,.";
    return (how->columns && how->columns[strspn(how->columns, numbers)]) ||
           (how->label && how->label[strspn(how->label, numbers)]);
}

char *eb_columns_words(char *buffer, size_t size, const bool *wanted, size_t count)
{
    size_t used = 0;
    buffer[0] = 0;
    for (size_t k = 0; k < count; k++) {
        size_t first = k;
        if (!wanted[k])
            continue;
        while (k + 1 < count && wanted[k + 1])
            k++;
        if (size - used < 48) {
            (void)snprintf(buffer + used, size - used, ",…");
            return buffer;
        }
        used += (size_t)snprintf(buffer + used, size - used, "%s%zu", used ? "," : "", first);
        if (k > first)
            used += (size_t)snprintf(buffer + used, size - used, "..%zu", k);
    }
    return buffer;
}

bool eb_is_missing(const char *text, size_t length)
{
    static const char *const signs[] = {"", "na", "n/a", "#n/a", "nan", "null", "none", "?", "-", "."};
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++)
        if (strlen(signs[k]) == length && strncasecmp(signs[k], text, length) == 0)
            return true;
    return false;
}

bool eb_is_plain_name(const char *name)
{
    for (const char *p = name; *p; p++)
        if (!strchr("_-+%/()", *p) && ((unsigned)(*p | 32) - 'a' >= 26u) && ((unsigned)*p - '0' >= 10u))
            return false;
    return *name && strlen(name) <= 40;
}
