#include "io/csv/head.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "core/files/text_file.h"
#include "io/csv/table.h"

/* ---- bytes ---- */

/* gzread also reads plain text. */
static eb_code read_beginning(int fd, const char *path, char *out, size_t *size, eb_status *status)
{
    gzFile file = gzdopen(fd, "r");
    int got = -1;
    if (!file) {
        (void)close(fd);
        return eb_fail_memory(status, path, EB_CSV_HEAD);
    }
    got = gzread(file, out, (unsigned)EB_CSV_HEAD + 1);
    (void)gzclose_r(file);
    if (got <= 0)
        return eb_fail(status, got < 0 ? EB_IO : EB_BAD_FORMAT, "%s: cannot read any text", path);
    *size = (size_t)got;
    return EB_OK;
}

/* ---- columns ---- */

/* Counts of a column's cells within the head. */
typedef struct kinds {
    size_t numbers, texts, gaps;
    bool begins_as_text;
} kinds;

static void look_at_cell(eb_text_table *t, eb_piece cell, kinds *k)
{
    double ignored;
    eb_piece inside = eb_unquoted(cell);
    if (eb_is_missing(inside.begin, eb_piece_length(inside)))
        k->gaps++;
    else if (eb_read_cell(t, cell, &ignored))
        k->numbers++;
    else
        k->begins_as_text |= k->texts++ == 0 && k->numbers + k->gaps == 0;
}

static eb_code look_at_rows(eb_text_table *t, eb_piece line, size_t columns, kinds *kind, eb_status *status)
{
    do {
        eb_piece rest = eb_start_of(t->separator, line);
        bool more = true;
        size_t k = 0;
        for (; more && k < columns; k++)
            look_at_cell(t, eb_take_cell(t->separator, &rest, &more), &kind[k]);
        if (more || k < columns)
            return eb_fail(status, EB_BAD_FORMAT, "%s: line %zu: expected %zu cells as before", t->bytes->name,
                           t->lines.line, columns);
        t->n++;
    } while (eb_take_line(&t->lines, &line));
    return EB_OK;
}

/* The first column with text and no numbers: the label. `columns` if there is none. */
static size_t label_among(const kinds *kind, size_t columns)
{
    for (size_t k = 0; k < columns; k++)
        if (kind[k].texts > 0 && kind[k].numbers == 0)
            return k;
    return columns;
}

/* True if a column begins with text although its other cells are numbers. The first line is then a header with a number
 * in it, which the reader would take for a row. */
static bool has_unknown_header(const eb_text_table *t, const kinds *kind, size_t columns)
{
    for (size_t k = 0; !t->name && k < columns; k++)
        if (kind[k].begins_as_text && kind[k].numbers > 0)
            return true;
    return false;
}

static void choose(const eb_text_table *t, const kinds *kind, eb_csv_head *out)
{
    bool gaps = false;
    size_t label = label_among(kind, out->columns);
    for (size_t k = 0; k < out->columns; k++) {
        out->number[k] = kind[k].numbers > 0 && kind[k].texts == 0;
        out->d += out->number[k];
        gaps = gaps || (out->number[k] && kind[k].gaps > 0);
    }
    if (label < out->columns && t->name && eb_is_plain_name(t->name[label]))
        (void)snprintf(out->label, sizeof out->label, "%s", t->name[label]);
    else if (label < out->columns)
        (void)snprintf(out->label, sizeof out->label, "%zu", label);
    if (out->d + (label < out->columns) < out->columns)
        (void)eb_columns_words(out->coordinates, sizeof out->coordinates, out->number, out->columns);
    if (gaps)
        (void)snprintf(out->missing, sizeof out->missing, "drop");
}

/* Reads the head with the suggested arguments, so that the suggestion works on everything seen. */
static eb_code try_it(const eb_bytes *head, const eb_csv_head *found, eb_status *status)
{
    eb_bytes bytes = *head;
    eb_points points;
    bytes.how = (eb_reading){.columns = found->coordinates[0] ? found->coordinates : NULL,
                             .label = found->label[0] ? found->label : NULL,
                             .missing = found->missing[0] ? EB_MISSING_DROPPED : EB_MISSING_REFUSED};
    EB_TRY(eb_read_csv(&bytes, &points, status));
    eb_points_free(&points);
    return EB_OK;
}

static eb_code look(eb_text_table *t, bool whole, eb_csv_head *out, eb_status *status)
{
    eb_piece line;
    EB_TRY(eb_take_header(t, &line, status));
    out->columns = eb_count_cells(t->separator, line);
    if (t->name && t->names != out->columns)
        eb_forget_names(t);
    kinds *kind = calloc(out->columns, sizeof *kind);
    out->number = calloc(out->columns, sizeof *out->number);
    eb_code failed = kind && out->number ? look_at_rows(t, line, out->columns, kind, status)
                                         : eb_fail_memory(status, t->bytes->name, out->columns * sizeof *kind);
    if (!failed)
        choose(t, kind, out);
    if (!failed && (out->d == 0 || has_unknown_header(t, kind, out->columns)))
        failed = eb_fail(status, EB_BAD_FORMAT, "%s: expected columns of numbers", t->bytes->name);
    out->n = whole ? t->n : 0;
    out->name = t->name;
    t->name = NULL;
    free(kind);
    return failed ? failed : try_it(t->bytes, out, status);
}

static eb_code look_at_text(const char *path, const char *text, size_t size, eb_csv_head *out, eb_status *status)
{
    bool whole = size <= EB_CSV_HEAD;
    const char *newline = whole ? NULL : memrchr(text, '\n', EB_CSV_HEAD);
    const eb_bytes bytes = {.data = (const unsigned char *)text,
                            .size = whole     ? size
                                    : newline ? (size_t)(newline + 1 - text)
                                              : 0,
                            .name = path};
    eb_text_table t;
    eb_begin_text(&bytes, &t);
    eb_code failed = look(&t, whole, out, status);
    eb_forget_names(&t);
    return failed;
}

eb_code eb_csv_head_read(const char *path, eb_csv_head *out, eb_status *status)
{
    *out = (eb_csv_head){.columns = 0};
    size_t size = 0;
    char *text = malloc(EB_CSV_HEAD + 1);
    if (!text)
        return eb_fail_memory(status, path, EB_CSV_HEAD);
    int fd;
    eb_code failed = eb_text_open(path, path, "a table", UINT64_MAX, &fd, status);
    if (!failed)
        failed = read_beginning(fd, path, text, &size, status);
    if (!failed)
        failed = look_at_text(path, text, size, out, status);
    free(text);
    if (failed)
        eb_csv_head_free(out);
    return failed;
}

void eb_csv_head_free(eb_csv_head *head)
{
    for (size_t k = 0; head->name && k < head->columns; k++)
        free(head->name[k]);
    free(head->name);
    free(head->number);
    *head = (eb_csv_head){.columns = 0};
}
