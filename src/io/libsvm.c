/* libsvm: reads LIBSVM and SVMlight files: a line for each point, with its label and INDEX:VALUE of the coordinates
 * that are not 0. Indices ascend from 1, or from 0 if a 0 occurs. "qid:N" and comments after '#' are skipped. Points
 * become dense FP64; labels keep their text. */
#include <stdlib.h>
#include <string.h>

#include "core/base/decimal.h"
#include "io/bytes.h"
#include "io/csv/cells.h"
#include "io/reader.h"

typedef struct svm {
    const eb_bytes *bytes;
    eb_lines lines;
    size_t row; /* the row being read */
    size_t n;
    uint64_t least, greatest; /* smallest and greatest index */
    double *values;           /* [n × d]; NULL: only count */
    size_t d;
    eb_labels *labels; /* NULL: do not keep labels */
} svm;

static eb_code fail_at(const svm *s, const char *at, size_t length, const char *expected, eb_status *status)
{
    char shown[EB_SHOWN_SIZE];
    return eb_fail(status, EB_BAD_FORMAT, "%s: row %zu (line %zu, offset %zu): expected %s, found %s", s->bytes->name,
                   s->row, s->lines.line, (size_t)(at - (const char *)s->bytes->data), expected,
                   eb_show_bytes(shown, at, length));
}

static bool take_word(eb_piece *rest, eb_piece *out)
{
    bool more;
    *rest = eb_trimmed(*rest);
    if (rest->begin == rest->end || *rest->begin == '#')
        return false;
    *out = eb_take_cell(' ', rest, &more);
    return true;
}

/* Counts an index and, in the second pass, stores its value. The bytes may have changed between the passes, so the
 * index is checked again. */
static eb_code keep_value(svm *s, eb_piece word, uint64_t index, double value, eb_status *status)
{
    s->least = index < s->least ? index : s->least;
    s->greatest = index > s->greatest ? index : s->greatest;
    if (!s->values)
        return EB_OK;
    uint64_t k = index - (s->least > 0 ? 1 : 0);
    if (k >= s->d)
        return fail_at(s, word.begin, eb_piece_length(word), "an index as when it was counted", status);
    s->values[s->row * s->d + k] = value;
    return EB_OK;
}

static eb_code read_entry(svm *s, eb_piece word, uint64_t *last, bool *any, eb_status *status)
{
    const char *colon = memchr(word.begin, ':', eb_piece_length(word));
    uint64_t index;
    double value;
    if (colon && colon - word.begin == 3 && memcmp(word.begin, "qid", 3) == 0)
        return EB_OK;
    if (!colon || !eb_read_digits(word.begin, (size_t)(colon - word.begin), &index) ||
        !eb_read_decimal(colon + 1, word.end, &value))
        return fail_at(s, word.begin, eb_piece_length(word), "INDEX:VALUE", status);
    if (*any && index <= *last)
        return fail_at(s, word.begin, eb_piece_length(word), "ascending indices", status);
    *last = index;
    *any = true;
    return keep_value(s, word, index, value, status);
}

static eb_code read_line(svm *s, eb_piece line, eb_status *status)
{
    eb_piece word = {line.begin, line.begin}, label = word;
    uint64_t last = 0;
    bool any = false, first = true;
    for (; take_word(&line, &word); first = false) {
        if (first && !memchr(word.begin, ':', eb_piece_length(word)))
            label = word;
        else
            EB_TRY(read_entry(s, word, &last, &any, status));
    }
    if (s->labels && !eb_labels_add(s->labels, label.begin, eb_piece_length(label)))
        return eb_fail_memory(status, "labels", eb_piece_length(label));
    return EB_OK;
}

/* Reads all lines. The first pass counts, the second one stores. */
static eb_code read_lines(svm *s, eb_status *status)
{
    const char *text = (const char *)s->bytes->data;
    eb_piece line;
    s->lines = (eb_lines){.at = text, .end = text + s->bytes->size};
    for (s->row = 0; eb_take_line(&s->lines, &line); s->row++) {
        if (s->row % 4096 == 0)
            EB_TRY(eb_job_check(s->bytes->job, status));
        if (s->values && s->row == s->n)
            break;
        EB_TRY(read_line(s, line, status));
    }
    if (s->values && s->row < s->n)
        return eb_fail(status, EB_BAD_FORMAT, "%s: expected %zu rows as when they were counted, found %zu",
                       s->bytes->name, s->n, s->row);
    return EB_OK;
}

/* Sets n and d from the first pass and allocates values and labels. */
static eb_code make_room(svm *s, eb_status *status)
{
    s->n = s->row;
    if (s->n == 0)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset %zu: expected lines of INDEX:VALUE, found the end",
                       s->bytes->name, s->bytes->size);
    uint64_t d = s->least > s->greatest ? 0 : s->greatest + (s->least == 0);
    EB_TRY(eb_dataset_check_shape(s->bytes->name, s->n, d, EB_F64, status));
    s->d = (size_t)d;
    uint64_t needed = (uint64_t)s->n * d * sizeof *s->values, available = eb_available_memory();
    if (needed > available)
        return eb_fail(status, EB_NO_MEMORY,
                       "%s: %zu × %zu values, most of them 0, need %llu bytes; %llu are available", s->bytes->name,
                       s->n, s->d, (unsigned long long)needed, (unsigned long long)available);
    s->values = calloc(s->n * s->d + 1, sizeof *s->values);
    s->labels = eb_labels_new("label");
    return s->values && s->labels ? EB_OK : eb_fail_memory(status, s->bytes->name, needed);
}

static eb_code read_all(svm *s, eb_status *status)
{
    EB_TRY(read_lines(s, status));
    EB_TRY(make_room(s, status));
    return read_lines(s, status);
}

eb_code eb_read_libsvm(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    svm s = {.bytes = bytes, .least = UINT64_MAX};
    eb_code failed = read_all(&s, status);
    eb_points points = {.n = s.n,
                        .d = s.d,
                        .dtype = EB_F64,
                        .rows = (unsigned char *)s.values,
                        .stride = s.d * sizeof *s.values,
                        .owned = s.values,
                        .labels = s.labels};
    if (failed)
        eb_points_free(&points);
    else
        *out = points;
    return failed;
}

/* Only the first line can be checked: the format has no header. */
eb_code eb_shape_libsvm(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    const char *text = (const char *)bytes->data;
    size_t size = bytes->size < EB_BEGINNING ? bytes->size : EB_BEGINNING;
    svm s = {.bytes = bytes, .lines = {.at = text, .end = text + size}, .least = UINT64_MAX};
    eb_piece line;
    *out = (eb_points){.n = 0};
    if (!eb_take_line(&s.lines, &line) || (s.lines.at == s.lines.end && size < bytes->size) || bytes->beginning)
        return bytes->beginning && size == EB_BEGINNING && !memchr(text, '\n', size)
                   ? eb_fail(status, EB_BAD_FORMAT,
                             "%s: offset 0: expected lines of INDEX:VALUE, found none in %zu bytes", bytes->name,
                             EB_BEGINNING)
                   : EB_OK;
    return read_line(&s, line, status);
}
