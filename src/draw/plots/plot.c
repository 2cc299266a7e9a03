/* plot: ticks, axes and the frame of a plot. plot_lines.c and histogram.c draw the inside. */
#include "draw/plots/plot.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/format.h"
#include "draw/utf8.h"

enum {
    LEAST_COLUMNS = 4, /* fewest columns and rows of data */
    LEAST_ROWS = 2,
    LABELLED_COLUMNS = 8, /* columns of data from which the y axis has labels */
    TITLED_ROWS = 8,      /* rows of the whole area from which there are titles */
    A_TICK_ROWS = 3,      /* rows and columns for each tick */
    A_TICK_COLUMNS = 8,
    TITLE = 256 /* bytes */
};

/* ---- spans ---- */

#define MOST 1e300

double eb_span_drawn(const eb_span *span, double value)
{
    if (!span->log)
        return isnan(value) ? NAN : fmin(fmax(value, -MOST), MOST);
    return value > 0 ? log10(fmin(value, MOST)) : NAN;
}

eb_span eb_span_of(size_t count, const double *values, bool log)
{
    eb_span span = {.low = INFINITY, .high = -INFINITY, .log = log};
    for (size_t k = 0; k < count; k++) {
        double at = eb_span_drawn(&span, values[k]);
        if (!isnan(at)) {
            span.low = fmin(span.low, at);
            span.high = fmax(span.high, at);
        }
    }
    if (!(span.low <= span.high))
        span.low = 0, span.high = 1;
    if (span.low == span.high) {
        double half = log ? 0.1 : span.low == 0 ? 1 : 0.1 * fabs(span.low);
        half = half > 0 ? half : 1; /* 0.1 of the smallest double is 0 */
        span.low -= half;
        span.high += half;
    }
    return span;
}

double eb_span_share(const eb_span *span, double value)
{
    return (eb_span_drawn(span, value) - span->low) / (span->high - span->low);
}

/* ---- ticks ---- */

typedef struct marks {
    const eb_span *span;
    size_t count;
    double value[EB_MOST_TICKS];
} marks;

static bool is_inside(const eb_span *span, double value)
{
    double share = eb_span_share(span, value);
    if (fabs(value) > MOST * (1 + 1e-9)) /* is drawn as MOST */
        return false;
    return share >= -1e-9 && share <= 1 + 1e-9;
}

static void add_mark(marks *m, double value)
{
    if (m->count < EB_MOST_TICKS && is_inside(m->span, value))
        m->value[m->count++] = value;
}

static void mark_evenly(marks *m, size_t most)
{
    const eb_span *span = m->span;
    double low = span->log ? pow(10, span->low) : span->low, high = span->log ? pow(10, span->high) : span->high;
    double rough = (high - low) / (double)most, magnitude = pow(10, floor(log10(rough)));
    double step = magnitude * (rough <= magnitude ? 1 : rough <= 2 * magnitude ? 2 : rough <= 5 * magnitude ? 5 : 10);
    double first = ceil(low / step - 1e-9);
    for (int k = 0; k < 2 * EB_MOST_TICKS; k++)
        add_mark(m, (first + k) * step + 0.0); /* avoids -0 */
}

/* Marks 1 2 5 10 …, 1 10 100 …, every other decade and so on: the densest of these with at most `most` marks. */
static bool mark_decades(marks *m, size_t most)
{
    static const double fine[] = {1, 2, 5};
    const eb_span *span = m->span;
    for (int step = 0; step <= 64; step++) {
        int each = step == 0 ? 1 : step, parts = step == 0 ? 3 : 1;
        m->count = 0;
        size_t wanted = 0;
        for (int decade = (int)floor(span->low / each) * each; decade <= span->high; decade += each)
            for (int p = 0; p < parts; p++) {
                double value = fine[p] * pow(10, decade);
                wanted += is_inside(span, value);
                add_mark(m, value);
            }
        if (wanted <= most)
            break;
    }
    return m->count >= 2;
}

/* Writes labels with as few digits as tell neighbours apart, at least four where the numbers have them. */
static void write_labels(const marks *m, eb_ticks *out)
{
    bool alike = true;
    for (int digits = 4; alike && digits <= 15; digits++) {
        alike = false;
        for (size_t k = 0; k < m->count; k++) {
            (void)eb_format_tick(out->label[k], EB_TICK_LABEL, m->value[k], digits);
            alike |= k > 0 && strtod(out->label[k], NULL) == strtod(out->label[k - 1], NULL);
        }
    }
}

void eb_ticks_find(const eb_span *span, size_t most, eb_ticks *out)
{
    marks m = {.span = span};
    most = most < 2 ? 2 : most > EB_MOST_TICKS ? EB_MOST_TICKS : most;
    /* Within one decade even steps are more readable. */
    if (!(span->log && span->high - span->low >= 1 && mark_decades(&m, most))) {
        m.count = 0;
        mark_evenly(&m, most);
    }
    *out = (eb_ticks){.count = m.count};
    for (size_t k = 0; k < m.count; k++)
        out->share[k] = fmin(fmax(eb_span_share(span, m.value[k]), 0), 1);
    write_labels(&m, out);
}

/* ---- axes ---- */

eb_span eb_axis_span(const eb_axis *axis)
{
    eb_span span = {.log = axis->log};
    span.low = eb_span_drawn(&span, axis->low);
    span.high = eb_span_drawn(&span, axis->high);
    return span;
}

static double value_of(double drawn, bool log)
{
    return log ? fmin(fmax(pow(10, drawn), DBL_TRUE_MIN), DBL_MAX) : drawn;
}

eb_axis eb_axis_of(size_t count, const double *values, bool log, const char *title)
{
    eb_span span = eb_span_of(count, values, log);
    double margin = 0.02 * (span.high - span.low), low = span.low - margin, high = span.high + margin;
    if (!log && span.low >= 0) /* counts begin at 0 */
        low = fmax(low, 0);
    if (!log && span.high <= 0)
        high = fmin(high, 0);
    eb_axis axis = {.low = value_of(low, log), .high = value_of(high, log), .log = log, .title = title};
    if (!(axis.low < axis.high)) { /* the values are as close together as doubles can be */
        double middle = axis.low, around = fmax(0.1 * fabs(middle), 1);
        axis.low = log ? fmax(middle / 2, DBL_TRUE_MIN) : middle - around;
        axis.high = log ? middle * 2 : middle + around;
    }
    return axis;
}

static bool is_drawable(const eb_axis *axis)
{
    eb_span span = eb_axis_span(axis);
    return span.low < span.high && isfinite(axis->low) && isfinite(axis->high);
}

static int cell_across(const eb_plot *plot, double share)
{
    double dots = (double)plot->area.width * EB_BRAILLE_ACROSS - 1;
    return (int)(share * dots + 0.5) / EB_BRAILLE_ACROSS;
}

int eb_plot_cell_up(const eb_plot *plot, double share)
{
    double dots = (double)plot->area.height * EB_BRAILLE_UP - 1;
    return (int)(share * dots + 0.5) / EB_BRAILLE_UP;
}

double eb_plot_x_at(const eb_plot *plot, int column)
{
    eb_span span = eb_axis_span(&plot->x);
    if (eb_rect_empty(plot->area))
        return NAN;
    double dots = (double)plot->area.width * EB_BRAILLE_ACROSS - 1;
    double share = ((double)(column - plot->area.x) * EB_BRAILLE_ACROSS + 0.5) / dots;
    share = fmin(fmax(share, 0), 1);
    return fmin(fmax(value_of(span.low + (span.high - span.low) * share, span.log), plot->x.low), plot->x.high);
}

int eb_plot_column(const eb_plot *plot, double x)
{
    eb_span span = eb_axis_span(&plot->x);
    double share = eb_span_share(&span, x);
    if (eb_rect_empty(plot->area) || !(share >= 0 && share <= 1))
        return -1;
    return plot->area.x + cell_across(plot, share);
}

const eb_cell *eb_plot_cell(const eb_canvas *canvas, const eb_plot *plot, int x, int y)
{
    if (!eb_rect_has(plot->area, x, y) || !eb_rect_has(eb_canvas_rect(canvas), x, y))
        return NULL;
    return eb_cell_at(canvas, x, y);
}

/* ---- the frame ---- */

static int widest_label(const eb_ticks *ticks)
{
    int widest = 0;
    for (size_t k = 0; k < ticks->count; k++)
        widest = eb_wider(widest, ticks->label[k]);
    return widest;
}

static void draw_y_axis(eb_canvas *canvas, eb_rect clip, const eb_plot *plot, const eb_ticks *ticks, bool labelled)
{
    int x = plot->area.x - 1, bottom = plot->area.y + plot->area.height - 1;
    for (int row = 0; row < plot->area.height; row++)
        eb_put_cell(canvas, clip, x, plot->area.y + row, EB_ROLE_AXIS, 0x2502, '|'); /* │ */
    for (size_t k = 0; k < ticks->count; k++) {
        int y = bottom - eb_plot_cell_up(plot, ticks->share[k]);
        eb_put_cell(canvas, clip, x, y, EB_ROLE_AXIS, 0x2524, '+'); /* ┤ */
        if (labelled)
            (void)eb_put_right(canvas, clip, x - 1, y, EB_ROLE_AXIS, ticks->label[k]);
    }
}

static void draw_x_axis(eb_canvas *canvas, eb_rect clip, const eb_plot *plot, const eb_ticks *ticks)
{
    int y = plot->area.y + plot->area.height, left = plot->area.x, right = left + plot->area.width;
    eb_put_cell(canvas, clip, left - 1, y, EB_ROLE_AXIS, 0x2514, '+'); /* └ */
    for (int x = left; x < right; x++)
        eb_put_cell(canvas, clip, x, y, EB_ROLE_AXIS, 0x2500, '-'); /* ─ */
    int used = clip.x - 1;                                          /* the last column that holds a label */
    for (size_t k = 0; k < ticks->count; k++) {
        int at = left + cell_across(plot, ticks->share[k]), length = (int)strlen(ticks->label[k]);
        int start = at - length / 2;
        eb_put_cell(canvas, clip, at, y, EB_ROLE_AXIS, 0x252C, '+'); /* ┬ */
        if (start + length > right)
            start = right - length;
        if (start < clip.x)
            start = clip.x;
        if (start <= used + (used >= clip.x) || start + length > clip.x + clip.width)
            continue; /* it would touch its neighbour */
        (void)eb_put(canvas, clip, start, y + 1, EB_ROLE_AXIS, ticks->label[k]);
        used = start + length - 1;
    }
}

static const char *title_of(const eb_axis *axis, char *buffer, size_t size)
{
    (void)snprintf(buffer, size, "%s%s", axis->title, axis->log ? " (log)" : "");
    return buffer;
}

static void draw_x_title(eb_canvas *canvas, eb_rect clip, const eb_plot *plot, int y)
{
    char title[TITLE];
    int width = eb_text_width(title_of(&plot->x, title, sizeof title));
    int x = width < plot->area.width ? plot->area.x + (plot->area.width - width) / 2 : clip.x;
    (void)eb_put_short(canvas, clip, x, y, EB_ROLE_DIM, title);
}

static bool has_title(const eb_axis *axis) { return axis->title && axis->title[0]; }

bool eb_plot_frame(eb_canvas *canvas, eb_rect area, eb_plot *plot)
{
    bool titles = area.height >= TITLED_ROWS;
    int above = titles && has_title(&plot->y), below = 2 + (titles && has_title(&plot->x));
    int rows = area.height - above - below;
    plot->area = (eb_rect){.x = area.x, .y = area.y};
    if (eb_rect_empty(area) || rows < LEAST_ROWS || !is_drawable(&plot->x) || !is_drawable(&plot->y))
        return false;
    char title[TITLE];
    eb_ticks x_ticks, y_ticks;
    eb_span x_span = eb_axis_span(&plot->x), y_span = eb_axis_span(&plot->y);
    eb_ticks_find(&y_span, (size_t)(rows + 2) / A_TICK_ROWS, &y_ticks);
    int label = widest_label(&y_ticks) + 1;
    bool labelled = area.width - label - 1 >= LABELLED_COLUMNS;
    int margin = 1 + (labelled ? label : 0), columns = area.width - margin;
    if (columns < LEAST_COLUMNS)
        return false;
    eb_ticks_find(&x_span, (size_t)columns / A_TICK_COLUMNS, &x_ticks);
    plot->area = (eb_rect){.x = area.x + margin, .y = area.y + above, .width = columns, .height = rows};
    if (above)
        (void)eb_put_short(canvas, area, area.x, area.y, EB_ROLE_DIM, title_of(&plot->y, title, sizeof title));
    draw_y_axis(canvas, area, plot, &y_ticks, labelled);
    draw_x_axis(canvas, area, plot, &x_ticks);
    if (below > 2)
        draw_x_title(canvas, area, plot, area.y + area.height - 1);
    return true;
}
