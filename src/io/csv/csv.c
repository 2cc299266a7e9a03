/* csv: reads CSV, TSV and blank-separated tables as FP64. Cells are separated by comma, semicolon, tab or runs of
 * blanks: by the one that divides the header and the first row into the same number of cells, or, if there is none, by
 * the one that fits the first row alone (table.c). The first line is a header if none of its cells is a number. Between
 * semicolons, numbers may have a decimal comma. Empty lines and lines that begin with '#' are skipped. Quotes around a
 * cell are removed. bytes->how chooses columns and the treatment of missing values. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/csv/advice.h"
#include "io/csv/table.h"
#include "io/load_line.h"

/* Reads the table. On failure the message ends with the lines to type. On success the caller frees the table. */
static eb_code read_text(const eb_bytes *bytes, eb_text_table *t, eb_status *status)
{
    eb_status why;
    char advice[EB_TABLE_ADVICE];
    eb_code failed = eb_read_text(bytes, t, &why);
    if (!failed)
        return EB_OK;
    failed = eb_fail(status, failed, "%s%s", why.message, eb_advise_on_table(t, advice));
    eb_free_text(t);
    return failed;
}

/* ---- the first lines alone ---- */

/* The end of the first lines: enough to tell a table from something else, and at least two, as one may be a header. 0:
 * the lines are not complete yet. */
static size_t end_of_first_lines(const eb_bytes *bytes)
{
    enum { ENOUGH = 64 * 1024 };
    const char *text = (const char *)bytes->data;
    size_t size = bytes->size < EB_BEGINNING ? bytes->size : EB_BEGINNING, enough = size < ENOUGH ? size : ENOUGH;
    eb_lines lines = {.at = text, .end = text + size};
    eb_piece line;
    if (!bytes->beginning && bytes->size <= ENOUGH)
        return bytes->size;
    for (int taken = 0; taken < 2; taken++)
        if (!eb_take_line(&lines, &line) || lines.at[-1] != '\n')
            return 0;
    const char *newline = memrchr(text, '\n', enough);
    return (size_t)((newline && newline >= lines.at ? newline + 1 : lines.at) - text);
}

/* Checks the last complete line of a text that is still being inflated. */
static eb_code check_last_line(const eb_bytes *bytes, const eb_text_table *t, eb_status *status)
{
    size_t size = bytes->size < EB_BEGINNING ? bytes->size : EB_BEGINNING, cells = t->columns.count;
    const char *from = (const char *)bytes->data + bytes->size - size, *end = memrchr(from, '\n', size);
    const char *begin = end ? memrchr(from, '\n', (size_t)(end - from)) : NULL;
    if (!begin && size < EB_BEGINNING)
        return EB_OK;
    if (!begin)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset %zu: expected rows of %zu cells, found no line in %zu bytes",
                       bytes->name, eb_offset_of(t, from), cells, size);
    eb_lines last = {.at = begin + 1, .end = end + 1};
    eb_piece line;
    size_t found = eb_take_line(&last, &line) ? eb_count_cells(t->separator, line) : cells;
    return found == cells || t->bytes->how.missing == EB_MISSING_DROPPED
               ? EB_OK
               : eb_fail(status, EB_BAD_FORMAT, "%s: offset %zu: expected %zu cells as in row 0, found %zu",
                         bytes->name, eb_offset_of(t, line.begin), cells, found);
}

eb_code eb_shape_csv(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    eb_text_table t;
    eb_bytes first = *bytes;
    first.size = end_of_first_lines(bytes);
    *out = (eb_points){.n = 0};
    if (first.size == 0)
        return !bytes->beginning || bytes->size < EB_BEGINNING
                   ? EB_OK
                   : eb_fail(status, EB_BAD_FORMAT, "%s: offset 0: expected lines of numbers, found none in %zu bytes",
                             bytes->name, EB_BEGINNING);
    EB_TRY(read_text(&first, &t, status));
    *out = (eb_points){.d = t.columns.d, .dtype = EB_F64};
    eb_code failed = bytes->beginning ? check_last_line(bytes, &t, status) : EB_OK;
    eb_free_text(&t);
    return failed;
}

/* ---- remarks ---- */

/* True if the first row counts 0, 1, 2 …, as pandas names columns, and other rows follow. */
static bool begins_with_numbers_of_columns(const eb_text_table *t)
{
    for (size_t k = 0; k < t->columns.d; k++)
        if (t->values[k] != (double)k)
            return false;
    return !t->name && t->n > 1 && t->columns.d > 2;
}

static void remark(const eb_text_table *t, const eb_points *points, char *out, size_t size)
{
    char line[200], typed[120];
    eb_reading how = t->bytes->how;
    if (t->decimal == ',' && how.decimal == EB_DECIMAL_GUESSED)
        eb_add_remark(out, size, "numbers have decimal commas");
    if (t->units[0]) {
        (void)snprintf(line, sizeof line, "line %zu is taken for units: %s", t->units_line, t->units);
        eb_add_remark(out, size, line);
    }
    if (t->numbered) {
        (void)snprintf(line, sizeof line, "column 0 numbers the rows and is left out; columns=0..%zu reads it",
                       t->columns.count - 1);
        eb_add_remark(out, size, line);
    }
    if (how.header == EB_HEADER_GUESSED && begins_with_numbers_of_columns(t)) {
        how.header = EB_HEADER_YES;
        (void)snprintf(line, sizeof line, "the first line numbers the columns; %s takes it for a header",
                       eb_line_to_type(typed, sizeof typed, t->bytes->path, &how));
        eb_add_remark(out, size, line);
    }
    eb_columns_remark(t->bytes, &t->columns, t->name, points, out, size);
}

/* ---- the whole file ---- */

eb_code eb_read_csv(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    eb_text_table t;
    EB_TRY(read_text(bytes, &t, status));
    /* Shrinks to the used size; if that fails, the larger block stays. */
    double *exact = realloc(t.values, t.n * t.columns.d * sizeof *exact);
    if (exact)
        t.values = exact;
    *out = (eb_points){.n = t.n,
                       .d = t.columns.d,
                       .dtype = EB_F64,
                       .rows = (unsigned char *)t.values,
                       .stride = t.columns.d * sizeof *t.values,
                       .owned = t.values,
                       .labels = t.labels,
                       .left_out = t.left_out,
                       .filled = t.filled};
    memcpy(out->header, t.header, sizeof t.header);
    remark(&t, out, out->remark, sizeof out->remark);
    t.labels = NULL;
    t.values = NULL;
    eb_free_text(&t);
    return EB_OK;
}
