#include "io/columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/lookup.h"
#include "io/bytes.h"
#include "io/load_line.h"

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

static const char *name_at(const void *names, size_t index) { return ((char *const *)names)[index]; }

/* The column whose name is nearest to the text, regardless of case; the number of columns if none is near. */
static size_t nearest_column(const chooser *c, const char *text, size_t length)
{
    size_t k = 0, count = c->names ? c->out->count : 0;
    const eb_names names = {.what = "column", .count = count, .at = name_at, .context = (const void *)c->names};
    while (k < count && !(strlen(c->names[k]) == length && strncasecmp(c->names[k], text, length) == 0))
        k++;
    const char *near = k < count ? NULL : eb_nearest_name(&names, text, length);
    for (size_t i = 0; near && i < count; i++)
        k = k == count && c->names[i] == near ? i : k;
    return k < count ? k : c->out->count;
}

/* Writes "; did you mean `load FILE columns=…`?" if a column has nearly the name `text`, a part of the choice. */
static void advise_on_name(const chooser *c, const char *text, size_t length, char advice[EB_ADVICE])
{
    char line[EB_ADVICE - 32], number[24], *choice = NULL;
    const bool is_label = strcmp(c->key, "label") == 0;
    eb_reading how = c->bytes->how;
    const char *whole = is_label ? how.label : how.columns;
    const size_t k = nearest_column(c, text, length);
    if (k == c->out->count || c->bytes->brief ||
        asprintf(&choice, "%.*s%s%s", (int)(text - whole), whole, eb_column_word(c->names, k, number, sizeof number),
                 text + length) < 0)
        return;
    *(is_label ? &how.label : &how.columns) = choice;
    (void)snprintf(advice, EB_ADVICE, "; did you mean %s?", eb_line_to_type(line, sizeof line, c->bytes->path, &how));
    free(choice);
}

static eb_code fail_unknown(const chooser *c, const char *text, size_t length, eb_status *status)
{
    char shown[EB_SHOWN_SIZE], listed[240], advice[EB_ADVICE] = "";
    list_names(c, listed, sizeof listed);
    advise_on_name(c, text, length, advice);
    return eb_fail(status, EB_USAGE, "%s: %s= names %s; there are columns 0 to %zu%s%s%s", c->bytes->name, c->key,
                   eb_show_bytes(shown, text, length), c->out->count - 1, c->names ? ", called " : ", without names",
                   listed, advice);
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

const char *eb_column_word(char *const *names, size_t column, char *buffer, size_t size)
{
    if (names && eb_is_plain_name(names[column]))
        return names[column];
    (void)snprintf(buffer, size, "%zu", column);
    return buffer;
}

/* ---- remarks ---- */

bool eb_is_id(const char *name)
{
    static const char *const ids[] = {"", "id", "name", "label", "index", "unnamed: 0", "rownames"};
    for (size_t k = 0; k < sizeof ids / sizeof *ids; k++)
        if (strcasecmp(name, ids[k]) == 0)
            return true;
    return false;
}

void eb_add_remark(char *out, size_t size, const char *line)
{
    size_t used = strlen(out);
    if (used + strlen(line) + 2 <= size)
        (void)snprintf(out + used, size - used, "%s%s", used ? "\n" : "", line);
}

/* True if all values of coordinate c lie within ±most. */
static bool is_within(const eb_points *points, size_t c, double most)
{
    double x = 0;
    for (size_t i = 0; i < points->n && fabs(x) <= most; i++)
        eb_to_f64(points->dtype, points->rows + i * points->stride + c * eb_dtype_size(points->dtype), 1, &x);
    return fabs(x) <= most;
}

/* True if a coordinate has one of the names, and only values within ±most. */
static bool has_degrees(const eb_columns *columns, char *const *names, const eb_points *points,
                        const char *const *wanted, double most)
{
    for (size_t k = 0; k < columns->count; k++)
        for (const char *const *name = wanted; *name; name++)
            if (columns->coordinate[k] != EB_NO_COLUMN && strcasecmp(names[k], *name) == 0 &&
                is_within(points, columns->coordinate[k], most))
                return true;
    return false;
}

/* Sets columns= to all coordinates but column k. list: room for its text. */
static void leave_out(const eb_columns *columns, size_t k, char *list, size_t size, eb_reading *how)
{
    bool *wanted = calloc(columns->count, sizeof *wanted);
    for (size_t c = 0; wanted && c < columns->count; c++)
        wanted[c] = c != k && columns->coordinate[c] != EB_NO_COLUMN;
    how->columns = wanted ? eb_columns_words(list, size, wanted, columns->count) : NULL;
    free(wanted);
}

/* Remarks on the first column that looks like an id and is a coordinate only because columns= was not given. */
static void remark_id(const eb_bytes *bytes, const eb_columns *columns, char *const *names, char *out, size_t size)
{
    char number[24], list[64], typed[120], line[256];
    eb_reading how = bytes->how;
    size_t k = 0;
    while (k < columns->count && !(columns->coordinate[k] != EB_NO_COLUMN && eb_is_id(names[k])))
        k++;
    if (how.columns || columns->d < 2 || k == columns->count)
        return;
    const char *word = eb_column_word(names, k, number, sizeof number),
               *does = how.label ? "leaves it out" : "makes it the label";
    if (how.label)
        leave_out(columns, k, list, sizeof list, &how);
    else
        how.label = word;
    (void)eb_line_to_type(typed, sizeof typed, bytes->path, &how);
    (void)snprintf(line, sizeof line, "column %s is a coordinate; %s %s", word, typed, does);
    eb_add_remark(out, size, line);
}

void eb_columns_remark(const eb_bytes *bytes, const eb_columns *columns, char *const *names, const eb_points *points,
                       char *out, size_t size)
{
    static const char *const longitude[] = {"longitude", "lon", "lng", "long", NULL}, *const latitude[] = {"latitude",
                                                                                                           "lat", NULL};
    if (!names)
        return;
    if (has_degrees(columns, names, points, longitude, 360) && has_degrees(columns, names, points, latitude, 90))
        eb_add_remark(out, size, "distances of longitude and latitude are in degrees of a plane");
    remark_id(bytes, columns, names, out, size);
}
