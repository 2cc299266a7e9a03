/* safetensors: reads .safetensors: 8 bytes of header length, the header, then the values of all tensors, little-endian
 * and row by row. The header is a JSON object with dtype, shape and data_offsets for each tensor; offsets count from
 * the end of the header. The reader takes a tensor of one or two dimensions.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "io/bytes.h"
#include "io/load_line.h"
#include "io/reader.h"

enum { LENGTH_BYTES = 8, LISTED = 200 };

typedef struct tensor {
    const char *name, *type; /* in the header's JSON */
    eb_dtype dtype;          /* a type of the stored width */
    eb_foreign foreign;      /* the stored type, if it is converted */
    bool known;              /* the type can be read */
    size_t dimensions;
    uint64_t shape[2]; /* rows and columns; valid for 1 or 2 dimensions */
    uint64_t begin, end;
} tensor;

/* ---- the header ---- */

static uint64_t header_length(const eb_bytes *bytes)
{
    return (uint64_t)eb_le32(bytes->data) | (uint64_t)eb_le32(bytes->data + 4) << 32;
}

static eb_code take_length(const eb_bytes *bytes, size_t *out, eb_status *status)
{
    if (bytes->size < LENGTH_BYTES)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset 0: expected 8 bytes of header length, found %zu", bytes->name,
                       bytes->size);
    uint64_t length = header_length(bytes);
    if (length > EB_BEGINNING - LENGTH_BYTES)
        return eb_fail(status, EB_TOO_LARGE, "%s: offset 0: a header of %llu bytes; at most %zu are supported",
                       bytes->name, (unsigned long long)length, EB_BEGINNING - LENGTH_BYTES);
    if (length > bytes->size - LENGTH_BYTES)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset 0: expected a header of %llu bytes as it says, found %zu",
                       bytes->name, (unsigned long long)length, bytes->size - LENGTH_BYTES);
    *out = (size_t)length;
    return EB_OK;
}

static bool needs_more(const eb_bytes *bytes)
{
    if (bytes->size < LENGTH_BYTES)
        return true;
    uint64_t length = header_length(bytes);
    return length <= EB_BEGINNING - LENGTH_BYTES && length > bytes->size - LENGTH_BYTES;
}

/* Returns the header in *out. The caller releases it. */
static eb_code parse_header(const eb_bytes *bytes, json_t **out, size_t *start, eb_status *status)
{
    json_error_t error;
    size_t length;
    EB_TRY(take_length(bytes, &length, status));
    *start = LENGTH_BYTES + length;
    *out =
        json_loadb((const char *)bytes->data + LENGTH_BYTES, length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    if (json_is_object(*out))
        return EB_OK;
    if (*out)
        (void)snprintf(error.text, sizeof error.text, "an array");
    json_decref(*out);
    eb_make_printable(error.text);
    return eb_fail(status, EB_BAD_FORMAT, "%s: offset %d: expected a JSON object as the header; found: %s", bytes->name,
                   LENGTH_BYTES + error.position, error.text);
}

/* ---- one tensor ---- */

static void take_type(tensor *t)
{
    static const struct {
        char name[5];
        eb_dtype dtype;
        eb_foreign foreign;
    } types[] = {{"F64", EB_F64, EB_NOT_FOREIGN}, {"F32", EB_F32, EB_NOT_FOREIGN},
                 {"F16", EB_F16, EB_NOT_FOREIGN}, {"BF16", EB_I16, EB_FOREIGN_BF16},
                 {"I8", EB_I8, EB_NOT_FOREIGN},   {"U8", EB_U8, EB_NOT_FOREIGN},
                 {"BOOL", EB_U8, EB_NOT_FOREIGN}, {"I16", EB_I16, EB_NOT_FOREIGN},
                 {"U16", EB_I16, EB_U16},         {"I32", EB_I32, EB_NOT_FOREIGN},
                 {"U32", EB_I32, EB_U32},         {"I64", EB_F64, EB_I64},
                 {"U64", EB_F64, EB_U64}};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (strcmp(t->type, types[k].name) == 0) {
            t->known = true;
            t->dtype = types[k].dtype;
            t->foreign = types[k].foreign;
        }
}

/* Reads element k of a JSON array of numbers ≥ 0. False: the element is anything else. */
static bool take_number(const json_t *array, size_t k, uint64_t *out)
{
    const json_t *number = json_array_get(array, k);
    *out = (uint64_t)json_integer_value(number);
    return json_is_integer(number) && json_integer_value(number) >= 0;
}

/* The name in quotes, for a message. */
static const char *show(char buffer[EB_SHOWN_SIZE], const char *name)
{
    return eb_show_bytes(buffer, name, strlen(name));
}

static eb_code take_tensor(const eb_bytes *bytes, const char *name, const json_t *entry, tensor *out, eb_status *status)
{
    const json_t *shape = json_object_get(entry, "shape"), *offsets = json_object_get(entry, "data_offsets");
    char shown[EB_SHOWN_SIZE];
    *out = (tensor){.name = name,
                    .type = json_string_value(json_object_get(entry, "dtype")),
                    .dimensions = json_array_size(shape),
                    .shape = {1, 1}};
    bool good = out->type && json_is_array(shape) && json_array_size(offsets) == 2 &&
                take_number(offsets, 0, &out->begin) && take_number(offsets, 1, &out->end) && out->begin <= out->end;
    for (size_t k = 0; good && k < out->dimensions && k < 2; k++)
        good = take_number(shape, k, &out->shape[k]);
    if (!good)
        return eb_fail(status, EB_BAD_FORMAT,
                       "%s: tensor %s: expected dtype, shape and data_offsets [begin, end] in the header", bytes->name,
                       show(shown, name));
    take_type(out);
    return EB_OK;
}

/* Checks the tensor that is read. */
static eb_code check_tensor(const eb_bytes *bytes, const tensor *t, eb_status *status)
{
    char shown[EB_SHOWN_SIZE], type[EB_SHOWN_SIZE];
    uint64_t values, size;
    if (!t->known)
        return eb_fail(status, EB_BAD_FORMAT,
                       "%s: tensor %s: expected F64, F32, F16, BF16, BOOL or an integer type, found %s", bytes->name,
                       show(shown, t->name), show(type, t->type));
    if (t->dimensions != 1 && t->dimensions != 2)
        return eb_fail(status, EB_BAD_FORMAT, "%s: tensor %s: expected 1 or 2 dimensions, found %zu", bytes->name,
                       show(shown, t->name), t->dimensions);
    EB_TRY(eb_dataset_check_shape(bytes->name, t->shape[0], t->shape[1], t->dtype, status));
    values = t->shape[0] * t->shape[1];
    size = values * eb_dtype_size(t->dtype);
    if (size != t->end - t->begin)
        return eb_fail(status, EB_BAD_FORMAT,
                       "%s: tensor %s: expected %llu bytes of %llu × %llu %s values, found data_offsets for %llu",
                       bytes->name, show(shown, t->name), (unsigned long long)size, (unsigned long long)t->shape[0],
                       (unsigned long long)t->shape[1], t->type, (unsigned long long)(t->end - t->begin));
    return EB_OK;
}

/* ---- choosing a tensor ---- */

typedef struct search {
    const char *wanted; /* NULL: the only tensor of two dimensions */
    size_t found;
    tensor first;
    uint64_t end; /* the greatest end of a tensor */
    char listed[LISTED];
    const char *most; /* the name of the one with most values, in the header's JSON */
    double values;
} search;

static void note_tensor(search *s, const tensor *t)
{
    const double values = (double)t->shape[0] * (double)t->shape[1];
    eb_list_name(s->listed, sizeof s->listed, t->name);
    if (values > s->values)
        s->most = t->name;
    s->values = values > s->values ? values : s->values;
}

static eb_code look_at_all(const eb_bytes *bytes, json_t *header, search *s, eb_status *status)
{
    const char *name;
    json_t *entry;
    json_object_foreach(header, name, entry)
    {
        tensor t;
        if (strcmp(name, "__metadata__") == 0)
            continue;
        EB_TRY(take_tensor(bytes, name, entry, &t, status));
        s->end = t.end > s->end ? t.end : s->end;
        if (t.dimensions == 2 && t.known)
            note_tensor(s, &t);
        if (s->wanted ? strcmp(name, s->wanted) != 0 : t.dimensions != 2 || !t.known)
            continue;
        if (s->found++ == 0)
            s->first = t;
    }
    return EB_OK;
}

static eb_code choose(const eb_bytes *bytes, json_t *header, search *s, eb_status *status)
{
    char advice[EB_ADVICE];
    const char *object = bytes->object;
    *s = (search){.wanted = object && *object == '/' ? object + 1 : object};
    EB_TRY(look_at_all(bytes, header, s, status));
    if (s->found == 1)
        return check_tensor(bytes, &s->first, status);
    const char *listed = s->listed[0] ? s->listed : "none";
    if (object)
        return eb_fail(status, EB_BAD_FORMAT, "%s: no tensor %.100s; tensors of two dimensions: %s%s", bytes->name,
                       object, listed, eb_advise_object(advice, bytes, s->most));
    if (s->found == 0)
        return eb_fail(status, EB_BAD_FORMAT, "%s: expected a tensor of two dimensions, found none", bytes->name);
    return eb_fail(status, EB_BAD_FORMAT, "%s: expected one tensor of two dimensions, found %zu: %s%s", bytes->name,
                   s->found, listed, eb_advise_object(advice, bytes, s->most));
}

/* ---- the whole file ---- */

/* Sets *out to the stored values of the chosen tensor. */
static eb_code find_rows(const eb_bytes *bytes, eb_points *out, eb_foreign *foreign, eb_status *status)
{
    json_t *header;
    size_t start;
    search s;
    EB_TRY(parse_header(bytes, &header, &start, status));
    eb_code failed = choose(bytes, header, &s, status);
    json_decref(header);
    if (failed)
        return failed;
    const tensor *t = &s.first;
    if (s.end > SIZE_MAX - start || (!bytes->beginning && s.end != bytes->size - start))
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset %zu: expected %llu bytes as the header says, found %zu",
                       bytes->name, start, (unsigned long long)s.end, bytes->size - start);
    *foreign = t->foreign;
    *out = (eb_points){.n = (size_t)t->shape[0],
                       .d = (size_t)t->shape[1],
                       .dtype = t->dtype,
                       .rows = bytes->data + start + (bytes->beginning ? 0 : t->begin),
                       .stride = (size_t)t->shape[1] * eb_dtype_size(t->dtype),
                       .whole = start + (size_t)s.end};
    return EB_OK;
}

eb_code eb_shape_safetensors(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    eb_foreign foreign;
    *out = (eb_points){.n = 0};
    if (bytes->beginning && needs_more(bytes))
        return EB_OK;
    EB_TRY(find_rows(bytes, out, &foreign, status));
    if (foreign)
        out->dtype = eb_foreign_become(foreign);
    out->stride = out->d * eb_dtype_size(out->dtype);
    return EB_OK;
}

eb_code eb_read_safetensors(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    eb_points points;
    eb_foreign foreign;
    EB_TRY(find_rows(bytes, &points, &foreign, status));
    EB_TRY(eb_points_convert(&points, foreign, bytes->name, status));
    *out = points;
    return EB_OK;
}
