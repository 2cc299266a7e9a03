/* histogram: draws a histogram with vertical bars. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "draw/format.h"
#include "draw/plots/plot.h"

enum { NOTED_ROWS = 5 }; /* rows an area needs for a note */

/* The bins shown, [first, end), and the count of the others. */
typedef struct bins {
    const eb_series *series;
    size_t first, end;
    double least, most; /* smallest and greatest count above 0 among the bins shown; 0 if there is none */
    double outside;     /* counts outside the zoom */
} bins;

static double count_of(const eb_series *series, size_t bin)
{
    double count = series->y[bin];
    return count > 0 ? fmin(count, DBL_MAX) : 0; /* NAN: unknown, nothing is drawn */
}

static bool is_shown(const eb_series *series, const eb_histogram_view *view, size_t bin)
{
    return !(series->x[bin] < view->low) && !(series->x[bin] > view->high);
}

static bins find_bins(const eb_series *series, const eb_histogram_view *view)
{
    bins b = {.series = series};
    for (size_t k = 0; k < series->points; k++) {
        double count = count_of(series, k);
        if (!is_shown(series, view, k)) {
            b.outside += count;
            continue;
        }
        if (b.end == 0)
            b.first = k;
        b.end = k + 1;
        b.most = fmax(b.most, count);
        if (count > 0)
            b.least = b.least > 0 ? fmin(b.least, count) : count;
    }
    return b;
}

/* Returns the x axis, from the first bin's lower edge to the last bin's upper edge. Bins are equally wide as drawn. */
static eb_axis axis_of_bins(const bins *b)
{
    const eb_series *s = b->series;
    eb_span span = {.log = s->x_log};
    double first = eb_span_drawn(&span, s->x[b->first]), last = eb_span_drawn(&span, s->x[b->end - 1]);
    double whole = eb_span_drawn(&span, s->x[s->points - 1]) - eb_span_drawn(&span, s->x[0]);
    double half = s->points > 1 ? whole / (double)(s->points - 1) / 2 : 0;
    if (!(half > 0))
        return eb_axis_of(b->end - b->first, s->x + b->first, s->x_log, s->x_title);
    double low = first - half, high = last + half;
    return (eb_axis){.low = s->x_log ? fmax(pow(10, low), DBL_TRUE_MIN) : low,
                     .high = s->x_log ? fmin(pow(10, high), DBL_MAX) : high,
                     .log = s->x_log,
                     .title = s->x_title};
}

/* A linear axis begins at 0, a log axis at half the smallest count, so that a single count is visible. */
static eb_axis axis_of_counts(const bins *b, bool log)
{
    eb_axis axis = {.log = log, .title = b->series->y_title};
    axis.low = !log ? 0 : b->least > 0 ? fmax(b->least / 2, DBL_TRUE_MIN) : 0.5;
    axis.high = b->most > 0 ? b->most : 1;
    return axis;
}

/* A column's share of the height. With several bins in a column the highest counts: averaging would hide rare
 * counts. */
static double column_share(const bins *b, const eb_plot *plot, const eb_span *y, int column)
{
    size_t count = b->end - b->first, columns = (size_t)plot->area.width, c = (size_t)column;
    size_t from = c * count / columns, to = ((c + 1) * count + columns - 1) / columns;
    double most = 0;
    for (size_t k = from; k < to || k == from; k++)
        most = fmax(most, count_of(b->series, b->first + k));
    return most > 0 ? fmin(fmax(eb_span_share(y, most), DBL_MIN), 1) : 0;
}

/* A count above 0 gets at least an eighth of a cell. */
static void draw_column(eb_canvas *canvas, const eb_plot *plot, int x, double share)
{
    int bottom = plot->area.y + plot->area.height - 1;
    int eighths = (int)(share * 8 * plot->area.height + 0.5);
    if (share <= 0)
        return;
    eighths = eighths > 0 ? eighths : 1;
    for (int y = bottom; eighths > 0; y--, eighths -= 8) {
        uint32_t block = 0x2580 + (uint32_t)(eighths < 8 ? eighths : 8); /* ▁ … █ */
        if (canvas->unicode || eighths >= 4 || y == bottom)
            eb_put_cell(canvas, plot->area, x, y, EB_ROLE_SERIES, block, '#');
    }
}

static bool is_zoomed(const bins *b) { return b->end - b->first < b->series->points; }

static bool has_outside(const eb_series *series) { return !isnan(series->under) || !isnan(series->over); }

static void draw_note(eb_canvas *canvas, eb_rect row, const bins *b)
{
    char under[64], over[64], outside[64], note[256];
    const eb_series *s = b->series;
    (void)eb_format_value(under, sizeof under, eb_real(s->under), EB_PLAIN);
    (void)eb_format_value(over, sizeof over, eb_real(s->over), EB_PLAIN);
    (void)eb_format_value(outside, sizeof outside, eb_real(b->outside), EB_PLAIN);
    if (!has_outside(s))
        (void)snprintf(note, sizeof note, "Not drawn: %s outside this zoom", outside);
    else if (is_zoomed(b))
        (void)snprintf(note, sizeof note, "Not drawn: %s left, %s right, %s outside this zoom", under, over, outside);
    else
        (void)snprintf(note, sizeof note, "Not drawn: %s left, %s right", under, over);
    (void)eb_put_short(canvas, row, row.x, row.y, EB_ROLE_DIM, note);
}

void eb_draw_histogram(eb_canvas *canvas, eb_rect area, const eb_series *series, const eb_histogram_view *view)
{
    if (eb_rect_empty(area))
        return;
    if (!series || series->points == 0) {
        (void)eb_put_short(canvas, area, area.x, area.y, EB_ROLE_DIM, "(no points)");
        return;
    }
    bins b = find_bins(series, view);
    bool noted = area.height >= NOTED_ROWS && (has_outside(series) || is_zoomed(&b));
    if (noted)
        draw_note(canvas, (eb_rect){area.x, area.y + area.height - 1, area.width, 1}, &b);
    if (b.end == b.first) {
        (void)eb_put_short(canvas, area, area.x, area.y, EB_ROLE_DIM, "(no bins in the zoom)");
        return;
    }
    eb_rect body = {area.x, area.y, area.width, area.height - noted};
    eb_plot plot = {.x = axis_of_bins(&b), .y = axis_of_counts(&b, view->log)};
    if (!eb_plot_frame(canvas, body, &plot))
        plot.area = body; /* too small for axes, but not for bars */
    eb_span y = eb_axis_span(&plot.y);
    for (int column = 0; column < plot.area.width; column++)
        draw_column(canvas, &plot, plot.area.x + column, column_share(&b, &plot, &y, column));
}
