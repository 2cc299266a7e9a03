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

#define SIGNS (EB_DECIMAL_COMMA + 1u)

/* Counts of a column's cells within the head. */
typedef struct kinds {
    size_t numbers[SIGNS]; /* by the decimal sign with which they are read; GUESSED: with a point, without thousands */
    size_t cells, gaps;
    bool begins_as_text;
} kinds;

static size_t texts_of(const kinds *k, eb_decimal sign) { return k->cells - k->gaps - k->numbers[sign]; }
static bool is_column_of_numbers(const kinds *k, eb_decimal sign)
{
    return k->numbers[sign] > 0 && texts_of(k, sign) == 0;
}

static void look_at_cell(eb_piece cell, kinds *k)
{
    double ignored;
    eb_piece inside = eb_unquoted(cell);
    const bool gap = eb_is_missing(inside.begin, eb_piece_length(inside));
    k->gaps += gap;
    for (eb_decimal sign = 0; sign < SIGNS && !gap; sign++)
        k->numbers[sign] += eb_read_as(sign, cell, &ignored);
    k->begins_as_text |= k->cells++ == 0 && !gap && k->numbers[EB_DECIMAL_GUESSED] + k->numbers[EB_DECIMAL_COMMA] == 0;
}

/* Counts the kinds of cells. Returns the number of rows with another number of cells, which are skipped. */
static size_t look_at_rows(eb_text_table *t, eb_piece line, size_t columns, kinds *kind)
{
    size_t uneven = 0;
    do {
        eb_piece rest = eb_start_of(t->separator, line);
        bool more = true;
        if (eb_count_cells(t->separator, line) != columns) {
            uneven++;
            continue;
        }
        for (size_t k = 0; k < columns; k++)
            look_at_cell(eb_take_cell(t->separator, &rest, &more), &kind[k]);
        t->n++;
    } while (eb_take_line(&t->lines, &line));
    return uneven;
}

/* The decimal sign asked for, or the one with which most columns are numbers. GUESSED if that suffices. */
static eb_decimal sign_of(const eb_text_table *t, const kinds *kind, size_t columns)
{
    size_t found[SIGNS] = {0};
    eb_decimal best = t->bytes->how.decimal;
    for (eb_decimal sign = 0; sign < SIGNS; sign++)
        for (size_t k = 0; k < columns; k++)
            found[sign] += is_column_of_numbers(&kind[k], sign);
    if (best != EB_DECIMAL_GUESSED)
        return best;
    if (found[EB_DECIMAL_COMMA] > found[best])
        best = EB_DECIMAL_COMMA;
    return found[EB_DECIMAL_POINT] > found[best] ? EB_DECIMAL_POINT : best;
}

/* True if a column begins with text although its other cells are numbers. The first line is then a header with a number
 * in it, which the reader would take for a row. */
static bool has_unknown_header(const eb_text_table *t, const kinds *kind, size_t columns, eb_decimal sign)
{
    for (size_t k = 0; !t->name && k < columns; k++)
        if (kind[k].begins_as_text && kind[k].numbers[sign] > 0 && texts_of(&kind[k], sign) == 1)
            return true;
    return false;
}

/* ---- choices ---- */

/* Chooses the label, unless columns= or label= is asked for: the first column of text. */
static void choose_label(eb_csv_head *out)
{
    size_t k = 0;
    while (k < out->columns && !out->text[k])
        k++;
    if (out->how.columns || out->how.label || k == out->columns)
        return;
    out->how.label = eb_column_word(out->name, k, out->label, sizeof out->label);
}

/* Chooses the columns of numbers, without those that number the rows, unless label= alone suffices. */
static void choose_columns(const eb_bytes *bytes, eb_csv_head *out)
{
    eb_columns all;
    eb_bytes asked = *bytes;
    bool needed = false, *wanted = calloc(out->columns, sizeof *wanted);
    asked.how = out->how;
    if (!wanted || out->how.columns || eb_columns_choose(&asked, out->columns, out->name, &all, NULL)) {
        free(wanted);
        return;
    }
    for (size_t k = 0; k < out->columns; k++) {
        const bool id = out->how.label && out->name && eb_is_id(out->name[k]);
        wanted[k] = all.coordinate[k] != EB_NO_COLUMN && out->number[k] && !id;
        needed |= !wanted[k] && all.coordinate[k] != EB_NO_COLUMN;
    }
    if (needed && *eb_columns_words(out->coordinates, sizeof out->coordinates, wanted, out->columns))
        out->how.columns = out->coordinates;
    eb_columns_free(&all);
    free(wanted);
}

static bool loads(const eb_bytes *head, eb_csv_head *out)
{
    eb_bytes bytes = *head;
    eb_text_table t;
    bytes.how = out->how;
    const bool read = eb_read_text(&bytes, &t, NULL) == EB_OK;
    out->n = t.n;
    out->d = t.columns.d;
    eb_free_text(&t);
    return read;
}

/* Adds choices until the head loads. Each step leaves what was asked for as it is. */
static bool choose(const eb_bytes *bytes, eb_csv_head *out, eb_decimal sign, bool gaps)
{
    choose_label(out);
    choose_columns(bytes, out);
    if (loads(bytes, out))
        return true;
    if (gaps && out->how.missing == EB_MISSING_REFUSED) {
        out->how.missing = EB_MISSING_DROPPED;
        if (loads(bytes, out))
            return true;
    }
    if (sign == out->how.decimal)
        return false;
    out->how.decimal = sign;
    return loads(bytes, out);
}

static bool look_at_columns(eb_text_table *t, eb_piece line, kinds *kind, eb_csv_head *out, bool *unknown_header)
{
    const size_t columns = out->columns, uneven = look_at_rows(t, line, columns, kind);
    const eb_decimal sign = sign_of(t, kind, columns);
    bool gaps = uneven > 0;
    for (size_t k = 0; k < columns; k++) {
        const bool id = t->name && eb_is_id(t->name[k]), texts = texts_of(&kind[k], sign) > 0;
        out->number[k] = is_column_of_numbers(&kind[k], sign);
        out->text[k] = texts && (kind[k].numbers[sign] == 0 || id);
        out->mixed |= texts && !out->text[k];
        gaps |= kind[k].gaps > 0;
    }
    *unknown_header = has_unknown_header(t, kind, columns, sign);
    return !*unknown_header && uneven <= t->n && choose(t->bytes, out, sign, gaps);
}

static bool look(eb_text_table *t, eb_csv_head *out, bool *unknown_header)
{
    eb_piece line;
    *unknown_header = false;
    if (eb_take_header(t, &line, NULL))
        return false;
    out->columns = eb_count_cells(t->separator, line);
    if (t->name && t->names != out->columns)
        eb_forget_names(t);
    kinds *kind = calloc(out->columns, sizeof *kind);
    out->number = calloc(out->columns, sizeof *out->number);
    out->text = calloc(out->columns, sizeof *out->text);
    out->name = t->name;
    t->name = NULL;
    t->names = 0;
    bool found = false;
    if (kind && out->number && out->text) {
        eb_text_table named = *t;
        named.name = out->name;
        found = look_at_columns(&named, line, kind, out, unknown_header);
    }
    free(kind);
    return found;
}

static bool look_with(const eb_bytes *bytes, eb_csv_head *out, bool *unknown_header)
{
    eb_text_table t;
    *out = (eb_csv_head){.how = bytes->how};
    eb_begin_text(bytes, &t);
    const bool found = look(&t, out, unknown_header);
    eb_forget_names(&t);
    if (!found)
        eb_csv_head_free(out);
    return found;
}

eb_code eb_csv_head_of(const eb_bytes *whole, eb_csv_head *out)
{
    eb_bytes bytes = *whole;
    bool unknown_header;
    if (bytes.size > EB_CSV_HEAD) {
        const char *newline = memrchr(bytes.data, '\n', EB_CSV_HEAD);
        bytes.size = newline ? (size_t)(newline + 1 - (const char *)bytes.data) : 0;
    }
    bool found = look_with(&bytes, out, &unknown_header);
    if (!found && unknown_header && bytes.how.header == EB_HEADER_GUESSED) {
        bytes.how.header = EB_HEADER_YES;
        found = look_with(&bytes, out, &unknown_header);
    }
    if (found && bytes.size < whole->size)
        out->n = 0;
    return found ? EB_OK : EB_BAD_FORMAT;
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
    const eb_bytes bytes = {.data = (const unsigned char *)text, .size = size, .name = path};
    if (!failed && eb_csv_head_of(&bytes, out))
        failed = eb_fail(status, EB_BAD_FORMAT, "%s: expected columns of numbers", path);
    free(text);
    return failed;
}

void eb_csv_head_free(eb_csv_head *head)
{
    for (size_t k = 0; head->name && k < head->columns; k++)
        free(head->name[k]);
    free(head->name);
    free(head->number);
    free(head->text);
    *head = (eb_csv_head){.columns = 0};
}
