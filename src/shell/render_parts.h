/* render_parts: what the renderers share. Not for others. */
#ifndef EB_SHELL_RENDER_PARTS_H
#define EB_SHELL_RENDER_PARTS_H

#include "shell/render.h"

eb_code eb_render_text(FILE *out, const eb_report *report, const eb_render_options *options, eb_status *status);
eb_code eb_render_json(FILE *out, const eb_report *report, const eb_status *failure, eb_status *status);
eb_code eb_render_csv(FILE *out, const eb_report *report, eb_status *status);
eb_code eb_render_markdown(FILE *out, const eb_report *report, eb_status *status);

void eb_render_json_error(FILE *out, const char *command, const eb_status *failure);

/* The shortest decimal number that reads back as x. Returns buffer. */
char *eb_format_exact(char *buffer, size_t size, double x);

/* A number for a plot's axis, in about so many digits. */
char *eb_format_tick(char *buffer, size_t size, double x, int digits);

/* A table as people see it: cells formatted and fit to be shown, row 0 the titles. A turned table (report.h) has a
 * line for every column and a column for every row, and with two rows their ratio. */
typedef struct eb_grid {
    size_t columns, rows; /* rows: the titles' too */
    char **text;          /* [rows × columns], heap */
    bool *right;          /* [columns] set right: numbers */
} eb_grid;

eb_code eb_grid_of_table(const eb_table *table, bool ascii, eb_grid *out, eb_status *status);
eb_code eb_grid_of_fields(const eb_field *fields, size_t count, bool ascii, eb_grid *out, eb_status *status);
void eb_grid_free(eb_grid *grid);

static inline const char *eb_grid_text(const eb_grid *grid, size_t row, size_t column)
{
    return grid->text[row * grid->columns + column];
}

/* Width of plots where the width is unlimited, and their height. */
enum { EB_PLOT_WIDTH = 80 };
static inline unsigned eb_plot_height(const eb_series *series)
{
    return series->shape == EB_BARS ? 25 : series->shape == EB_POINTS ? 24 : 15;
}

/* render_lines.c: the part of eb_draw_series that draws EB_LINE and EB_POINTS. */
eb_code eb_draw_lines(FILE *out, const eb_series *series, unsigned width, unsigned height, bool unicode,
                      eb_status *status);

#endif
