/* npy: reads .npy, NumPy's array file, versions 1 to 3: magic, version, header length, a Python dictionary as text,
 * then the values. The dictionary has exactly the keys descr, fortran_order and shape, in any order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/bytes.h"
#include "io/load_line.h"
#include "io/reader.h"

typedef struct header {
    unsigned seen;      /* bit k: keys[k] */
    eb_dtype dtype;     /* a type of the stored width */
    eb_foreign foreign; /* the stored type, if it is converted */
    bool big_endian, fortran;
    unsigned long long shape[2];
    unsigned dimensions;
} header;

typedef struct cursor {
    const eb_bytes *bytes;
    size_t at, end; /* offsets; end: of the header */
} cursor;

static eb_code fail_at(const cursor *c, const char *expected, eb_status *status)
{
    char shown[EB_SHOWN_SIZE];
    return eb_fail(status, EB_BAD_FORMAT, "%s: offset %zu: expected %s in the header, found %s", c->bytes->name, c->at,
                   expected, eb_show_bytes(shown, c->bytes->data + c->at, c->end - c->at));
}

static void skip_blanks(cursor *c)
{
    while (c->at < c->end && memchr(" \t\r\n", c->bytes->data[c->at], 4))
        c->at++;
}

/* Skips blanks; takes the text if it comes next. */
static bool take(cursor *c, const char *text)
{
    skip_blanks(c);
    size_t length = strlen(text);
    if (c->end - c->at < length || memcmp(c->bytes->data + c->at, text, length) != 0)
        return false;
    c->at += length;
    return true;
}

/* Takes a string in single or double quotes; strings in this header need no escapes. A string too long for the buffer
 * is cut, and then matches nothing. */
static eb_code take_string(cursor *c, char *buffer, size_t size, eb_status *status)
{
    skip_blanks(c);
    const unsigned char *begin = c->bytes->data + c->at;
    size_t left = c->end - c->at;
    const unsigned char *close = NULL;
    if (left > 1 && (*begin == '\'' || *begin == '"'))
        close = memchr(begin + 1, *begin, left - 1);
    if (!close)
        return fail_at(c, "a string in quotes", status);
    size_t length = (size_t)(close - begin) - 1;
    (void)snprintf(buffer, size, "%.*s", (int)(length < size ? length : size), (const char *)begin + 1);
    c->at += length + 2;
    return EB_OK;
}

/* With dtype=bf16: u2, or V2 as the package ml_dtypes writes it. `text` has been read, c is still before it. */
static eb_code take_bf16(cursor *c, const char *text, header *h, eb_status *status)
{
    if (!text[0] || !strchr("<>=|", text[0]) || (strcmp(text + 1, "u2") != 0 && strcmp(text + 1, "V2") != 0))
        return fail_at(c, "u2 or V2, with < or > or | before it, for dtype=bf16", status);
    c->at += strlen(text) + 2;
    h->dtype = eb_foreign_width(EB_FOREIGN_BF16);
    h->foreign = EB_FOREIGN_BF16;
    h->big_endian = text[0] == '>';
    return EB_OK;
}

/* Fails because of a type that no points can have. Python turns some of them into points. */
static eb_code fail_type(const cursor *c, const char *text, eb_status *status)
{
    static const struct {
        char begin;
        const char *is, *array;
    } kinds[] = {{'O', "Python objects", "np.stack(list(x)).astype(float)"},
                 {'c', "complex numbers", "np.hstack([x.real, x.imag])"},
                 {'[', "records", "np.column_stack([x[k] for k in x.dtype.names]).astype(float)"},
                 {'f', "floats of another width", "x.astype(float)"},
                 {'U', "text", NULL},
                 {'S', "text", NULL}};
    char advice[EB_ADVICE] = "", line[EB_ADVICE];
    const char type = text[0] == '[' ? '[' : text[0] ? text[1] : 0;
    eb_reading how = c->bytes->how;
    how.bf16 = true;
    if (text[0] && strcmp(text + 1, "V2") == 0)
        return eb_fail(status, EB_BAD_FORMAT,
                       "%s: offset %zu: two-byte values of a type that NumPy does not name; %s reads bfloat16",
                       c->bytes->name, c->at,
                       c->bytes->brief ? "dtype=bf16" : eb_line_to_type(line, sizeof line, c->bytes->path, &how));
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (type == kinds[k].begin)
            return eb_fail(status, EB_BAD_FORMAT, "%s: offset %zu: expected an array of numbers, found %s%s",
                           c->bytes->name, c->at, kinds[k].is,
                           kinds[k].array ? eb_advise_numpy(advice, c->bytes, kinds[k].array, type == 'O') : advice);
    return fail_at(c, "a type of f2 f4 f8 u1 u2 u4 u8 i1 i2 i4 i8 b1, with < or > or | before it,", status);
}

static eb_code take_descr(cursor *c, header *h, eb_status *status)
{
    static const struct {
        char name[3];
        eb_dtype dtype;
        eb_foreign foreign;
    } types[] = {{"f2", EB_F16, EB_NOT_FOREIGN}, {"f4", EB_F32, EB_NOT_FOREIGN}, {"f8", EB_F64, EB_NOT_FOREIGN},
                 {"u1", EB_U8, EB_NOT_FOREIGN},  {"i1", EB_I8, EB_NOT_FOREIGN},  {"i2", EB_I16, EB_NOT_FOREIGN},
                 {"i4", EB_I32, EB_NOT_FOREIGN}, {"b1", EB_U8, EB_NOT_FOREIGN},  {"u2", EB_I16, EB_U16},
                 {"u4", EB_I32, EB_U32},         {"i8", EB_F64, EB_I64},         {"u8", EB_F64, EB_U64}};
    char text[8];
    skip_blanks(c);
    size_t begin = c->at;
    if (c->at < c->end && c->bytes->data[c->at] == '[')
        return fail_type(c, "[", status);
    EB_TRY(take_string(c, text, sizeof text, status));
    if (c->bytes->how.bf16) {
        c->at = begin;
        return take_bf16(c, text, h, status);
    }
    if (text[0] && strchr("<>=|", text[0]))
        for (size_t k = 0; k < sizeof types / sizeof *types; k++)
            if (strcmp(text + 1, types[k].name) == 0) {
                h->dtype = types[k].dtype;
                h->foreign = types[k].foreign;
                h->big_endian = text[0] == '>';
                return EB_OK;
            }
    c->at = begin;
    return fail_type(c, text, status);
}

static eb_code take_order(cursor *c, header *h, eb_status *status)
{
    h->fortran = take(c, "True");
    if (!h->fortran && !take(c, "False"))
        return fail_at(c, "True or False for fortran_order", status);
    return EB_OK;
}

static eb_code take_size(cursor *c, unsigned long long *out, eb_status *status)
{
    skip_blanks(c);
    size_t begin = c->at;
    unsigned long long value = 0;
    for (; c->at < c->end && c->bytes->data[c->at] >= '0' && c->bytes->data[c->at] <= '9'; c->at++) {
        if (value > 1000000000000000000u) {
            c->at = begin;
            return fail_at(c, "a size below 10^19 in the shape", status);
        }
        value = 10 * value + (unsigned)(c->bytes->data[c->at] - '0');
    }
    if (c->at == begin)
        return fail_at(c, "a size in the shape", status);
    (void)take(c, "L"); /* Python 2 writes long integers with an L */
    *out = value;
    return EB_OK;
}

static eb_code fail_dimensions(const cursor *c, const char *expected, eb_status *status)
{
    char shown[EB_SHOWN_SIZE], advice[EB_ADVICE];
    const unsigned char *shape = c->bytes->data + c->at, *close = memchr(shape, ')', c->end - c->at);
    const size_t length = close ? (size_t)(close + 1 - shape) : c->end - c->at;
    return eb_fail(status, EB_BAD_FORMAT, "%s: offset %zu: expected %s in the header, found %s%s", c->bytes->name,
                   c->at, expected, eb_show_bytes(shown, shape, length),
                   eb_advise_numpy(advice, c->bytes, "x.reshape(len(x), -1)", false));
}

/* Fails because the columns are more than the dimensions of any point: the array was stored turned. */
static eb_code check_turned(const eb_bytes *bytes, const header *h, eb_status *status)
{
    char advice[EB_ADVICE];
    if (h->dimensions < 2 || h->shape[1] <= EB_MAX_DIMENSIONS || h->shape[0] > EB_MAX_DIMENSIONS)
        return EB_OK;
    return eb_fail(status, EB_TOO_LARGE,
                   "%s: %llu dimensions; at most %u are supported; rows are points, and this array has %llu%s",
                   bytes->name, h->shape[1], EB_MAX_DIMENSIONS, h->shape[0],
                   eb_advise_numpy(advice, bytes, "x.T", false));
}

static eb_code take_shape(cursor *c, header *h, eb_status *status)
{
    static const char expected[] = "a shape of 1 or 2 sizes, (n, d),";
    skip_blanks(c);
    size_t begin = c->at;
    if (!take(c, "("))
        return fail_at(c, expected, status);
    while (!take(c, ")")) {
        if (h->dimensions == 2) {
            c->at = begin;
            return fail_dimensions(c, expected, status);
        }
        EB_TRY(take_size(c, &h->shape[h->dimensions], status));
        h->dimensions++;
        if (take(c, ","))
            continue;
        if (take(c, ")"))
            break;
        return fail_at(c, "\",\" or \")\" in the shape", status);
    }
    if (h->dimensions == 0) {
        c->at = begin;
        return fail_at(c, expected, status);
    }
    if (h->dimensions == 1)
        h->shape[1] = 1;
    return EB_OK;
}

static const struct {
    const char *name;
    eb_code (*take_value)(cursor *, header *, eb_status *);
} keys[] = {{"descr", take_descr}, {"fortran_order", take_order}, {"shape", take_shape}};
enum { KEYS = sizeof keys / sizeof *keys };

static eb_code take_entry(cursor *c, header *h, eb_status *status)
{
    skip_blanks(c);
    size_t begin = c->at;
    char key[16];
    EB_TRY(take_string(c, key, sizeof key, status));
    size_t k = 0;
    while (k < KEYS && strcmp(key, keys[k].name) != 0)
        k++;
    if (k == KEYS || h->seen & 1u << k) {
        c->at = begin;
        return fail_at(c, "the keys descr, fortran_order and shape, once each,", status);
    }
    h->seen |= 1u << k;
    if (!take(c, ":"))
        return fail_at(c, "\":\"", status);
    return keys[k].take_value(c, h, status);
}

static eb_code take_header(cursor *c, header *h, eb_status *status)
{
    if (!take(c, "{"))
        return fail_at(c, "\"{\"", status);
    while (!take(c, "}")) {
        EB_TRY(take_entry(c, h, status));
        if (take(c, ","))
            continue;
        if (take(c, "}"))
            break;
        return fail_at(c, "\",\" or \"}\"", status);
    }
    skip_blanks(c);
    if (c->at != c->end)
        return fail_at(c, "nothing after \"}\"", status);
    if (h->seen != (1u << KEYS) - 1)
        return fail_at(c, "descr, fortran_order and shape", status);
    return EB_OK;
}

/* Finds the dictionary: behind the magic, two bytes of version and the length, which has 16 bits in version 1 and 32
 * later. */
static eb_code find_header(const eb_bytes *bytes, cursor *out, eb_status *status)
{
    static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
    const unsigned char *data = bytes->data;
    char shown[EB_SHOWN_SIZE];
    if (bytes->size < 10 || memcmp(data, magic, sizeof magic) != 0)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset 0: expected \"\\x93NUMPY\" and a version, found %s",
                       bytes->name, eb_show_bytes(shown, data, bytes->size < 10 ? bytes->size : 10));
    unsigned major = data[6];
    if (major < 1 || major > 3)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset 6: expected version 1 to 3, found %u", bytes->name, major);
    size_t start = major == 1 ? 10 : 12;
    if (bytes->size < start)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset 8: expected 4 bytes of header length, found %zu", bytes->name,
                       bytes->size - 8);
    size_t length = major == 1 ? (size_t)data[8] | (size_t)data[9] << 8 : eb_le32(data + 8);
    if (bytes->size - start < length)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset 8: expected a header of %zu bytes as it says, found %zu",
                       bytes->name, length, bytes->size - start);
    *out = (cursor){bytes, start, start + length};
    return EB_OK;
}

/* Reads the header; c ends at the first value. */
static eb_code read_shape(const eb_bytes *bytes, cursor *c, header *h, eb_points *out, eb_status *status)
{
    EB_TRY(find_header(bytes, c, status));
    EB_TRY(take_header(c, h, status));
    EB_TRY(check_turned(bytes, h, status));
    return eb_rows_to_end(bytes, c->end, h->shape[0], h->shape[1], h->dtype, out, status);
}

eb_code eb_npy_look(const eb_bytes *bytes, eb_points *out, unsigned *dimensions, eb_status *status)
{
    cursor c;
    header h = {0};
    EB_TRY(read_shape(bytes, &c, &h, out, status));
    if (h.foreign)
        out->dtype = eb_foreign_become(h.foreign);
    out->stride = out->d * eb_dtype_size(out->dtype);
    *dimensions = h.dimensions;
    return EB_OK;
}

eb_code eb_shape_npy(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    unsigned dimensions;
    return eb_npy_look(bytes, out, &dimensions, status);
}

/* Makes rows of little-endian values of the stored width. */
static eb_code arrange(const eb_bytes *bytes, const header *h, eb_points *out, eb_status *status)
{
    size_t n = out->n, d = out->d, element = eb_dtype_size(h->dtype);
    const unsigned char *values = out->rows;
    bool turn = h->fortran && n > 1 && d > 1, reverse = h->big_endian && element > 1;
    if (!turn && !reverse)
        return EB_OK;
    unsigned char *rows = malloc(n * d * element);
    if (!rows)
        return eb_fail_memory(status, bytes->name, n * d * element);
    if (turn)
        eb_transpose(rows, values, n, d, element);
    if (reverse)
        eb_copy_reversed(rows, turn ? rows : values, n * d, element);
    eb_points_own(out, h->dtype, rows);
    return EB_OK;
}

eb_code eb_read_npy(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    cursor c;
    header h = {0};
    eb_points points;
    EB_TRY(read_shape(bytes, &c, &h, &points, status));
    eb_code failed = arrange(bytes, &h, &points, status);
    if (!failed)
        failed = eb_points_convert(&points, h.foreign, bytes->name, status);
    if (failed) {
        eb_points_free(&points);
        return failed;
    }
    if (h.dimensions == 1)
        (void)snprintf(points.remark, sizeof points.remark, "the array has one dimension: each value is a point");
    *out = points;
    return EB_OK;
}
