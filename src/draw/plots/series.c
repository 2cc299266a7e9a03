/* A report's series as a plot. */
#include <math.h>

#include "draw/plots/plot.h"

eb_role eb_mark_role(char mark)
{
    const unsigned roles = EB_ROLE_LAST - EB_ROLE_SERIES + 1;
    return mark >= 'a' && mark <= 'z' ? (eb_role)(EB_ROLE_SERIES + (unsigned)(mark - 'a') % roles) : EB_ROLE_DIM;
}

/* Letters in the place of dots: what a point belongs to is seen without colours too. Where several fall on one place,
 * the last is seen. */
static void draw_marks(eb_canvas *canvas, const eb_plot *plot, const eb_series *series)
{
    for (size_t k = 0; k < series->points; k++)
        eb_plot_mark(canvas, plot, series->x[k], series->y[k], eb_mark_role(series->mark[k]),
                     (unsigned char)series->mark[k], series->mark[k], NULL);
}

void eb_draw_series(eb_canvas *canvas, eb_rect area, const eb_series *series)
{
    if (series->shape == EB_BARS) {
        const eb_histogram_view all = {.low = NAN, .high = NAN, .log = series->y_log};
        eb_draw_histogram(canvas, area, series, &all);
        return;
    }
    if (series->points == 0) {
        (void)eb_put_short(canvas, area, area.x, area.y, EB_ROLE_DIM, "(no points)");
        return;
    }
    eb_plot plot = {.x = eb_axis_of(series->points, series->x, series->x_log, series->x_title),
                    .y = eb_axis_of(series->points, series->y, series->y_log, series->y_title)};
    if (!eb_plot_frame(canvas, area, &plot)) {
        (void)eb_put_short(canvas, area, area.x, area.y, EB_ROLE_DIM, "(too small for a plot)");
        return;
    }
    if (series->low && series->high)
        eb_plot_band(canvas, &plot, series->points, series->x, series->low, series->high, EB_ROLE_BAND);
    if (series->shape == EB_LINE)
        eb_plot_line(canvas, &plot, series->points, series->x, series->y, EB_ROLE_SERIES);
    else if (series->mark)
        draw_marks(canvas, &plot, series);
    else
        eb_plot_points(canvas, &plot, series->points, series->x, series->y, EB_ROLE_SERIES);
}
