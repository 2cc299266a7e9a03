/* parts: options and functions that the renderers share; private to this folder. */
#pragma once

#include <stdio.h>

#include "draw/console.h"
#include "draw/format.h"
#include "draw/grid.h"
#include "draw/plots/heat_map.h"
#include "shell/session.h"

typedef struct eb_render_options {
    eb_mode mode;
    unsigned width; /* columns of the terminal; 0: unlimited (a pipe) */
    bool unicode;   /* text mode: UTF-8 in plots and units, else ASCII; the other modes always write UTF-8 */
    bool console;   /* with unicode: only characters of a Linux console's font */
    bool colour;
    const eb_status *failure; /* JSON: why the command ended early, written as "error" beside the partial results; NULL:
                                 it succeeded */
} eb_render_options;

eb_code eb_render_text(FILE *out, const eb_report *report, const eb_render_options *options, eb_status *status);
eb_code eb_render_json(FILE *out, const eb_report *report, const eb_status *failure, eb_status *status);
eb_code eb_render_csv(FILE *out, const eb_report *report, eb_status *status);
eb_code eb_render_markdown(FILE *out, const eb_report *report, eb_status *status);

void eb_render_json_error(FILE *out, const char *command, const eb_status *failure);

/* Width of plots if the width is unlimited, and their height. */
enum { EB_PLOT_WIDTH = 80 };
static inline unsigned eb_plot_height(const eb_series *series)
{
    if (series->shape == EB_HEAT)
        return (unsigned)eb_heat_map_rows(series);
    return series->shape == EB_BARS ? 25 : series->shape == EB_POINTS ? 24 : 15;
}

/* Draws a series as a plot of at most width × height characters plus a title line and a legend: bars are horizontal, of
 * block characters; lines and points are braille dots with axes; half blocks on a console, '#' and '*' in ASCII. */
eb_code eb_put_series(FILE *out, const eb_series *series, unsigned width, unsigned height, eb_font font,
                      eb_status *status);

/* Draws a table that is shown as a picture (report.h) in its full height. */
eb_code eb_put_picture(FILE *out, const eb_table *table, unsigned width, eb_font font, eb_status *status);
