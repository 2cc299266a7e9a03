/* What is said of a cell that is no number. Where its column holds text, all such columns are named, and how to leave
 * them out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/bytes.h"
#include "io/csv/table.h"

enum { ROWS_LOOKED_AT = 64 };

/* A cell with a letter in it, that is no number. Digits with commas or dots are a number of some other country. */
static bool is_text(const eb_text_table *t, eb_piece cell)
{
    double ignored;
    bool letter = false;
    for (const char *p = cell.begin; p < cell.end && !letter; p++) {
        unsigned char c = (unsigned char)*p;
        letter = (c | 32u) - 'a' < 26u || c >= 0x80;
    }
    return letter && !eb_read_cell(t, cell, &ignored);
}

/* Columns whose cells are text in this row and those after it; missing ones say nothing. */
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
            if (!eb_is_missing(cell.begin, eb_piece_length(cell)) && !is_text(t, cell))
                text[k] = false;
        }
    }
    size_t texts = 0;
    for (size_t k = 0; k < t->columns.count; k++)
        texts += text[k];
    return texts;
}

bool eb_is_plain_name(const char *name)
{
    for (const char *p = name; *p; p++)
        if (!strchr("_-+%/()", *p) && ((unsigned)(*p | 32) - 'a' >= 26u) && ((unsigned)*p - '0' >= 10u))
            return false;
    return *name && strlen(name) <= 40;
}

/* "; column 4 holds text: columns=0..3 leaves it out, label=species keeps it" */
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
    if (t->n + t->left_out > 0 || !is_text(t, inside)) /* a column that began with numbers is damaged, not text */
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
                   named ? eb_show_bytes(name, (const unsigned char *)t->name[column], strlen(t->name[column])) : "",
                   t->lines.line, eb_offset_of(t, cell.begin),
                   length == 0 ? "an empty cell" : eb_show_bytes(shown, (const unsigned char *)cell.begin, length),
                   advice);
}
