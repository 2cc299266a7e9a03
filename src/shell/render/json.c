/* json: renders a report as a JSON document on one line, with jansson; render.h describes the document. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "draw/utf8.h"
#include "shell/render/render.h"

#define LAYOUT (JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17))

/* put and append return false on failure. jansson's setters also fail for a NULL value, so that a value that could not
 * be made needs no check of its own. */
static bool put(json_t *object, const char *key, json_t *value) { return json_object_set_new(object, key, value) == 0; }

static bool append(json_t *array, json_t *value) { return json_array_append_new(array, value) == 0; }

static json_t *string_of(const char *text)
{
    char *valid = eb_utf8_valid(text);
    json_t *string = valid ? json_string(valid) : NULL;
    free(valid);
    return string;
}

static json_t *real_of(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t *value_of(eb_value value)
{
    switch (value.kind) {
    case EB_NA: return json_null();
    case EB_BOOL: return json_boolean(value.as.boolean);
    case EB_INTEGER: return json_integer(value.as.integer);
    case EB_UNSIGNED:
        return value.as.u64 <= INT64_MAX ? json_integer((json_int_t)value.as.u64) : json_real((double)value.as.u64);
    case EB_REAL: return real_of(value.as.real);
    case EB_TEXT: return string_of(value.as.text);
    }
    return json_null();
}

/* Returns `made` if it is complete, else frees it and returns NULL. */
static json_t *whole(json_t *made, bool done)
{
    if (done)
        return made;
    json_decref(made);
    return NULL;
}

static json_t *object_of_fields(const eb_field *fields, size_t count)
{
    json_t *object = json_object();
    bool done = object != NULL;
    for (size_t k = 0; k < count && done; k++)
        done = put(object, fields[k].key, value_of(fields[k].value));
    return whole(object, done);
}

static json_t *array_of_table(const eb_table *table)
{
    json_t *rows = json_array();
    bool done = rows != NULL;
    for (size_t r = 0; r < table->rows && done; r++) {
        json_t *row = json_object();
        done = row != NULL;
        for (size_t c = 0; c < table->columns && done; c++)
            done = put(row, table->column[c].key, value_of(table->cell[r * table->columns + c]));
        done = append(rows, whole(row, done)) && done;
    }
    return whole(rows, done);
}

static json_t *array_of(const double *values, size_t count)
{
    json_t *array = json_array();
    bool done = array != NULL;
    for (size_t k = 0; k < count && done; k++)
        done = append(array, real_of(values[k]));
    return whole(array, done);
}

static json_t *array_of_letters(const char *letters, size_t count)
{
    json_t *array = json_array();
    bool done = array != NULL;
    for (size_t k = 0; k < count && done; k++)
        done = append(array, json_stringn(letters + k, 1));
    return whole(array, done);
}

static json_t *object_of_series(const eb_series *series)
{
    json_t *object = json_object();
    bool done = object && put(object, series->x_key, array_of(series->x, series->points)) &&
                put(object, series->y_key, array_of(series->y, series->points));
    if (done && series->low)
        done = put(object, "low", array_of(series->low, series->points));
    if (done && series->high)
        done = put(object, "high", array_of(series->high, series->points));
    if (done && series->z)
        done = put(object, series->z_key, array_of(series->z, series->points));
    if (done && series->mark)
        done = put(object, "mark", array_of_letters(series->mark, series->points));
    if (done && series->shape == EB_BARS)
        done = put(object, "under", real_of(series->under)) && put(object, "over", real_of(series->over));
    return whole(object, done);
}

static json_t *value_of_item(const eb_item *item)
{
    switch (item->kind) {
    case EB_FIELD: return value_of(item->as.field.value);
    case EB_RECORD: return object_of_fields(item->as.record.field, item->as.record.fields);
    case EB_TABLE: return array_of_table(&item->as.table);
    case EB_SERIES: return object_of_series(&item->as.series);
    }
    return NULL;
}

/* Adds an item. If a record and a series have the same key (`values` of info), one object has the members of both. */
static bool put_item(json_t *data, const char *key, json_t *value)
{
    json_t *there = json_object_get(data, key);
    if (!json_is_object(there) || !json_is_object(value))
        return put(data, key, value);
    bool done = json_object_update_missing(there, value) == 0;
    json_decref(value);
    return done;
}

static json_t *data_of(const eb_report *report)
{
    json_t *data = json_object();
    bool done = data != NULL;
    for (size_t k = 0; k < report->items && done; k++)
        done = put_item(data, report->item[k]->key, value_of_item(report->item[k]));
    if (done && report->raw)
        done = put(data, "text", string_of(report->raw));
    return whole(data, done);
}

static json_t *notes_of(const eb_report *report)
{
    json_t *notes = json_array();
    bool done = notes != NULL;
    for (size_t k = 0; k < report->notes && done; k++)
        done = append(notes, string_of(report->note[k]));
    return whole(notes, done);
}

static json_t *envelope(const char *command, bool ok)
{
    return json_pack("{s:s,s:o,s:b}", "schema", "epsbench/1", "command", string_of(command), "ok", ok);
}

static bool write_line(FILE *out, json_t *document)
{
    /* Rendered in memory first, so that no partial document is written. */
    char *text = document ? json_dumps(document, LAYOUT) : NULL;
    if (text)
        (void)fprintf(out, "%s\n", text);
    free(text);
    return text != NULL;
}

static json_t *error_of(const eb_status *failure)
{
    return json_pack("{s:s,s:o}", "code", eb_code_name(failure->code), "message", string_of(failure->message));
}

eb_code eb_render_json(FILE *out, const eb_report *report, const eb_status *failure, eb_status *status)
{
    json_t *document = envelope(report->command, !failure);
    bool done = document && (!failure || put(document, "error", error_of(failure))) &&
                put(document, "data", data_of(report)) && put(document, "notes", notes_of(report)) &&
                (!report->conclusion || put(document, "conclusion", string_of(report->conclusion))) &&
                write_line(out, document);
    json_decref(document);
    return done ? EB_OK : eb_fail_memory(status, "a JSON document", 1);
}

void eb_render_json_error(FILE *out, const char *command, const eb_status *failure)
{
    json_t *document = envelope(command, false);
    bool done = put(document, "error", error_of(failure)) && write_line(out, document);
    if (!done) /* out of memory: a constant document */
        (void)fputs("{\"schema\":\"epsbench/1\",\"command\":\"\",\"ok\":false,"
                    "\"error\":{\"code\":\"no-memory\",\"message\":\"out of memory\"}}\n",
                    out);
    json_decref(document);
}
