/* grid: a report's table as formatted text, cell by cell, before the page's width is known. */
#pragma once

#include "core/base/status.h"
#include "core/report/report.h"

/* A table with all cells formatted and safe to show; row 0 holds the titles. A turned table (report.h) has a line for
 * each column and a column for each row, and with two rows a column of their ratios. */
typedef struct eb_grid {
    size_t columns, rows; /* rows: including the titles */
    char **text;          /* [rows × columns], heap */
    bool *right;          /* [columns]: true for columns aligned right (numbers) */
} eb_grid;

eb_code eb_grid_of_table(const eb_table *table, bool ascii, eb_grid *out, eb_status *status);
/* One row for each field that people see. */
eb_code eb_grid_of_fields(const eb_field *fields, size_t count, bool ascii, eb_grid *out, eb_status *status);
void eb_grid_free(eb_grid *grid);

/* Moves a unit that all numbers of a column share ("12.3 ms", "8.10 ms") to its title: "kernels (ms)". A turned
 * table's numbers share a unit in a line, whose first cell is the title. */
void eb_grid_lift_units(eb_grid *grid, bool turned);

static inline const char *eb_grid_text(const eb_grid *grid, size_t row, size_t column)
{
    return grid->text[row * grid->columns + column];
}
