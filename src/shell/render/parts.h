/* parts: what the renderers share. Not for others. */
#ifndef EB_SHELL_RENDER_PARTS_H
#define EB_SHELL_RENDER_PARTS_H

#include "draw/format.h"
#include "draw/grid.h"
#include "draw/plots/heat_map.h"
#include "shell/render/render.h"

eb_code eb_render_text(FILE *out, const eb_report *report, const eb_render_options *options, eb_status *status);
eb_code eb_render_json(FILE *out, const eb_report *report, const eb_status *failure, eb_status *status);
eb_code eb_render_csv(FILE *out, const eb_report *report, eb_status *status);
eb_code eb_render_markdown(FILE *out, const eb_report *report, eb_status *status);

void eb_render_json_error(FILE *out, const char *command, const eb_status *failure);

/* Width of plots where the width is unlimited, and their height. */
enum { EB_PLOT_WIDTH = 80 };
static inline unsigned eb_plot_height(const eb_series *series)
{
    if (series->shape == EB_HEAT)
        return (unsigned)eb_heat_map_rows(series);
    return series->shape == EB_BARS ? 25 : series->shape == EB_POINTS ? 24 : 15;
}

#endif
