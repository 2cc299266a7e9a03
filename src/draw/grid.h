/* grid: a table of a report as text, cell by cell, before anybody knows how wide a page is. */
#pragma once

#include "core/base/status.h"
#include "core/report/report.h"

/* A table as people see it: cells formatted and fit to be shown, row 0 the titles. A turned table (report.h) has a
 * line for every column and a column for every row, and with two rows their ratio. */
typedef struct eb_grid {
    size_t columns, rows; /* rows: the titles' too */
    char **text;          /* [rows × columns], heap */
    bool *right;          /* [columns] set right: numbers */
} eb_grid;

eb_code eb_grid_of_table(const eb_table *table, bool ascii, eb_grid *out, eb_status *status);
/* A row for each field that people see. */
eb_code eb_grid_of_fields(const eb_field *fields, size_t count, bool ascii, eb_grid *out, eb_status *status);
void eb_grid_free(eb_grid *grid);

static inline const char *eb_grid_text(const eb_grid *grid, size_t row, size_t column)
{
    return grid->text[row * grid->columns + column];
}
