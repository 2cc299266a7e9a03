#include "draw/lists/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/lookup.h"

enum { SHOWN = 60 }; /* bytes of an unknown name in a message */

const char *eb_column_called(const eb_column *column)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    return column->title && strspn(column->title, letters) == strlen(column->title) ? column->title : column->key;
}

static bool is_called(const char *text, const char *name, size_t length)
{
    return text && strlen(text) == length && strncasecmp(text, name, length) == 0;
}

/* Columns that people see come first: by key, then by title. `engine` is the title of the column spec, which stands
 * where programs also get a column engine. */
static bool find(eb_column_set set, const char *name, size_t length, size_t *column)
{
    enum { SEEN_KEY, SEEN_TITLE, ANY_KEY, WAYS };
    for (int way = 0; way < WAYS; way++)
        for (*column = 0; *column < set.count; ++*column) {
            const eb_column *c = &set.column[*column];
            if (is_called(way == SEEN_TITLE ? c->title : c->key, name, length) && (c->title || way == ANY_KEY))
                return true;
        }
    return false;
}

/* Names for the near miss: all keys, then the names that people are told. */
static const char *name_at(const void *context, size_t index)
{
    const eb_column_set *set = context;
    return index < set->count ? set->column[index].key : eb_column_called(&set->column[index - set->count]);
}

static bool is_named_before(eb_column_set set, size_t column)
{
    for (size_t k = 0; k < column; k++)
        if (strcmp(set.column[k].key, set.column[column].key) == 0 ||
            strcmp(eb_column_called(&set.column[k]), eb_column_called(&set.column[column])) == 0)
            return true;
    return false;
}

/* Writes "a, b, c", each name once; the last is "…" where the buffer is too small. */
static void list_names(eb_column_set set, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t k = 0; k < set.count; k++) {
        if (is_named_before(set, k))
            continue;
        const int written =
            snprintf(buffer + used, size - used, "%s%s", used > 0 ? ", " : "", eb_column_called(&set.column[k]));
        if (written < 0 || used + (size_t)written + sizeof ", …" > size) {
            (void)snprintf(buffer + used, size - used, ", …");
            return;
        }
        used += (size_t)written;
    }
}

eb_code eb_column_find(eb_column_set set, const char *name, size_t length, size_t *column, eb_status *status)
{
    if (find(set, name, length, column))
        return EB_OK;
    char there[520];
    const eb_names names = {"column", 2 * set.count, name_at, &set, NULL};
    const char *near = eb_nearest_name(&names, name, length);
    list_names(set, there, sizeof there);
    if (near)
        return eb_fail(status, EB_USAGE, "no column `%.*s`; did you mean %s? There are: %s",
                       (int)(length < SHOWN ? length : SHOWN), name, near, there);
    return eb_fail(status, EB_USAGE, "no column `%.*s`; there are: %s", (int)(length < SHOWN ? length : SHOWN), name,
                   there);
}

/* ---- lists ---- */

static bool is_sign(const char *at, bool signs) { return signs && *at == '-' && at[1] && !strchr(", ", at[1]); }

/* Takes the next name: all up to a comma if that names a column, else the next word. */
static const char *next_name(eb_column_set set, bool signs, const char **at, size_t *length)
{
    size_t column;
    const char *name = *at + strspn(*at, ", ");
    const size_t sign = is_sign(name, signs);
    *length = strcspn(name, ",");
    while (*length > 0 && name[*length - 1] == ' ')
        --*length;
    if (*length <= sign || !find(set, name + sign, *length - sign, &column))
        *length = strcspn(name, ", ");
    *at = name + *length;
    return *length > 0 ? name : NULL;
}

static bool has(const eb_named_column *named, size_t count, size_t column)
{
    for (size_t k = 0; k < count; k++)
        if (named[k].column == column)
            return true;
    return false;
}

static eb_code read(eb_column_set set, const char *list, bool signs, eb_named_column *named, size_t *count,
                    eb_status *status)
{
    size_t length, column;
    for (const char *name; (name = next_name(set, signs, &list, &length)) != NULL;) {
        const size_t sign = is_sign(name, signs);
        EB_TRY(eb_column_find(set, name + sign, length - sign, &column, status));
        if (!has(named, *count, column))
            named[(*count)++] = (eb_named_column){column, sign > 0};
    }
    if (*count > 0)
        return EB_OK;
    char there[520];
    list_names(set, there, sizeof there);
    return eb_fail(status, EB_USAGE, "expected a column; there are: %s", there);
}

eb_code eb_columns_read(eb_column_set set, const char *list, bool signs, eb_named_column **out, size_t *count,
                        eb_status *status)
{
    *count = 0;
    *out = calloc(set.count + 1, sizeof **out);
    eb_code failed = *out ? read(set, list, signs, *out, count, status)
                          : eb_fail_memory(status, "a list of columns", set.count * sizeof **out);
    if (failed) {
        free(*out);
        *out = NULL;
    }
    return failed;
}
