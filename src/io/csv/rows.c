/* rows: reads the rows of a text table, chooses columns, and settles missing values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/bytes.h"
#include "io/csv/table.h"

/* Chooses the columns, given the first row. */
static eb_code choose_columns(eb_text_table *t, eb_piece row, eb_status *status)
{
    const eb_reading *how = &t->bytes->how;
    size_t count = eb_count_cells(t->separator, row);
    if (t->name && t->names != count && eb_columns_are_named(how))
        return eb_fail(status, EB_BAD_FORMAT, "%s: row 0 (line %zu): expected %zu cells as the header has, found %zu",
                       t->bytes->name, t->lines.line, t->names, count);
    if (t->name && t->names != count) /* the line is a title, not names */
        eb_forget_names(t);
    EB_TRY(eb_columns_choose(t->bytes, count, t->name, &t->columns, status));
    if (how->label) {
        char number[24];
        (void)snprintf(number, sizeof number, "%zu", t->columns.label);
        t->labels = eb_labels_new(t->name && t->name[t->columns.label][0] ? t->name[t->columns.label] : number);
        if (!t->labels)
            return eb_fail_memory(status, "labels", sizeof *t->labels);
    }
    return eb_dataset_check_shape(t->bytes->name, 1, t->columns.d, EB_F64, status);
}

/* ---- rows ---- */

static eb_code fail_cell(eb_text_table *t, eb_piece cell, size_t column, eb_status *status)
{
    char shown[EB_SHOWN_SIZE], name[EB_SHOWN_SIZE];
    const size_t length = eb_piece_length(cell);
    const bool named = t->name && t->name[column][0];
    t->bad = (eb_bad){EB_BAD_CELL, cell, column};
    return eb_fail(status, EB_BAD_FORMAT,
                   "%s: row %zu, column %zu%s%s (line %zu, offset %zu): expected a number, found %s", t->bytes->name,
                   t->n + t->left_out, column, named ? " " : "",
                   named ? eb_show_bytes(name, t->name[column], strlen(t->name[column])) : "", t->lines.line,
                   eb_offset_of(t, cell.begin),
                   length == 0 ? "an empty cell" : eb_show_bytes(shown, cell.begin, length));
}

static eb_code fail_row(eb_text_table *t, eb_piece line, eb_status *status)
{
    t->bad = (eb_bad){EB_BAD_ROW, line, 0};
    return eb_fail(status, EB_BAD_FORMAT,
                   "%s: row %zu (line %zu, offset %zu): expected %zu cells as in row 0, found %zu", t->bytes->name,
                   t->n + t->left_out, t->lines.line, eb_offset_of(t, line.begin), t->columns.count,
                   eb_count_cells(t->separator, line));
}

/* Makes room for another row. Growing by half wastes at most half of the space in use. */
static eb_code reserve_row(eb_text_table *t, eb_status *status)
{
    size_t needed = (t->n + 1) * t->columns.d; /* at most the file's bytes: each value takes one or more */
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

/* Reads a coordinate. *gap: its value is missing, and that is allowed. Any spelling of NaN counts as missing (C also
 * prints -nan). */
static bool take_value(eb_text_table *t, eb_piece cell, double *out, bool *gap)
{
    eb_piece inside = eb_unquoted(cell);
    *out = NAN;
    bool missing = eb_is_missing(inside.begin, eb_piece_length(inside)), number = eb_read_cell(t, cell, out);
    *gap = t->bytes->how.missing != EB_MISSING_REFUSED && (missing || (number && isnan(*out)));
    return *gap || number;
}

static eb_code add_label(eb_text_table *t, eb_piece cell, eb_status *status)
{
    char text[1024];
    if (!eb_cell_text(cell, text, sizeof text))
        return eb_fail(status, EB_TOO_LARGE, "%s: row %zu (line %zu): a label of %zu bytes; at most %zu are supported",
                       t->bytes->name, t->n + t->left_out, t->lines.line, eb_piece_length(cell), sizeof text - 1);
    return eb_labels_add(t->labels, text, strlen(text)) ? EB_OK : eb_fail_memory(status, "labels", sizeof text);
}

static bool is_uneven(const eb_text_table *t, eb_piece line)
{
    return eb_count_cells(t->separator, line) != t->columns.count;
}

/* True for a row of empty cells only, as spreadsheets write them below a table. */
static bool is_empty_row(const eb_text_table *t, eb_piece line)
{
    eb_piece rest = eb_start_of(t->separator, line);
    for (bool more = true; more;)
        if (eb_piece_length(eb_take_cell(t->separator, &rest, &more)) > 0)
            return false;
    return true;
}

/* A row of another number of cells is left out as one with a missing value is, or refused. */
static eb_code skip_row(eb_text_table *t, eb_piece line, eb_status *status)
{
    if (t->bytes->how.missing != EB_MISSING_DROPPED)
        return fail_row(t, line, status);
    t->left_out++;
    return EB_OK;
}

static eb_code read_row(eb_text_table *t, eb_piece line, eb_status *status)
{
    EB_TRY(reserve_row(t, status));
    double *row = t->values + t->n * t->columns.d;
    eb_piece rest = eb_start_of(t->separator, line), label = {NULL, NULL};
    bool more = true, gap;
    size_t column = 0, gaps = 0;
    for (; more && column < t->columns.count; column++) {
        eb_piece cell = eb_take_cell(t->separator, &rest, &more);
        uint32_t k = t->columns.coordinate[column];
        if (column == t->columns.label)
            label = cell;
        if (k == EB_NO_COLUMN)
            continue;
        const bool taken = take_value(t, cell, &row[k], &gap);
        if ((!taken || (gap && gaps == 0)) && is_empty_row(t, line))
            return EB_OK;
        if (!taken)
            return is_uneven(t, line) ? skip_row(t, line, status) : fail_cell(t, cell, column, status);
        gaps += gap;
    }
    if (more || column < t->columns.count)
        return skip_row(t, line, status);
    if (gaps > 0 && t->bytes->how.missing == EB_MISSING_DROPPED) {
        t->left_out++;
        return EB_OK;
    }
    if (t->labels)
        EB_TRY(add_label(t, label, status));
    t->filled += gaps;
    t->n++;
    return EB_OK;
}

static eb_code read_rows(eb_text_table *t, eb_piece line, eb_status *status)
{
    do {
        if (t->n == EB_MAX_POINTS)
            EB_TRY(eb_dataset_check_shape(t->bytes->name, (unsigned long long)t->n + 1, t->columns.d, EB_F64, status));
        if (t->n % 4096 == 0)
            EB_TRY(eb_job_check(t->bytes->job, status));
        EB_TRY(read_row(t, line, status));
    } while (eb_take_line(&t->lines, &line));
    return EB_OK;
}

static eb_code read_table(eb_text_table *t, eb_status *status)
{
    eb_piece line;
    EB_TRY(eb_take_header(t, &line, status));
    EB_TRY(choose_columns(t, line, status));
    return read_rows(t, line, status);
}

void eb_free_text(eb_text_table *t)
{
    eb_forget_names(t);
    eb_columns_free(&t->columns);
    eb_labels_free(t->labels);
    free(t->values);
}

/* ---- missing values ---- */

/* The mean of a column's values; NAN if it has none. */
static double mean_of(const eb_text_table *t, size_t k)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < t->n; i++) {
        double x = t->values[i * t->columns.d + k];
        sum += isnan(x) ? 0 : x;
        count += isnan(x) ? 0u : 1u;
    }
    return count ? sum / (double)count : NAN;
}

static eb_code fill_column(eb_text_table *t, size_t k, eb_status *status)
{
    double mean = NAN;
    for (size_t i = 0; i < t->n; i++) {
        double *x = &t->values[i * t->columns.d + k];
        if (isnan(*x) && isnan(mean))
            mean = mean_of(t, k);
        if (isnan(*x) && isnan(mean))
            return eb_fail(status, EB_BAD_VALUE,
                           "%s: coordinate %zu has no value in any row; columns= can leave it out", t->bytes->name, k);
        if (isnan(*x))
            *x = mean;
    }
    return EB_OK;
}

static eb_code settle_missing(eb_text_table *t, eb_status *status)
{
    if (t->n + t->left_out == 0)
        return eb_fail(status, EB_BAD_FORMAT, "%s: expected rows of numbers, found empty ones", t->bytes->name);
    if (t->n == 0)
        return eb_fail(status, EB_BAD_VALUE, "%s: every row has a missing value, %zu rows; missing=drop leaves none",
                       t->bytes->name, t->left_out);
    for (size_t k = 0; t->filled > 0 && k < t->columns.d; k++)
        EB_TRY(fill_column(t, k, status));
    return EB_OK;
}

/* ---- the numbers of rows that pandas and R write ---- */

/* True if the first column has no name, and its values are ascending whole numbers. */
static bool numbers_rows(const eb_text_table *t)
{
    const char *name = t->name ? t->name[0] : "?";
    const size_t d = t->columns.d;
    double before = -1;
    if (t->bytes->how.columns || d < 2 || t->columns.coordinate[0] != 0 || (name[0] && strcmp(name, "Unnamed: 0") != 0))
        return false;
    for (size_t i = 0; i < t->n; i++) {
        const double x = t->values[i * d];
        if (!(x > before) || x != floor(x))
            return false;
        before = x;
    }
    return true;
}

/* Leaves such a column out. */
static void leave_out_numbers(eb_text_table *t)
{
    const size_t d = t->columns.d;
    if (!numbers_rows(t))
        return;
    for (size_t i = 0; i < t->n; i++)
        memmove(t->values + i * (d - 1), t->values + i * d + 1, (d - 1) * sizeof *t->values);
    for (size_t k = 0; k < t->columns.count; k++)
        if (t->columns.coordinate[k] != EB_NO_COLUMN)
            t->columns.coordinate[k]--; /* column 0 becomes EB_NO_COLUMN */
    t->columns.d--;
    t->numbered = true;
}

/* ---- all of it ---- */

eb_code eb_read_text(const eb_bytes *bytes, eb_text_table *t, eb_status *status)
{
    eb_begin_text(bytes, t);
    EB_TRY(read_table(t, status));
    EB_TRY(settle_missing(t, status));
    leave_out_numbers(t);
    return EB_OK;
}
