/* CSV, TSV and tables in blanks, to FP64. Cells are separated by comma, semicolon, tab, or runs of blanks: the first of
 * these that the first line has. The first line is a header when none of its cells is a number. Empty lines and lines
 * that begin with '#' are skipped. Quotes around a cell are taken off. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/bytes.h"
#include "io/decimal.h"
#include "io/reader.h"

typedef struct table {
    const eb_bytes *bytes;
    const char *at, *end; /* what is left to read */
    size_t line;          /* of the line last taken, from 1, as editors count */
    locale_t c_locale;
    char separator; /* ' ': runs of blanks */
    size_t n, d;
    double *values;
    size_t capacity;
    char header[64];
} table;

typedef struct span {
    const char *begin, *end;
} span;

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static span trimmed(span text)
{
    while (text.begin < text.end && is_blank(*text.begin))
        text.begin++;
    while (text.begin < text.end && is_blank(text.end[-1]))
        text.end--;
    return text;
}

static size_t offset_of(const table *t, const char *at) { return (size_t)(at - (const char *)t->bytes->data); }

/* The next line that says something, without its end. */
static bool take_line(table *t, span *out)
{
    while (t->at < t->end) {
        const char *newline = memchr(t->at, '\n', (size_t)(t->end - t->at));
        span line = {t->at, newline ? newline : t->end};
        t->at = newline ? newline + 1 : t->end;
        t->line++;
        if (line.begin < line.end && line.end[-1] == '\r')
            line.end--;
        span text = trimmed(line);
        if (text.begin == text.end || *text.begin == '#')
            continue;
        *out = line;
        return true;
    }
    return false;
}

/* The first separator, in order of preference, that stands outside quotes. */
static char find_separator(span line)
{
    static const char candidates[] = ",;\t";
    bool seen[3] = {false}, quoted = false;
    for (const char *p = line.begin; p < line.end; p++) {
        char c = *p; /* once: in a mapping it may be another one the next time */
        if (c == '"')
            quoted = !quoted;
        const char *hit = quoted || !c ? NULL : strchr(candidates, c);
        if (hit)
            seen[hit - candidates] = true;
    }
    for (size_t k = 0; k < 3; k++)
        if (seen[k])
            return candidates[k];
    return ' ';
}

/* Takes one cell from the front of *rest, and the separator behind it. *more: a separator was there, so another cell
 * follows (an empty one at the end of the line, say). Quotes are left on. */
static span take_cell(char separator, span *rest, bool *more)
{
    const char *p = rest->begin;
    bool quoted = false;
    while (p < rest->end && (quoted || (separator == ' ' ? !is_blank(*p) : *p != separator)))
        quoted ^= *p++ == '"';
    span cell = {rest->begin, p};
    *more = p < rest->end;
    rest->begin = *more ? p + 1 : p;
    if (separator == ' ')
        *rest = trimmed(*rest);
    return trimmed(cell);
}

static bool read_number(const table *t, span cell, double *out)
{
    if (cell.end - cell.begin >= 2 && *cell.begin == '"' && cell.end[-1] == '"')
        cell = trimmed((span){cell.begin + 1, cell.end - 1});
    return eb_read_decimal(cell.begin, cell.end, t->c_locale, out);
}

static eb_code fail_cell(const table *t, span cell, size_t column, eb_status *status)
{
    char shown[EB_SHOWN_SIZE];
    size_t length = (size_t)(cell.end - cell.begin);
    return eb_fail(status, EB_BAD_FORMAT, "%s: row %zu, column %zu (line %zu, offset %zu): expected a number, found %s",
                   t->bytes->name, t->n, column, t->line, offset_of(t, cell.begin),
                   length == 0 ? "an empty cell" : eb_show_bytes(shown, (const unsigned char *)cell.begin, length));
}

static span start_of(const table *t, span line) { return t->separator == ' ' ? trimmed(line) : line; }

/* "1" or "1 2", but not "feature 1". */
static bool only_numbers(const table *t, span cell)
{
    double ignored;
    if (read_number(t, cell, &ignored))
        return true;
    for (bool more = true; more;)
        if (!read_number(t, take_cell(' ', &cell, &more), &ignored))
            return false;
    return true;
}

/* A header has no number in it. One that mixes is refused later as a bad cell: taking it for a
 * header could lose a row. */
static bool is_header(const table *t, span line)
{
    span rest = start_of(t, line);
    for (bool more = true; more;)
        if (only_numbers(t, take_cell(t->separator, &rest, &more)))
            return false;
    return true;
}

/* Where tabs and blanks are mixed in a row of numbers, both only separate. */
static char separator_of_row(span line)
{
    char separator = find_separator(line);
    for (bool more = separator == '\t'; more;) {
        span cell = take_cell('\t', &line, &more);
        if (memchr(cell.begin, ' ', (size_t)(cell.end - cell.begin)))
            return ' ';
    }
    return separator;
}

static size_t count_cells(const table *t, span line)
{
    span rest = start_of(t, line);
    size_t cells = 0;
    for (bool more = true; more; cells++)
        (void)take_cell(t->separator, &rest, &more);
    return cells;
}

/* Room for another row. Grown by half, so that what is over is at most half of what is used. */
static eb_code reserve_row(table *t, eb_status *status)
{
    size_t needed = (t->n + 1) * t->d; /* at most the file's size: every value has a byte */
    if (needed <= t->capacity)
        return EB_OK;
    size_t capacity = needed + needed / 2 + 64;
    double *values = capacity <= SIZE_MAX / sizeof *values ? realloc(t->values, capacity * sizeof *values) : NULL;
    if (!values)
        return eb_fail_memory(status, t->bytes->name, (unsigned long long)capacity * sizeof *values);
    t->values = values;
    t->capacity = capacity;
    return EB_OK;
}

static eb_code read_row(table *t, span line, eb_status *status)
{
    EB_TRY(reserve_row(t, status));
    double *row = t->values + t->n * t->d;
    span rest = start_of(t, line);
    bool more = true;
    size_t column = 0;
    for (; more && column < t->d; column++) {
        span cell = take_cell(t->separator, &rest, &more);
        if (!read_number(t, cell, &row[column]))
            return fail_cell(t, cell, column, status);
    }
    if (more || column < t->d)
        return eb_fail(status, EB_BAD_FORMAT,
                       "%s: row %zu (line %zu, offset %zu): expected %zu cells as in row 0, found %zu", t->bytes->name,
                       t->n, t->line, offset_of(t, line.begin), t->d, count_cells(t, line));
    t->n++;
    return EB_OK;
}

static eb_code read_table(table *t, eb_status *status)
{
    span line;
    bool any = take_line(t, &line);
    if (any) {
        t->separator = find_separator(line);
        if (t->bytes->header == EB_HEADER_YES || (t->bytes->header == EB_HEADER_GUESSED && is_header(t, line))) {
            span names = trimmed(line);
            (void)snprintf(t->header, sizeof t->header, "%.*s", (int)(names.end - names.begin), names.begin);
            any = take_line(t, &line);
        }
    }
    if (!any)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset %zu: expected rows of numbers, found the end", t->bytes->name,
                       t->bytes->size);
    t->separator = separator_of_row(line); /* a title may hold commas where the rows have blanks: the rows decide */
    t->d = count_cells(t, line);
    eb_code failed = eb_dataset_check_shape(t->bytes->name, 1, t->d, EB_F64, status);
    do {
        if (!failed && t->n == EB_MAX_POINTS)
            failed = eb_dataset_check_shape(t->bytes->name, (unsigned long long)t->n + 1, t->d, EB_F64, status);
        if (!failed && t->n % 4096 == 0)
            failed = eb_job_check(t->bytes->job, status);
        if (!failed)
            failed = read_row(t, line, status);
    } while (!failed && take_line(t, &line));
    return failed;
}

static eb_code read_text(const eb_bytes *bytes, table *t, eb_status *status)
{
    const char *text = (const char *)bytes->data;
    *t = (table){.bytes = bytes, .at = text, .end = text + bytes->size, .separator = ' '};
    if (bytes->size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        t->at += 3; /* the byte order mark that spreadsheets put first */
    t->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (t->c_locale == (locale_t)0)
        return eb_fail_memory(status, "the C locale", 0);
    eb_code failed = read_table(t, status);
    freelocale(t->c_locale);
    if (failed)
        free(t->values);
    return failed;
}

/* Behind lines that are enough to tell a table from something else, two at least: one may be a header. 0: they do not
 * end yet. */
static size_t end_of_first_lines(const eb_bytes *bytes)
{
    enum { ENOUGH = 64 * 1024 };
    const char *text = (const char *)bytes->data;
    size_t size = bytes->size < EB_BEGINNING ? bytes->size : EB_BEGINNING, enough = size < ENOUGH ? size : ENOUGH;
    table t = {.at = text, .end = text + size};
    span line;
    if (!bytes->beginning && bytes->size <= ENOUGH)
        return bytes->size;
    for (int lines = 0; lines < 2; lines++)
        if (!take_line(&t, &line) || t.at[-1] != '\n')
            return 0;
    const char *newline = memrchr(text, '\n', enough);
    return (size_t)((newline && newline >= t.at ? newline + 1 : t.at) - text);
}

/* Of a text that is still being inflated, what came last. */
static eb_code check_last_line(const eb_bytes *bytes, const table *t, eb_status *status)
{
    size_t size = bytes->size < EB_BEGINNING ? bytes->size : EB_BEGINNING;
    const char *from = (const char *)bytes->data + bytes->size - size, *end = memrchr(from, '\n', size);
    const char *begin = end ? memrchr(from, '\n', (size_t)(end - from)) : NULL;
    if (!begin && size < EB_BEGINNING)
        return EB_OK;
    if (!begin)
        return eb_fail(status, EB_BAD_FORMAT,
                       "%s: offset %zu: expected rows of %zu numbers, found no line in %zu bytes", bytes->name,
                       offset_of(t, from), t->d, size);
    table last = *t;
    span line;
    last.at = begin + 1;
    last.end = end + 1;
    size_t found = take_line(&last, &line) ? count_cells(&last, line) : t->d;
    return found == t->d ? EB_OK
                         : eb_fail(status, EB_BAD_FORMAT, "%s: offset %zu: expected %zu cells as in row 0, found %zu",
                                   bytes->name, offset_of(t, line.begin), t->d, found);
}

eb_code eb_shape_csv(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    table t;
    eb_bytes first = *bytes;
    first.size = end_of_first_lines(bytes);
    *out = (eb_points){.n = 0};
    if (first.size == 0)
        return !bytes->beginning || bytes->size < EB_BEGINNING
                   ? EB_OK
                   : eb_fail(status, EB_BAD_FORMAT, "%s: offset 0: expected lines of numbers, found none in %zu bytes",
                             bytes->name, EB_BEGINNING);
    EB_TRY(read_text(&first, &t, status));
    free(t.values);
    *out = (eb_points){.d = t.d, .dtype = EB_F64};
    return bytes->beginning ? check_last_line(bytes, &t, status) : EB_OK;
}

eb_code eb_read_csv(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    table t;
    EB_TRY(read_text(bytes, &t, status));
    /* Give back what growing left over; failing at that loses nothing. */
    double *exact = t.n ? realloc(t.values, t.n * t.d * sizeof *exact) : NULL;
    if (exact)
        t.values = exact;
    *out = (eb_points){.n = t.n,
                       .d = t.d,
                       .dtype = EB_F64,
                       .rows = (unsigned char *)t.values,
                       .stride = t.d * sizeof *t.values,
                       .owned = t.values};
    memcpy(out->header, t.header, sizeof t.header);
    return EB_OK;
}
