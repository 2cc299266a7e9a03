#include "io/parts/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/files/new_file.h"
#include "core/files/text_file.h"

#define FORMAT "epsbench-parts"
#define INDEX_BYTES ((uint64_t)64 << 20)

const char *const eb_part_array_name[EB_PART_ARRAYS] = {"indptr", "indices", "distances", "rows"};

char *eb_parts_path(const char *folder, const char *name)
{
    char *path;
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    const char *between = length > 0 && folder[length - 1] == '/' ? "" : "/";
    return asprintf(&path, "%.*s%s%s", (int)length, folder, between, name) < 0 ? NULL : path;
}

static int by_number(const void *a, const void *b)
{
    const eb_part_record *p = a, *q = b;
    return (p->number > q->number) - (p->number < q->number);
}

void eb_records_sort(eb_part_record *part, size_t parts)
{
    if (parts > 1)
        qsort(part, parts, sizeof *part, by_number);
}

/* ---- writing ---- */

static json_t *number_of(uint64_t number) { return json_integer((json_int_t)number); }

static json_t *file_json(const eb_array_file *file)
{
    return json_pack("{s:s, s:o, s:s}", "file", file->name, "bytes", number_of(file->bytes), "sha256", file->sha256);
}

json_t *eb_table_json(const eb_parts_table *t)
{
    return json_pack("{s:s, s:o, s:o, s:b, s:f, s:s, s:s, s:s, s:s}", "sha256", t->sha256, "n", number_of(t->n),
                     "others", number_of(t->others), "self", t->self, "eps", t->eps, "distances",
                     eb_distances_name(t->kept), "engine", t->engine, "options", t->options, "cut", t->cut);
}

static json_t *part_json(const eb_part_record *part)
{
    json_t *arrays = json_object();
    bool good = arrays != NULL;
    for (unsigned k = 0; k < EB_PART_ARRAYS && good; k++)
        if (part->array[k].name[0])
            good = json_object_set_new(arrays, eb_part_array_name[k], file_json(&part->array[k])) == 0;
    if (!good) {
        json_decref(arrays);
        return NULL;
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "number", number_of(part->number), "first",
                     part->listed ? json_null() : number_of(part->first), "rows", number_of(part->rows), "entries",
                     number_of(part->entries), "arrays", arrays);
}

json_t *eb_record_json(const eb_parts_table *table, const eb_part_record *part)
{
    return json_pack("{s:s, s:i, s:o, s:o}", "format", FORMAT, "version", EB_PARTS_VERSION, "table",
                     eb_table_json(table), "part", part_json(part));
}

json_t *eb_index_json(const eb_parts_index *index, const eb_facts *facts)
{
    json_t *parts = json_array(), *text;
    for (size_t k = 0; parts && k < index->parts; k++)
        if (json_array_append_new(parts, part_json(&index->part[k])) != 0) {
            json_decref(parts);
            return NULL;
        }
    text = json_pack("{s:s, s:i, s:o, s:o, s:o, s:o}", "format", FORMAT, "version", EB_PARTS_VERSION, "table",
                     eb_table_json(&index->table), "entries", number_of(index->entries), "provenance",
                     eb_facts_json(facts), "parts", parts);
    if (text && index->labels.name[0] &&
        (json_object_set_new(text, "labels", file_json(&index->labels)) != 0 ||
         json_object_set_new(text, "label_names", file_json(&index->label_names)) != 0)) {
        json_decref(text);
        return NULL;
    }
    return text;
}

eb_code eb_json_write_file(const char *path, const json_t *text, eb_status *status)
{
    eb_new_file *file;
    if (!text)
        return eb_fail_memory(status, path, 0);
    EB_TRY(eb_new_file_open(path, &file, status));
    FILE *to = eb_new_file_stream(file);
    errno = 0;
    if (json_dumpf(text, to, JSON_INDENT(1)) == 0 && fputc('\n', to) != EOF)
        return eb_new_file_commit(file, status);
    const int error = errno;
    eb_new_file_abandon(file);
    return eb_fail_writing(path, error ? error : EIO, status);
}

eb_code eb_json_write(const char *folder, const char *name, const json_t *text, eb_status *status)
{
    char *path = eb_parts_path(folder, name);
    eb_code failed = path ? eb_json_write_file(path, text, status) : eb_fail_memory(status, "a file's name", 0);
    free(path);
    return failed;
}

/* ---- reading ---- */

/* Where a text is wrong, for messages. */
typedef struct reading {
    const char *path;
    eb_status *status;
} reading;

static eb_code fail_read(const reading *r, const char *expected)
{
    return eb_fail(r->status, EB_BAD_FORMAT, "%s: expected %s as epsbench writes it; the word force replaces the table",
                   r->path, expected);
}

static eb_code take_number(const reading *r, const json_t *object, const char *key, uint64_t most, uint64_t *out)
{
    const json_t *number = json_object_get(object, key);
    json_int_t value = json_integer_value(number);
    if (!json_is_integer(number) || value < 0 || (uint64_t)value > most)
        return fail_read(r, key);
    *out = (uint64_t)value;
    return EB_OK;
}

static eb_code take_size(const reading *r, const json_t *object, const char *key, size_t most, size_t *out)
{
    uint64_t value;
    EB_TRY(take_number(r, object, key, most, &value));
    *out = (size_t)value;
    return EB_OK;
}

static eb_code take_text(const reading *r, const json_t *object, const char *key, char *out, size_t size)
{
    const char *text = json_string_value(json_object_get(object, key));
    if (!text || strlen(text) >= size)
        return fail_read(r, key);
    memcpy(out, text, strlen(text) + 1);
    return EB_OK;
}

static bool is_hash(const char *text) { return strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64; }

static eb_code take_hash(const reading *r, const json_t *object, char out[65])
{
    EB_TRY(take_text(r, object, "sha256", out, 65));
    return is_hash(out) ? EB_OK : fail_read(r, "a sha256 of 64 hexadecimal digits");
}

/* A name without a slash, so that an index never leads out of its folder. */
static eb_code take_file(const reading *r, const json_t *object, eb_array_file *out)
{
    EB_TRY(take_text(r, object, "file", out->name, sizeof out->name));
    if (!out->name[0] || out->name[0] == '.' || strchr(out->name, '/'))
        return fail_read(r, "a file's name without a folder");
    EB_TRY(take_number(r, object, "bytes", INT64_MAX, &out->bytes));
    return take_hash(r, object, out->sha256);
}

static eb_code take_table(const reading *r, const json_t *object, eb_parts_table *out)
{
    char kept[8];
    const json_t *eps = json_object_get(object, "eps"), *self = json_object_get(object, "self");
    *out = (eb_parts_table){.self = json_is_true(self), .eps = json_number_value(eps)};
    EB_TRY(take_hash(r, object, out->sha256));
    EB_TRY(take_size(r, object, "n", EB_MAX_POINTS, &out->n));
    EB_TRY(take_size(r, object, "others", EB_MAX_POINTS, &out->others));
    EB_TRY(take_text(r, object, "distances", kept, sizeof kept));
    EB_TRY(take_text(r, object, "engine", out->engine, sizeof out->engine));
    EB_TRY(take_text(r, object, "options", out->options, sizeof out->options));
    EB_TRY(take_text(r, object, "cut", out->cut, sizeof out->cut));
    out->kept = eb_distances_find(kept);
    if (strcmp(kept, eb_distances_name(out->kept)) != 0)
        return fail_read(r, "distances of none, f32 or f64");
    if (!json_is_number(eps) || !(out->eps >= 0) || !json_is_boolean(self))
        return fail_read(r, "eps and self");
    return out->n > 0 && out->others > 0 && (!out->self || out->n == out->others) ? EB_OK
                                                                                  : fail_read(r, "n and others");
}

eb_code eb_table_take(const char *path, const json_t *object, eb_parts_table *out, eb_status *status)
{
    const reading r = {path, status};
    return take_table(&r, object, out);
}

static eb_code take_arrays(const reading *r, const eb_parts_table *table, const json_t *arrays, eb_part_record *out)
{
    for (unsigned k = 0; k < EB_PART_ARRAYS; k++) {
        const json_t *array = json_object_get(arrays, eb_part_array_name[k]);
        bool wanted = k == EB_PART_DISTANCES ? table->kept != EB_DISTANCES_NONE : k != EB_PART_POINTS || out->listed;
        if (wanted != (array != NULL))
            return fail_read(r, "arrays that the table needs and no others");
        if (wanted)
            EB_TRY(take_file(r, array, &out->array[k]));
    }
    return EB_OK;
}

static eb_code take_part(const reading *r, const eb_parts_table *table, const json_t *object, eb_part_record *out)
{
    *out = (eb_part_record){.listed = json_is_null(json_object_get(object, "first"))};
    EB_TRY(take_size(r, object, "number", EB_MAX_POINTS, &out->number));
    EB_TRY(take_size(r, object, "rows", table->n, &out->rows));
    EB_TRY(take_number(r, object, "entries", INT64_MAX, &out->entries));
    if (!out->listed)
        EB_TRY(take_size(r, object, "first", table->n - out->rows, &out->first));
    if (out->rows == 0)
        return fail_read(r, "a part of one row or more");
    return take_arrays(r, table, json_object_get(object, "arrays"), out);
}

static eb_code check_version(const reading *r, const json_t *text)
{
    const char *format = json_string_value(json_object_get(text, "format"));
    const json_t *version = json_object_get(text, "version");
    if (!format || strcmp(format, FORMAT) != 0 || !json_is_integer(version))
        return fail_read(r, "\"format\": \"" FORMAT "\" and a version");
    if (json_integer_value(version) != EB_PARTS_VERSION)
        return eb_fail(r->status, EB_BAD_FORMAT,
                       "%s: expected version %d of the format, found %lld; a later epsbench wrote it", r->path,
                       EB_PARTS_VERSION, (long long)json_integer_value(version));
    return EB_OK;
}

static eb_code load_json(const reading *r, json_t **out)
{
    int fd;
    json_error_t error;
    eb_code failed = eb_text_open(r->path, r->path, "an index of parts", INDEX_BYTES, &fd, r->status);
    if (failed)
        return errno == ENOENT ? (eb_code)EB_NOT_FOUND : failed;
    *out = json_loadfd(fd, JSON_REJECT_DUPLICATES, &error);
    (void)close(fd);
    if (!*out)
        return eb_fail(r->status, EB_BAD_FORMAT, "%s: line %d: expected JSON: %s; the word force replaces the table",
                       r->path, error.line, error.text);
    failed = check_version(r, *out);
    if (failed)
        json_decref(*out);
    return failed;
}

eb_code eb_record_read(const char *folder, const char *name, eb_parts_table *table, eb_part_record *out,
                       eb_status *status)
{
    json_t *text;
    char *path = eb_parts_path(folder, name);
    const reading r = {path, status};
    if (!path)
        return eb_fail_memory(status, "a file's name", strlen(folder));
    eb_code failed = load_json(&r, &text);
    if (!failed) {
        failed = take_table(&r, json_object_get(text, "table"), table);
        if (!failed)
            failed = take_part(&r, table, json_object_get(text, "part"), out);
        json_decref(text);
    }
    free(path);
    return failed;
}

static eb_code take_index(const reading *r, const json_t *text, eb_parts_index *out)
{
    const json_t *parts = json_object_get(text, "parts"), *labels = json_object_get(text, "labels");
    EB_TRY(take_table(r, json_object_get(text, "table"), &out->table));
    EB_TRY(take_number(r, text, "entries", INT64_MAX, &out->entries));
    size_t count = json_array_size(parts);
    if (count == 0 || count > EB_PARTS_MOST || !json_is_object(json_object_get(text, "provenance")))
        return fail_read(r, "parts and provenance");
    out->part = calloc(count, sizeof *out->part);
    if (!out->part)
        return eb_fail_memory(r->status, "an index of parts", count * sizeof *out->part);
    uint64_t entries = 0;
    for (; out->parts < count; out->parts++) {
        EB_TRY(take_part(r, &out->table, json_array_get(parts, out->parts), &out->part[out->parts]));
        if (out->part[out->parts].entries > out->entries - entries)
            break; /* also before a sum beyond 2^64 */
        entries += out->part[out->parts].entries;
    }
    if (out->parts < count || entries != out->entries)
        return fail_read(r, "entries to be the sum of the parts'");
    if (labels) {
        EB_TRY(take_file(r, labels, &out->labels));
        EB_TRY(take_file(r, json_object_get(text, "label_names"), &out->label_names));
    }
    return EB_OK;
}

eb_code eb_index_read(const char *folder, eb_parts_index *out, eb_status *status)
{
    char *path = eb_parts_path(folder, EB_PARTS_INDEX);
    const reading r = {path, status};
    *out = (eb_parts_index){.text = NULL};
    if (!path)
        return eb_fail_memory(status, "a file's name", strlen(folder));
    eb_code failed = load_json(&r, &out->text);
    if (failed)
        out->text = NULL;
    else
        failed = take_index(&r, out->text, out);
    if (failed)
        eb_index_free(out);
    free(path);
    return failed;
}

void eb_index_free(eb_parts_index *index)
{
    json_decref(index->text);
    free(index->part);
    *index = (eb_parts_index){.text = NULL};
}
