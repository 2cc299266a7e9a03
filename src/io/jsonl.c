/* jsonl: reads JSON lines as FP64: each line is an array of numbers, or an object with a key that holds one. The first
 * line decides which, and decides d. bytes->object names the key; without a name the only key of the first line that
 * holds an array of numbers is taken, and the remark names it. A key inside another is OUTER/INNER. An array of arrays
 * or objects, as in "data" of OpenAI's answers, has a row in each element. Empty lines and lines that begin with '#'
 * are skipped. If the first line is not a whole value, the whole text is read as one. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "io/bytes.h"
#include "io/csv/cells.h"
#include "io/load_line.h"
#include "io/reader.h"

#define MAX_LINE ((size_t)16 << 20)
#define MAX_WHOLE ((size_t)1 << 30)
#define JSON_FLAGS (JSON_DECODE_INT_AS_REAL | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL)
enum { LISTED = 200, MOST_NESTED = 8 };

typedef struct text {
    const eb_bytes *bytes;
    eb_lines lines;
    char key[1024]; /* of each object, OUTER/INNER; "": each line is an array */
    size_t n, d;
    double *values; /* [n × d] */
    size_t room;    /* rows that fit into values */
    char remark[160];
} text;

static const char *kind_of(const json_t *value)
{
    static const char *const kinds[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "a string", [JSON_INTEGER] = "a number",
        [JSON_REAL] = "a number",    [JSON_TRUE] = "true",      [JSON_FALSE] = "false",     [JSON_NULL] = "null"};
    return value ? kinds[json_typeof(value)] : "nothing";
}

/* The whole text from the first line on as one value, whose lines are then taken; NULL: it is none. */
static json_t *parse_whole(text *t, eb_piece first)
{
    const size_t length = (size_t)(t->lines.end - first.begin);
    const bool begins = first.begin < first.end && (*first.begin == '[' || *first.begin == '{');
    json_t *whole = begins && length <= MAX_WHOLE ? json_loadb(first.begin, length, JSON_FLAGS, NULL) : NULL;
    if (whole)
        t->lines.at = t->lines.end;
    return whole;
}

/* Returns the line's value in *out. The caller releases it. */
static eb_code parse_line(text *t, eb_piece line, json_t **out, eb_status *status)
{
    json_error_t error;
    size_t length = eb_piece_length(line);
    if (length > MAX_LINE)
        return eb_fail(status, EB_TOO_LARGE, "%s: line %zu: a line of %zu bytes; at most %zu are supported",
                       t->bytes->name, t->lines.line, length, MAX_LINE);
    *out = json_loadb(line.begin, length, JSON_FLAGS, &error);
    if (!*out && t->n == 0)
        *out = parse_whole(t, line);
    if (*out)
        return EB_OK;
    eb_make_printable(error.text);
    return eb_fail(status, EB_BAD_FORMAT,
                   "%s: line %zu, column %d: expected a JSON array or object of finite numbers; found: %s",
                   t->bytes->name, t->lines.line, error.column, error.text);
}

/* ---- the first line ---- */

static bool is_array_of_numbers(const json_t *value)
{
    size_t count = json_array_size(value);
    for (size_t k = 0; k < count; k++)
        if (!json_is_number(json_array_get(value, k)))
            return false;
    return count > 0;
}

/* An array of rows or of objects that hold them. */
static bool is_nest(const json_t *value)
{
    const json_t *first = json_array_get(value, 0);
    return json_is_array(first) || json_is_object(first);
}

/* The keys that hold arrays of numbers. */
typedef struct search {
    size_t found, most;                /* their number; the length of the longest array */
    char listed[LISTED], longest[256]; /* their names; the one with the longest array */
} search;

static void list_keys(json_t *value, const char *path, int nested, search *s)
{
    const char *key;
    json_t *inside;
    if (is_nest(value))
        value = json_array_get(value, 0);
    if (path[0] && is_array_of_numbers(value)) {
        s->found++;
        eb_list_name(s->listed, LISTED, path);
        if (json_array_size(value) > s->most)
            (void)snprintf(s->longest, sizeof s->longest, "%s", path);
        s->most = json_array_size(value) > s->most ? json_array_size(value) : s->most;
    }
    if (!json_is_object(value) || nested == MOST_NESTED)
        return;
    json_object_foreach(value, key, inside)
    {
        char inner[sizeof s->longest];
        int length = snprintf(inner, sizeof inner, "%s%s%s", path, path[0] ? "/" : "", key);
        if (length > 0 && (size_t)length < sizeof inner)
            list_keys(inside, inner, nested + 1, s);
    }
}

/* Chooses the only key of an object that holds an array of numbers. */
static eb_code choose_key(text *t, json_t *object, eb_status *status)
{
    char sample[256], advice[EB_ADVICE];
    search s = {.found = 0};
    list_keys(object, "", 0, &s);
    if (s.found == 0)
        return eb_fail(status, EB_BAD_FORMAT, "%s: line %zu: expected a key that holds an array of numbers, found none",
                       t->bytes->name, t->lines.line);
    if (s.found > 1)
        return eb_fail(status, EB_BAD_FORMAT,
                       "%s: line %zu: expected one key that holds an array of numbers, found %zu: %s%s", t->bytes->name,
                       t->lines.line, s.found, s.listed, eb_advise_object(advice, t->bytes, s.longest));
    (void)snprintf(sample, sizeof sample, "%s", s.longest);
    eb_make_printable(sample);
    (void)snprintf(t->remark, sizeof t->remark, "the points are the arrays of the key %.100s", sample);
    (void)snprintf(t->key, sizeof t->key, "%s", s.longest);
    return EB_OK;
}

/* The value of the longest key that `path` begins with. *rest: the path behind it; "" at its end. NULL: no such key. */
static json_t *step_into(const json_t *object, const char *path, const char **rest)
{
    char key[256];
    size_t length = strlen(path);
    json_t *inside = NULL;
    while (!inside && length > 0) {
        if (length < sizeof key) {
            (void)snprintf(key, sizeof key, "%.*s", (int)length, path);
            inside = json_object_get(object, key);
            *rest = path + length + (path[length] == '/');
        }
        const char *slash = memrchr(path, '/', length);
        length = slash ? (size_t)(slash - path) : 0;
    }
    return inside;
}

static bool has_key(const json_t *value, const char *path)
{
    while (value && *path) {
        if (is_nest(value))
            value = json_array_get(value, 0);
        value = step_into(value, path, &path);
    }
    return value;
}

/* Decides where the numbers of each line are. */
static eb_code choose_source(text *t, json_t *line, eb_status *status)
{
    const char *object = t->bytes->object;
    char advice[EB_ADVICE];
    const bool has_objects = json_is_object(line) || json_is_object(json_array_get(line, 0));
    if (!object)
        return has_objects ? choose_key(t, line, status) : EB_OK;
    object += *object == '/';
    if (has_objects && !has_key(line, object)) {
        search s = {.found = 0};
        list_keys(line, "", 0, &s);
        return eb_fail(status, EB_BAD_FORMAT, "%s: line %zu: no key %.100s; keys that hold arrays of numbers: %s%s",
                       t->bytes->name, t->lines.line, object, s.found ? s.listed : "none",
                       eb_advise_object(advice, t->bytes, s.longest));
    }
    if ((size_t)snprintf(t->key, sizeof t->key, "%s", object) < sizeof t->key)
        return EB_OK;
    return eb_fail(status, EB_TOO_LARGE, "%s: a key of %zu bytes; at most %zu are supported", t->bytes->name,
                   strlen(object), sizeof t->key - 1);
}

/* ---- rows ---- */

static eb_code add_row(text *t, const json_t *array, eb_status *status)
{
    size_t count = json_array_size(array);
    if (t->n == 0) {
        if (count == 0)
            return eb_fail(status, EB_BAD_FORMAT, "%s: line %zu: expected numbers, found an empty array",
                           t->bytes->name, t->lines.line);
        t->d = count;
    }
    if (count != t->d)
        return eb_fail(status, EB_BAD_FORMAT, "%s: line %zu: expected %zu numbers as in the first line, found %zu",
                       t->bytes->name, t->lines.line, t->d, count);
    EB_TRY(eb_dataset_check_shape(t->bytes->name, (unsigned long long)t->n + 1, t->d, EB_F64, status));
    if (!eb_array_grow(&t->values, t->n, &t->room, t->d * sizeof *t->values, 16))
        return eb_fail_memory(status, t->bytes->name, 2ull * t->n * t->d * sizeof *t->values);
    double *row = t->values + t->n * t->d;
    for (size_t k = 0; k < count; k++) {
        const json_t *number = json_array_get(array, k);
        if (!json_is_number(number))
            return eb_fail(status, EB_BAD_FORMAT, "%s: line %zu, value %zu: expected a number, found %s",
                           t->bytes->name, t->lines.line, k, kind_of(number));
        row[k] = json_number_value(number);
    }
    t->n++;
    return EB_OK;
}

/* Adds the rows that are found in the value along the path, the rest of t->key. */
static eb_code add_rows(text *t, json_t *value, const char *path, eb_status *status)
{
    char shown[EB_SHOWN_SIZE];
    const char *name = t->bytes->name, *rest;
    if (is_nest(value)) {
        for (size_t k = 0; k < json_array_size(value); k++)
            EB_TRY(add_rows(t, json_array_get(value, k), path, status));
        return EB_OK;
    }
    if (!*path && json_is_array(value))
        return add_row(t, value, status);
    if (!t->key[0])
        return eb_fail(status, EB_BAD_FORMAT, "%s: line %zu: expected an array, found %s", name, t->lines.line,
                       kind_of(value));
    (void)eb_show_bytes(shown, t->key, strlen(t->key));
    if (*path && !json_is_object(value))
        return eb_fail(status, EB_BAD_FORMAT, "%s: line %zu: expected an object with the key %s, found %s", name,
                       t->lines.line, shown, kind_of(value));
    json_t *inside = *path ? step_into(value, path, &rest) : NULL;
    if (!inside)
        return eb_fail(status, EB_BAD_FORMAT, "%s: line %zu: expected an array in the key %s, found %s", name,
                       t->lines.line, shown, kind_of(*path ? NULL : value));
    return add_rows(t, inside, rest, status);
}

static eb_code read_value(text *t, json_t *value, eb_status *status)
{
    if (t->n == 0)
        EB_TRY(choose_source(t, value, status));
    return add_rows(t, value, t->key, status);
}

static eb_code read_line(text *t, eb_piece line, eb_status *status)
{
    json_t *value;
    EB_TRY(parse_line(t, line, &value, status));
    eb_code failed = read_value(t, value, status);
    json_decref(value);
    return failed;
}

static eb_code read_lines(text *t, eb_status *status)
{
    eb_piece line;
    while (eb_take_line(&t->lines, &line)) {
        if (t->n % 64 == 0)
            EB_TRY(eb_job_check(t->bytes->job, status));
        EB_TRY(read_line(t, line, status));
    }
    if (t->n == 0)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset %zu: expected lines of JSON, found the end", t->bytes->name,
                       t->bytes->size);
    return EB_OK;
}

/* Starts behind a byte order mark. */
static text begin(const eb_bytes *bytes, size_t size)
{
    const char *at = (const char *)bytes->data;
    bool marked = size >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0;
    return (text){.bytes = bytes, .lines = {.at = at + (marked ? 3 : 0), .end = at + size}};
}

eb_code eb_read_jsonl(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    text t = begin(bytes, bytes->size);
    eb_code failed = read_lines(&t, status);
    if (failed) {
        free(t.values);
        return failed;
    }
    /* Shrinks to the used size; if that fails, the larger block stays. */
    double *exact = realloc(t.values, t.n * t.d * sizeof *exact);
    if (exact)
        t.values = exact;
    *out = (eb_points){.n = t.n,
                       .d = t.d,
                       .dtype = EB_F64,
                       .rows = (unsigned char *)t.values,
                       .stride = t.d * sizeof *t.values,
                       .owned = t.values};
    memcpy(out->remark, t.remark, sizeof t.remark);
    return EB_OK;
}

/* True if the first line is the beginning of a value that goes on below, as printed with indents. */
static bool goes_on(const text *t, eb_piece line)
{
    json_t *whole = json_loadb(line.begin, eb_piece_length(line), JSON_FLAGS, NULL);
    json_decref(whole);
    return !whole && eb_piece_length(line) <= 2 && strchr("[{", *line.begin) && t->lines.at < t->lines.end;
}

/* Only the first line is read: the format has no header. */
eb_code eb_shape_jsonl(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    size_t size = bytes->size < EB_BEGINNING ? bytes->size : EB_BEGINNING;
    text t = begin(bytes, size);
    eb_piece line;
    *out = (eb_points){.n = 0};
    bool found = eb_take_line(&t.lines, &line);
    if ((!found || t.lines.at[-1] != '\n') && (bytes->beginning || size < bytes->size))
        return !bytes->beginning || size < EB_BEGINNING
                   ? EB_OK
                   : eb_fail(status, EB_BAD_FORMAT, "%s: offset 0: expected lines of JSON, found none in %zu bytes",
                             bytes->name, EB_BEGINNING);
    if (!found)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset %zu: expected lines of JSON, found the end", bytes->name,
                       bytes->size);
    eb_code failed = goes_on(&t, line) ? EB_OK : read_line(&t, line, status);
    if (!failed)
        *out = (eb_points){.d = t.d, .dtype = EB_F64};
    free(t.values);
    return failed;
}
