#include "io/csv/advice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/bytes.h"
#include "io/csv/head.h"
#include "io/csv/table.h"
#include "io/load_line.h"

/* Room for the advice and for a line in it. */
enum { ADVICE = EB_TABLE_ADVICE, LINE = 220 };

typedef struct line_to_type {
    char text[LINE];
} line_to_type;

/* Writes the line that loads the table with the choices, and others that it needs beside them. False: there is none
 * that keeps all columns of numbers. */
static bool line_with(const eb_text_table *t, const eb_reading *how, line_to_type *out)
{
    eb_csv_head head;
    eb_bytes bytes = *t->bytes;
    bytes.how = *how;
    if (eb_csv_head_of(&bytes, &head))
        return false;
    const bool whole = how->columns || !head.mixed;
    (void)eb_line_to_type(out->text, sizeof out->text, t->bytes->path, &head.how);
    eb_csv_head_free(&head);
    return whole;
}

/* Writes "; LINE DOES" or, with two lines, "; LINE DOES, LINE DOES". Leaves out a line that does not load. */
static bool put_lines(const eb_text_table *t, const eb_reading *first, const char *does, const eb_reading *second,
                      const char *or_does, char *out)
{
    line_to_type one, two;
    const bool have_one = line_with(t, first, &one), have_two = second && line_with(t, second, &two);
    (void)snprintf(out, ADVICE, "%s%s%s%s%s%s%s%s", have_one || have_two ? "; " : "", have_one ? one.text : "",
                   have_one ? " " : "", have_one ? does : "", have_one && have_two ? ", " : "",
                   have_two ? two.text : "", have_two ? " " : "", have_two ? or_does : "");
    return have_one || have_two;
}

/* ---- columns of text ---- */

/* Writes "; column 4 holds text: LINE leaves it out, LINE keeps it as labels". */
static void advise_on_texts(const eb_text_table *t, const bool *text, size_t texts, size_t column, char *out)
{
    char which[96], others[LINE], label[64], lines[ADVICE];
    const eb_reading asked = t->bytes->how;
    const size_t count = t->columns.count;
    eb_reading without = asked, with = asked;
    bool *number = calloc(count + 1, sizeof *number);
    if (!number)
        return;
    for (size_t k = 0; k < count; k++) {
        const bool id = !asked.columns && t->name && eb_is_id(t->name[k]);
        number[k] = !text[k] && !id && t->columns.coordinate[k] != EB_NO_COLUMN;
    }
    (void)eb_columns_words(which, sizeof which, text, count);
    (void)eb_columns_words(others, sizeof others, number, count);
    free(number);
    without.columns = others;
    with.columns = texts == 1 && !asked.columns ? NULL : others;
    with.label = asked.label ? asked.label : eb_column_word(t->name, column, label, sizeof label);
    if (!others[0]) {
        (void)snprintf(out, ADVICE, "; no column that is asked for holds numbers");
        return;
    }
    const bool one = texts == 1;
    if (put_lines(t, &without, one ? "leaves it out" : "leaves them out", asked.label ? NULL : &with,
                  one ? "keeps it as labels" : "keeps one as labels", lines))
        (void)snprintf(out, ADVICE, "; column%s %s hold%s text: %.500s", one ? "" : "s", which, one ? "s" : "",
                       lines + 2);
}

/* True if a chosen cell of the first row is a number or missing. */
static bool begins_with_number(const eb_text_table *t)
{
    eb_lines lines = {.at = t->first, .end = t->lines.end};
    eb_piece row;
    if (!eb_take_line(&lines, &row))
        return false;
    row = eb_start_of(t->separator, row);
    bool more = true, found = false;
    for (size_t k = 0; more && !found && k < t->columns.count; k++) {
        eb_piece cell = eb_unquoted(eb_take_cell(t->separator, &row, &more));
        found = t->columns.coordinate[k] != EB_NO_COLUMN &&
                (eb_is_number(&t->bytes->how, cell) || eb_is_missing(cell.begin, eb_piece_length(cell)));
    }
    return found;
}

/* Advises if the cell's column, or columns beside it, hold text. */
static void advise_on_columns(const eb_text_table *t, size_t column, bool first, char *out)
{
    eb_csv_head head;
    eb_bytes bytes = *t->bytes;
    bytes.how.columns = bytes.how.label = NULL;
    if (!first && !(t->name && eb_is_id(t->name[column]))) /* a column that began with numbers is damaged, not text */
        return;
    if (bytes.how.header != EB_HEADER_NO && !begins_with_number(t))
        (void)snprintf(out, ADVICE, "; no column that is asked for holds numbers");
    if (eb_csv_head_of(&bytes, &head))
        return;
    size_t texts = 0;
    bool known = head.columns == t->columns.count;
    for (size_t k = 0; known && k < head.columns; k++) {
        head.text[k] &= k != t->columns.label && t->columns.coordinate[k] != EB_NO_COLUMN;
        texts += head.text[k];
    }
    if (known && head.text[column])
        advise_on_texts(t, head.text, texts, column, out);
    eb_csv_head_free(&head);
}

/* ---- single cells ---- */

/* Advises if other columns than those without any value make a table. */
static bool advise_on_empty_columns(const eb_text_table *t, char *out)
{
    char line[LINE];
    eb_csv_head head;
    if (eb_csv_head_of(t->bytes, &head))
        return false;
    const bool suffices = head.how.columns && head.how.missing == t->bytes->how.missing;
    if (suffices)
        (void)snprintf(out, ADVICE, "; %s leaves columns without values out",
                       eb_line_to_type(line, sizeof line, t->bytes->path, &head.how));
    eb_csv_head_free(&head);
    return suffices;
}

static void advise_on_gap(const eb_text_table *t, char *out)
{
    eb_reading drop = t->bytes->how, mean = drop;
    if (!drop.columns && advise_on_empty_columns(t, out))
        return;
    drop.missing = EB_MISSING_DROPPED;
    mean.missing = EB_MISSING_MEAN;
    (void)put_lines(t, &drop, "leaves such rows out", &mean, "fills in the column's mean", out);
}

/* True if the next row has a number in this column, so that the first line may be a header with numbers in it. */
static bool next_is_number(const eb_text_table *t, size_t column)
{
    eb_lines lines = t->lines;
    eb_piece line, cell = {NULL, NULL};
    if (!eb_take_line(&lines, &line) || eb_count_cells(t->separator, line) != t->columns.count)
        return false;
    eb_piece rest = eb_start_of(t->separator, line);
    bool more = true;
    for (size_t k = 0; more && k <= column; k++)
        cell = eb_take_cell(t->separator, &rest, &more);
    return eb_is_number(&t->bytes->how, cell);
}

/* Advises on numbers with the other decimal sign, or with thousands set apart. False: the cell is none. */
static bool advise_on_sign(const eb_text_table *t, eb_piece cell, char *out)
{
    double ignored;
    eb_reading comma = t->bytes->how, point = comma;
    const bool asked = comma.decimal != EB_DECIMAL_GUESSED, grouped = memchr(cell.begin, '.', eb_piece_length(cell));
    const bool reads_comma = eb_read_as(EB_DECIMAL_COMMA, cell, &ignored),
               reads_point = eb_read_as(EB_DECIMAL_POINT, cell, &ignored);
    comma.decimal = EB_DECIMAL_COMMA;
    point.decimal = EB_DECIMAL_POINT;
    out[0] = 0;
    if (!asked && t->decimal != ',' && reads_comma)
        (void)put_lines(t, &comma,
                        grouped ? "reads decimal commas, and points between thousands" : "reads decimal commas",
                        reads_point ? &point : NULL, "reads commas between thousands", out);
    else if (!asked && t->decimal != ',' && reads_point)
        (void)put_lines(t, &point, "reads commas between thousands", NULL, "", out);
    if (!out[0] && (t->decimal == ',' ? reads_point : reads_comma && eb_has_points(t, cell.begin)))
        (void)snprintf(out, ADVICE, "; the decimal sign is a %s", t->decimal == ',' ? "comma" : "point");
    return out[0];
}

/* Advises on LIBSVM's INDEX:VALUE. */
static bool advise_on_libsvm(const eb_text_table *t, eb_piece cell, char *out)
{
    line_to_type line;
    eb_points shape;
    eb_bytes bytes = *t->bytes;
    bytes.how = (eb_reading){.format = "libsvm"};
    if (t->n > 0 || !memchr(cell.begin, ':', eb_piece_length(cell)) || eb_shape_libsvm(&bytes, &shape, NULL))
        return false;
    (void)eb_line_to_type(line.text, sizeof line.text, t->bytes->path, &bytes.how);
    (void)snprintf(out, ADVICE, "; %s reads it as LIBSVM's INDEX:VALUE", line.text);
    return true;
}

static void advise(const eb_text_table *t, eb_piece cell, size_t column, char *out)
{
    eb_piece inside = eb_unquoted(cell);
    const bool first = t->n + t->left_out == 0, gap = eb_is_missing(inside.begin, eb_piece_length(inside));
    eb_reading how = t->bytes->how;
    out[0] = 0;
    if (first && !t->name && !how.header && !memchr(inside.begin, ':', eb_piece_length(inside)) &&
        (gap ? column == 0 && !eb_piece_length(inside) : eb_is_text(inside)) && next_is_number(t, column)) {
        how.header = EB_HEADER_YES;
        if (put_lines(t, &how, "takes this line for a header", NULL, "", out))
            return;
    }
    if (gap)
        advise_on_gap(t, out);
    else if (!advise_on_sign(t, inside, out) && eb_is_text(inside) && !advise_on_libsvm(t, inside, out))
        advise_on_columns(t, column, first, out);
}

char *eb_advise_on_table(const eb_text_table *t, char advice[EB_TABLE_ADVICE])
{
    eb_reading drop = t->bytes->how;
    drop.missing = EB_MISSING_DROPPED;
    advice[0] = 0;
    if (t->bytes->brief)
        return advice;
    if (t->bad.kind == EB_BAD_CELL)
        advise(t, t->bad.piece, t->bad.column, advice);
    else if (t->bad.kind == EB_BAD_ROW && t->n > 0)
        (void)put_lines(t, &drop, "leaves such rows out", NULL, "", advice);
    return advice;
}
