/* jsonl: reads JSON lines as FP64: each line is an array of numbers, or an object with a key that holds one. The first
 * line decides which, and decides d. bytes->object names the key; without a name the only key of the first line that
 * holds an array of numbers is taken, and the remark names it. Empty lines and lines that begin with '#' are skipped.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "io/bytes.h"
#include "io/csv/cells.h"
#include "io/reader.h"

#define MAX_LINE ((size_t)16 << 20)
enum { LISTED = 200 };

typedef struct text {
    const eb_bytes *bytes;
    eb_lines lines;
    char *key; /* of each object; NULL: each line is an array */
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

/* Returns the line's value in *out. The caller releases it. */
static eb_code parse_line(const text *t, eb_piece line, json_t **out, eb_status *status)
{
    json_error_t error;
    size_t length = eb_piece_length(line);
    if (length > MAX_LINE)
        return eb_fail(status, EB_TOO_LARGE, "%s: line %zu: a line of %zu bytes; at most %zu are supported",
                       t->bytes->name, t->lines.line, length, MAX_LINE);
    *out = json_loadb(line.begin, length, JSON_DECODE_INT_AS_REAL | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
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

/* Lists the keys of an object that hold arrays of numbers. *first: the first of them; NULL: none. */
static size_t list_keys(json_t *object, char listed[LISTED], const char **first)
{
    const char *key;
    json_t *value;
    size_t found = 0;
    *first = NULL;
    listed[0] = 0;
    json_object_foreach(object, key, value)
    {
        if (!is_array_of_numbers(value))
            continue;
        eb_list_name(listed, LISTED, key);
        *first = found++ ? *first : key;
    }
    return found;
}

/* Chooses the only key of an object that holds an array of numbers. */
static eb_code choose_key(text *t, json_t *object, eb_status *status)
{
    char listed[LISTED], sample[256];
    const char *first;
    size_t found = list_keys(object, listed, &first);
    if (!first)
        return eb_fail(status, EB_BAD_FORMAT, "%s: line %zu: expected a key that holds an array of numbers, found none",
                       t->bytes->name, t->lines.line);
    (void)snprintf(sample, sizeof sample, "%s", first);
    eb_make_printable(sample);
    if (found > 1)
        return eb_fail(status, EB_BAD_FORMAT,
                       "%s: line %zu: expected one key that holds an array of numbers, found %zu: %s; name one, as in "
                       "load \"%s:/%s\"",
                       t->bytes->name, t->lines.line, found, listed, t->bytes->name, sample);
    (void)snprintf(t->remark, sizeof t->remark, "the points are the arrays of the key %.100s", sample);
    t->key = strdup(first);
    return t->key ? EB_OK : eb_fail_memory(status, t->bytes->name, strlen(first));
}

/* Decides where the numbers of each line are. */
static eb_code choose_source(text *t, json_t *line, eb_status *status)
{
    const char *object = t->bytes->object, *first;
    char listed[LISTED];
    if (!object)
        return json_is_object(line) ? choose_key(t, line, status) : EB_OK;
    object += *object == '/';
    if (json_is_object(line) && !json_object_get(line, object)) {
        (void)list_keys(line, listed, &first);
        return eb_fail(status, EB_BAD_FORMAT, "%s: line %zu: no key %.100s; keys that hold arrays of numbers: %s",
                       t->bytes->name, t->lines.line, object, first ? listed : "none");
    }
    t->key = strdup(object);
    return t->key ? EB_OK : eb_fail_memory(status, t->bytes->name, strlen(object));
}

/* ---- rows ---- */

/* Finds the array of numbers of a line. */
static eb_code find_array(const text *t, json_t *line, json_t **out, eb_status *status)
{
    char shown[EB_SHOWN_SIZE];
    *out = line;
    if (!t->key) {
        return json_is_array(line) ? EB_OK
                                   : eb_fail(status, EB_BAD_FORMAT, "%s: line %zu: expected an array, found %s",
                                             t->bytes->name, t->lines.line, kind_of(line));
    }
    (void)eb_show_bytes(shown, t->key, strlen(t->key));
    if (!json_is_object(line))
        return eb_fail(status, EB_BAD_FORMAT, "%s: line %zu: expected an object with the key %s, found %s",
                       t->bytes->name, t->lines.line, shown, kind_of(line));
    *out = json_object_get(line, t->key);
    if (!json_is_array(*out))
        return eb_fail(status, EB_BAD_FORMAT, "%s: line %zu: expected an array in the key %s, found %s", t->bytes->name,
                       t->lines.line, shown, kind_of(*out));
    return EB_OK;
}

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

static eb_code read_value(text *t, json_t *value, eb_status *status)
{
    json_t *array;
    if (t->n == 0)
        EB_TRY(choose_source(t, value, status));
    EB_TRY(find_array(t, value, &array, status));
    return add_row(t, array, status);
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
    free(t.key);
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
    eb_code failed = found ? read_line(&t, line, status)
                           : eb_fail(status, EB_BAD_FORMAT, "%s: offset %zu: expected lines of JSON, found the end",
                                     bytes->name, bytes->size);
    if (!failed)
        *out = (eb_points){.d = t.d, .dtype = EB_F64};
    free(t.key);
    free(t.values);
    return failed;
}
