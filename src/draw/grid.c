#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/find.h"
#include "draw/format.h"
#include "draw/grid.h"
#include "draw/utf8.h"

static eb_code make_grid(size_t rows, size_t columns, eb_grid *out, eb_status *status)
{
    *out = (eb_grid){.rows = rows, .columns = columns};
    if (columns > 0 && rows > SIZE_MAX / sizeof(char *) / columns)
        return eb_fail_memory(status, "a table to show", SIZE_MAX);
    size_t cells = rows * columns;
    out->text = calloc(cells ? cells : 1, sizeof *out->text);
    out->right = calloc(columns ? columns : 1, sizeof *out->right);
    if (out->text && out->right)
        return EB_OK;
    eb_grid_free(out);
    return eb_fail_memory(status, "a table to show", cells * sizeof *out->text);
}

void eb_grid_free(eb_grid *grid)
{
    for (size_t k = 0; grid->text && k < grid->rows * grid->columns; k++)
        free(grid->text[k]);
    free(grid->text);
    free(grid->right);
    *grid = (eb_grid){0};
}

/* False: out of memory. */
static bool put_text(eb_grid *grid, size_t row, size_t column, const char *text, bool ascii)
{
    char *shown = eb_utf8_shown(text, ascii);
    grid->text[row * grid->columns + column] = shown;
    return shown != NULL;
}

static bool put_value(eb_grid *grid, size_t row, size_t column, eb_value value, eb_unit unit, bool ascii)
{
    char number[64];
    if (value.kind == EB_TEXT)
        return put_text(grid, row, column, value.as.text, ascii);
    return put_text(grid, row, column, eb_format_value(number, sizeof number, value, unit), ascii);
}

static eb_value cell_of(const eb_table *table, size_t row, size_t column)
{
    return table->cell[row * table->columns + column];
}

/* Index of the k-th column that people see (report.h); table->columns if there is none. */
static size_t shown_column(const eb_table *table, size_t k)
{
    size_t c = 0;
    while (c < table->columns && (!table->column[c].title || k-- > 0))
        c++;
    return c;
}

static size_t shown_columns(const eb_table *table)
{
    size_t count = 0;
    while (shown_column(table, count) < table->columns)
        count++;
    return count;
}

/* Text is aligned left, everything else right. A column of only n/a is aligned by its unit. */
static bool holds_text(const eb_table *table, size_t column)
{
    bool known = false;
    for (size_t r = 0; r < table->rows; r++) {
        eb_value_kind kind = cell_of(table, r, column).kind;
        if (kind == EB_TEXT)
            return true;
        known |= kind != EB_NA;
    }
    return !known && table->column[column].unit == EB_PLAIN;
}

static bool fill_straight(const eb_table *table, bool ascii, eb_grid *grid)
{
    bool done = true;
    for (size_t k = 0; k < grid->columns; k++) {
        size_t c = shown_column(table, k);
        grid->right[k] = !holds_text(table, c);
        done &= put_text(grid, 0, k, table->column[c].title, ascii);
        for (size_t r = 0; r < table->rows; r++)
            done &= put_value(grid, r + 1, k, cell_of(table, r, c), table->column[c].unit, ascii);
    }
    return done;
}

/* Puts the ratio of the first row's value to the second's; an empty cell if the ratio means nothing. */
static bool put_ratio(const eb_table *table, size_t column, size_t line, bool ascii, eb_grid *grid)
{
    eb_unit unit = table->column[column].unit;
    double above = eb_value_number(cell_of(table, 0, column)), below = eb_value_number(cell_of(table, 1, column));
    if (unit == EB_IDENTITY || unit == EB_PERCENT || isnan(above) || isnan(below) || below == 0)
        return put_text(grid, line, 3, "", ascii);
    return put_value(grid, line, 3, eb_real(above / below), EB_RATIO, ascii);
}

static bool fill_turned(const eb_table *table, bool ascii, eb_grid *grid)
{
    bool done = true, ratio = grid->columns > table->rows + 1;
    for (size_t r = 0; r < table->rows; r++)
        grid->right[r + 1] = true;
    for (size_t k = 0; k < grid->rows; k++) {
        size_t c = shown_column(table, k);
        done &= put_text(grid, k, 0, k == 0 ? "" : table->column[c].title, ascii);
        for (size_t r = 0; r < table->rows; r++)
            done &= put_value(grid, k, r + 1, cell_of(table, r, c), table->column[c].unit, ascii);
        if (ratio)
            done &= k == 0 ? put_text(grid, 0, 3, "ratio", ascii) : put_ratio(table, c, k, ascii, grid);
    }
    if (ratio)
        grid->right[3] = true;
    return done;
}

eb_code eb_grid_of_table(const eb_table *table, bool ascii, eb_grid *out, eb_status *status)
{
    size_t shown = shown_columns(table);
    size_t rows = table->turned ? shown : table->rows + 1;
    size_t columns = table->turned ? table->rows + 1 + (table->rows == 2) : shown;
    EB_TRY(make_grid(rows, columns, out, status));
    if (table->turned ? fill_turned(table, ascii, out) : fill_straight(table, ascii, out))
        return EB_OK;
    eb_grid_free(out);
    return eb_fail_memory(status, "a table's cells", rows * columns);
}

eb_code eb_grid_of_fields(const eb_field *fields, size_t count, bool ascii, eb_grid *out, eb_status *status)
{
    size_t rows = 0;
    for (size_t k = 0; k < count; k++)
        rows += fields[k].title != NULL;
    EB_TRY(make_grid(rows, 2, out, status));
    bool done = true;
    for (size_t k = 0, row = 0; k < count; k++) {
        if (!fields[k].title)
            continue;
        done &= put_text(out, row, 0, fields[k].title, ascii);
        done &= put_value(out, row++, 1, fields[k].value, fields[k].unit, ascii);
    }
    if (done)
        return EB_OK;
    eb_grid_free(out);
    return eb_fail_memory(status, "fields to show", count);
}

/* ---- units ---- */

/* Where the unit begins in "12.3 ms", with its blank; NULL: the text is no number with one unit. */
static const char *unit_of(const char *text)
{
    const char *digits = text + (text[0] == '-'), *blank = strchr(text, ' ');
    return digits[0] >= '0' && digits[0] <= '9' && blank && !strchr(blank + 1, ' ') ? blank : NULL;
}

/* Cells that say nothing about a line's unit: unknown ones, and ratios of a turned table. */
static bool has_no_unit(const char *text)
{
    static const char times[] = "\xC3\x97";
    const size_t length = strlen(text), tail = sizeof times - 1;
    return length == 0 || strcmp(text, "n/a") == 0 || (length > tail && strcmp(text + length - tail, times) == 0);
}

/* `count` cells, each `step` after the one before it; the first one is the title. */
typedef struct line {
    char **cell;
    size_t step, count;
} line;

/* The unit that all cells share; NULL: none. */
static const char *shared_unit(const line *l)
{
    const char *shared = NULL;
    for (size_t k = 1; k < l->count; k++) {
        const char *text = l->cell[k * l->step];
        if (has_no_unit(text))
            continue;
        const char *unit = unit_of(text);
        if (!unit || (shared && strcmp(unit, shared) != 0))
            return NULL;
        shared = unit;
    }
    return shared;
}

/* Out of memory, the line stays as it is. */
static void lift_unit(const line *l)
{
    const char *unit = shared_unit(l);
    char *title = NULL;
    if (!unit || asprintf(&title, "%s (%s)", l->cell[0], unit + 1) < 0)
        return;
    free(l->cell[0]);
    l->cell[0] = title;
    for (size_t k = 1; k < l->count; k++) {
        char *text = l->cell[k * l->step];
        if (!has_no_unit(text))
            text[unit_of(text) - text] = '\0';
    }
}

void eb_grid_lift_units(eb_grid *grid, bool turned)
{
    const size_t lines = turned ? grid->rows : grid->columns;
    for (size_t k = turned ? 1 : 0; k < lines; k++)
        if (turned || grid->right[k])
            lift_unit(&(line){grid->text + (turned ? k * grid->columns : k), turned ? 1 : grid->columns,
                              turned ? grid->columns : grid->rows});
}
