/* series: draws a report's series as a plot. */
#include <math.h>
#include <string.h>

#include "draw/plots/heat_map.h"
#include "draw/plots/plot.h"

eb_role eb_mark_role(char mark)
{
    const unsigned roles = EB_ROLE_LAST - EB_ROLE_SERIES + 1;
    return mark >= 'a' && mark <= 'z' ? (eb_role)(EB_ROLE_SERIES + (unsigned)(mark - 'a') % roles) : EB_ROLE_DIM;
}

/* Draws the range of each point. */
static void draw_ranges(eb_canvas *canvas, const eb_plot *plot, const eb_series *s)
{
    for (size_t k = 0; k < s->points; k++)
        eb_plot_line(canvas, plot, 2, (double[]){s->x[k], s->x[k]}, (double[]){s->low[k], s->high[k]}, EB_ROLE_BAND);
}

/* A few points, each with a letter of its own, have their names beside them. */
static bool draw_named(eb_canvas *canvas, const eb_plot *plot, const eb_series *s)
{
    enum { NAME = 64 };
    char name[EB_MOST_MARKS][NAME];
    eb_mark mark[EB_MOST_MARKS];
    if (!s->names || s->points > EB_MOST_MARKS)
        return false;
    for (size_t k = 0; k < s->points; k++) {
        if (memchr(s->mark, s->mark[k], k))
            return false;
        eb_series_letter(s, s->mark[k], name[k], NAME);
        mark[k] = (eb_mark){s->x[k], s->y[k], eb_mark_role(s->mark[k]), (unsigned char)s->mark[k], s->mark[k], name[k]};
    }
    eb_plot_marks(canvas, plot, mark, s->points);
    return true;
}

/* Points with letters and names, a model's as circles, each joined to the point that it is about. */
static void draw_modelled(eb_canvas *canvas, const eb_plot *plot, const eb_series *s)
{
    enum { NAME = 64 };
    char name[EB_MOST_MARKS][NAME];
    eb_mark mark[EB_MOST_MARKS];
    size_t count = 0;
    for (int measured = 0; measured < 2; measured++) /* which are drawn over the others */
        for (size_t k = 0; k < s->points && count < EB_MOST_MARKS; k++) {
            size_t beside;
            const bool model = eb_series_is_model(s, k, &beside), linked = model && beside != SIZE_MAX;
            if (model == (measured == 1))
                continue;
            if (linked)
                eb_plot_line(canvas, plot, 2, (double[]){s->x[beside], s->x[k]}, (double[]){s->y[beside], s->y[k]},
                             EB_ROLE_BAND);
            mark[count] = (eb_mark){.x = s->x[k],
                                    .y = s->y[k],
                                    .role = eb_mark_role(s->mark[k]),
                                    .sign = model ? 0x25CB /* ○ */ : (unsigned char)s->mark[k],
                                    .ascii = model ? 'o' : s->mark[k],
                                    .label = linked ? NULL : eb_series_letter(s, s->mark[k], name[count], NAME)};
            count++;
        }
    eb_plot_marks(canvas, plot, mark, count);
}

/* Draws each point as its letter, so that groups are visible without colours. Where several points share a cell, the
 * last one is seen. */
static void draw_marks(eb_canvas *canvas, const eb_plot *plot, const eb_series *series)
{
    if (series->modelled) {
        draw_modelled(canvas, plot, series);
        return;
    }
    if (draw_named(canvas, plot, series))
        return;
    for (size_t k = 0; k < series->points; k++)
        eb_plot_mark(canvas, plot, series->x[k], series->y[k], eb_mark_role(series->mark[k]),
                     (unsigned char)series->mark[k], series->mark[k], NULL);
}

/* A line of the series, and the point that carries its letter: the first point of a limit (capital letter), the last of
 * a curve. */
typedef struct lettered {
    size_t first, end, at; /* at: SIZE_MAX if no value of the line is known */
    bool limit;
} lettered;

static bool next_line(const eb_series *s, lettered *line)
{
    const size_t k = line->first = line->end;
    if (k >= s->points)
        return false;
    line->limit = s->mark[k] <= 'Z';
    line->at = SIZE_MAX;
    for (line->end = k; line->end < s->points && s->mark[line->end] == s->mark[k]; line->end++)
        if (isfinite(s->y[line->end]) && (line->at == SIZE_MAX || !line->limit))
            line->at = line->end;
    return true;
}

/* Draws limits first, curves over them, letters over both. */
static void draw_lines(eb_canvas *canvas, const eb_plot *plot, const eb_series *s)
{
    for (int limits = 1; limits >= 0; limits--)
        for (lettered l = {.end = 0}; next_line(s, &l);)
            if (l.limit == (limits == 1))
                eb_plot_line(canvas, plot, l.end - l.first, s->x + l.first, s->y + l.first,
                             l.limit ? EB_ROLE_AXIS : eb_mark_role(s->mark[l.first]));
    for (lettered l = {.end = 0}; next_line(s, &l);)
        if (l.at != SIZE_MAX)
            eb_plot_mark(canvas, plot, s->x[l.at], s->y[l.at], l.limit ? EB_ROLE_TEXT : eb_mark_role(s->mark[l.at]),
                         (unsigned char)s->mark[l.at], s->mark[l.at], NULL);
}

/* Draws a band for each line; the range between two lines belongs to no band. */
static void draw_bands(eb_canvas *canvas, const eb_plot *plot, const eb_series *s)
{
    for (lettered l = {.end = 0}; next_line(s, &l);)
        eb_plot_band(canvas, plot, l.end - l.first, s->x + l.first, s->low + l.first, s->high + l.first, EB_ROLE_BAND);
}

void eb_draw_series(eb_canvas *canvas, eb_rect area, const eb_series *series)
{
    if (series->shape == EB_HEAT) {
        eb_draw_heat_map(canvas, area, series, SIZE_MAX);
        return;
    }
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
    if (series->low && series->high && series->shape == EB_LINE && series->mark)
        draw_bands(canvas, &plot, series);
    else if (series->low && series->high && series->shape == EB_POINTS && series->mark)
        draw_ranges(canvas, &plot, series);
    else if (series->low && series->high)
        eb_plot_band(canvas, &plot, series->points, series->x, series->low, series->high, EB_ROLE_BAND);
    if (series->shape == EB_LINE && series->mark)
        draw_lines(canvas, &plot, series);
    else if (series->shape == EB_LINE)
        eb_plot_line(canvas, &plot, series->points, series->x, series->y, EB_ROLE_SERIES);
    else if (series->mark)
        draw_marks(canvas, &plot, series);
    else
        eb_plot_points(canvas, &plot, series->points, series->x, series->y, EB_ROLE_SERIES);
}
