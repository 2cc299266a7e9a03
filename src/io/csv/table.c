#include "io/csv/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/decimal.h"
#include "io/bytes.h"

void eb_begin_text(const eb_bytes *bytes, eb_text_table *t)
{
    const char *text = (const char *)bytes->data;
    *t = (eb_text_table){.bytes = bytes, .lines = {.at = text, .end = text + bytes->size}, .separator = ' '};
    if (bytes->size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        t->lines.at += 3; /* skip the byte order mark that spreadsheets write */
}

bool eb_read_cell(eb_piece cell, double *out)
{
    cell = eb_unquoted(cell);
    return eb_read_decimal(cell.begin, cell.end, out);
}

/* ---- the header ---- */

/* True for "1" and "1 2", false for "feature 1". */
static bool only_numbers(eb_piece cell)
{
    double ignored;
    if (eb_read_cell(cell, &ignored))
        return true;
    for (bool more = true; more;)
        if (!eb_read_cell(eb_take_cell(' ', &cell, &more), &ignored))
            return false;
    return true;
}

/* A header has no number in it. A line that mixes names and numbers is refused later as a bad cell: taking it for a
 * header could lose a row. */
static bool is_header(const eb_text_table *t, eb_piece line)
{
    const eb_reading *how = &t->bytes->how;
    if (how->header != EB_HEADER_GUESSED || eb_columns_are_named(how))
        return how->header != EB_HEADER_NO;
    eb_piece rest = eb_start_of(t->separator, line);
    for (bool more = true; more;)
        if (only_numbers(eb_take_cell(t->separator, &rest, &more)))
            return false;
    return true;
}

/* The text of a cell. Heap; NULL: out of memory. */
static char *name_of(eb_piece cell)
{
    size_t size = eb_piece_length(cell) + 1;
    char *name = malloc(size);
    if (name)
        (void)eb_cell_text(cell, name, size);
    return name;
}

static eb_code take_names(eb_text_table *t, eb_piece line, eb_status *status)
{
    size_t count = eb_count_cells(t->separator, line);
    eb_piece rest = eb_start_of(t->separator, line);
    char **name = calloc(count, sizeof *name);
    bool more = true, whole = true;
    if (!name)
        return eb_fail_memory(status, t->bytes->name, count * sizeof *name);
    for (size_t k = 0; more && whole && k < count; k++) {
        name[k] = name_of(eb_take_cell(t->separator, &rest, &more));
        whole = name[k] != NULL;
    }
    t->name = name;
    t->names = count;
    eb_piece names = eb_trimmed(line);
    (void)snprintf(t->header, sizeof t->header, "%.*s", (int)(names.end - names.begin), names.begin);
    return whole ? EB_OK : eb_fail_memory(status, t->bytes->name, eb_piece_length(line));
}

void eb_forget_names(eb_text_table *t)
{
    for (size_t k = 0; t->name && k < t->names; k++)
        free(t->name[k]);
    free(t->name);
    t->name = NULL;
    t->names = 0;
}

eb_code eb_take_header(eb_text_table *t, eb_piece *line, eb_status *status)
{
    bool any = eb_take_line(&t->lines, line);
    if (any) {
        t->separator = eb_find_separator(*line);
        if (is_header(t, *line)) {
            EB_TRY(take_names(t, *line, status));
            any = eb_take_line(&t->lines, line);
        }
    }
    if (!any)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset %zu: expected rows of numbers, found the end", t->bytes->name,
                       t->bytes->size);
    t->separator = eb_separator_of_row(*line); /* the rows decide: a title may have commas where the rows have blanks */
    return EB_OK;
}

/* ---- messages about a cell that is not a number ---- */

enum { ROWS_LOOKED_AT = 64 };

/* True for a cell with a letter that is not a number. Digits with commas or dots are a number in some country's
 * notation. */
static bool is_text(eb_piece cell)
{
    double ignored;
    bool letter = false;
    for (const char *p = cell.begin; p < cell.end && !letter; p++) {
        unsigned char c = (unsigned char)*p;
        letter = (c | 32u) - 'a' < 26u || c >= 0x80;
    }
    return letter && !eb_read_cell(cell, &ignored);
}

/* Finds columns whose cells are text in this row and the next ones; missing cells count as neither. Returns their
 * number. */
static size_t find_texts(const eb_text_table *t, eb_piece line, bool *text)
{
    eb_lines lines = t->lines;
    for (size_t k = 0; k < t->columns.count; k++)
        text[k] = true;
    for (int row = 0; row == 0 || (row < ROWS_LOOKED_AT && eb_take_line(&lines, &line)); row++) {
        eb_piece rest = eb_start_of(t->separator, line);
        bool more = true;
        for (size_t k = 0; more && k < t->columns.count; k++) {
            eb_piece cell = eb_unquoted(eb_take_cell(t->separator, &rest, &more));
            if (!eb_is_missing(cell.begin, eb_piece_length(cell)) && !is_text(cell))
                text[k] = false;
        }
    }
    size_t texts = 0;
    for (size_t k = 0; k < t->columns.count; k++)
        texts += text[k];
    return texts;
}

/* Writes "; column 4 holds text: columns=0..3 leaves it out, label=species keeps it as labels". */
static void advise_on_texts(const eb_text_table *t, const bool *text, size_t texts, size_t column, char *out,
                            size_t size)
{
    char which[96], others[96], label[64];
    size_t count = t->columns.count;
    bool *number = malloc(count * sizeof *number);
    if (!number)
        return;
    for (size_t k = 0; k < count; k++)
        number[k] = !text[k] && t->columns.coordinate[k] != EB_NO_COLUMN;
    (void)eb_columns_words(which, sizeof which, text, count);
    (void)eb_columns_words(others, sizeof others, number, count);
    free(number);
    if (t->name && eb_is_plain_name(t->name[column]))
        (void)snprintf(label, sizeof label, "%s", t->name[column]);
    else
        (void)snprintf(label, sizeof label, "%zu", column);
    if (!others[0])
        (void)snprintf(out, size, "; no column that is asked for holds numbers");
    else if (texts == 1)
        (void)snprintf(out, size, "; column %s holds text: columns=%s leaves it out, label=%s keeps it as labels",
                       which, others, label);
    else
        (void)snprintf(out, size, "; columns %s hold text: columns=%s leaves them out, label=%s keeps one as labels",
                       which, others, label);
}

static void advise(const eb_text_table *t, eb_piece line, eb_piece cell, size_t column, char *out, size_t size)
{
    eb_piece inside = eb_unquoted(cell);
    out[0] = 0;
    if (eb_is_missing(inside.begin, eb_piece_length(inside))) {
        (void)snprintf(out, size, "; missing=drop leaves such rows out, missing=mean fills in the column's mean");
        return;
    }
    if (t->n + t->left_out > 0 || !is_text(inside)) /* a column that began with numbers is damaged, not text */
        return;
    bool *text = malloc(t->columns.count * sizeof *text);
    size_t texts = text ? find_texts(t, line, text) : 0;
    if (texts > 0 && text[column])
        advise_on_texts(t, text, texts, column, out, size);
    free(text);
}

eb_code eb_fail_cell(const eb_text_table *t, eb_piece line, eb_piece cell, size_t column, eb_status *status)
{
    char shown[EB_SHOWN_SIZE], name[EB_SHOWN_SIZE], advice[400];
    size_t length = eb_piece_length(cell);
    bool named = t->name && t->name[column][0];
    advise(t, line, cell, column, advice, sizeof advice);
    return eb_fail(status, EB_BAD_FORMAT,
                   "%s: row %zu, column %zu%s%s (line %zu, offset %zu): expected a number, found %s%s", t->bytes->name,
                   t->n + t->left_out, column, named ? " " : "",
                   named ? eb_show_bytes(name, t->name[column], strlen(t->name[column])) : "", t->lines.line,
                   eb_offset_of(t, cell.begin),
                   length == 0 ? "an empty cell" : eb_show_bytes(shown, cell.begin, length), advice);
}
