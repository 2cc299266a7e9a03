/* plot_lines: draws the inside of a plot: lines, bands, points and marks. */
#include <ctype.h>
#include <math.h>

#include "draw/plots/plot.h"

/* ---- dots on a canvas ---- */

typedef struct ink {
    eb_canvas *canvas;
    const eb_plot *plot;
    eb_role role;
    eb_span x, y;
    bool under; /* a band: drawn only on free cells */
} ink;

static bool is_braille(uint32_t character) { return character >= EB_BRAILLE && character < EB_BRAILLE + 256; }

/* Adds the dot to the dots already in the cell. A line replaces the dots of a band. */
static void put_dot(void *context, size_t i, size_t j)
{
    ink *k = context;
    eb_rect area = k->plot->area;
    int x = area.x + (int)(i / EB_BRAILLE_ACROSS), y = area.y + area.height - 1 - (int)(j / EB_BRAILLE_UP);
    const eb_cell *cell = eb_plot_cell(k->canvas, k->plot, x, y);
    if (!cell)
        return;
    bool free_cell = cell->character == ' ' || cell->role == EB_ROLE_BAND;
    if (k->under && !free_cell)
        return;
    uint32_t dots = eb_braille_bit(i, j);
    if (is_braille(cell->character) && (k->under || cell->role != EB_ROLE_BAND))
        dots |= cell->character - EB_BRAILLE;
    eb_put_cell(k->canvas, area, x, y, k->role, EB_BRAILLE + dots, k->under ? '.' : '*');
}

static ink ink_of(eb_canvas *canvas, const eb_plot *plot, eb_role role)
{
    return (
        ink){.canvas = canvas, .plot = plot, .role = role, .x = eb_axis_span(&plot->x), .y = eb_axis_span(&plot->y)};
}

/* An empty area has no dots; the pen then draws nothing. */
static eb_pen pen_of(ink *k)
{
    const eb_rect area = k->plot->area;
    if (eb_rect_empty(area))
        return (eb_pen){.across = 0};
    return (eb_pen){.across = (size_t)area.width * EB_BRAILLE_ACROSS,
                    .up = (size_t)area.height * EB_BRAILLE_UP,
                    .dot = put_dot,
                    .context = k};
}

/* ---- lines, points ---- */

void eb_plot_line(eb_canvas *canvas, const eb_plot *plot, size_t count, const double *x, const double *y, eb_role role)
{
    ink k = ink_of(canvas, plot, role);
    eb_pen pen = pen_of(&k);
    for (size_t p = 0; p < count && pen.across > 0; p++) {
        double x0 = eb_span_share(&k.x, x[p]), y0 = eb_span_share(&k.y, y[p]);
        eb_pen_dot(&pen, x0, y0); /* draws a single point between gaps */
        if (p + 1 < count)
            eb_pen_line(&pen, x0, y0, eb_span_share(&k.x, x[p + 1]), eb_span_share(&k.y, y[p + 1]));
    }
}

void eb_plot_points(eb_canvas *canvas, const eb_plot *plot, size_t count, const double *x, const double *y,
                    eb_role role)
{
    ink k = ink_of(canvas, plot, role);
    eb_pen pen = pen_of(&k);
    for (size_t p = 0; p < count; p++)
        eb_pen_dot(&pen, eb_span_share(&k.x, x[p]), eb_span_share(&k.y, y[p]));
}

/* ---- bands ---- */

/* A band's end as a share of the plot's height. A value that a log axis cannot show (≤ 0) lies at the bottom. */
static double band_share(const eb_span *span, double value)
{
    if (isnan(value))
        return NAN;
    return span->log && value <= 0 ? 0 : fmin(fmax(eb_span_share(span, value), -1), 2);
}

/* One column of dots: both ends, and one of eight dots between them. */
static void band_column(const eb_pen *pen, size_t i, double low, double high)
{
    if (!(low <= high) || high < 0 || low > 1)
        return;
    double most = (double)(pen->up - 1);
    size_t from = (size_t)(fmax(low, 0) * most + 0.5), to = (size_t)(fmin(high, 1) * most + 0.5);
    for (size_t j = from; j <= to; j++) {
        bool end = (j == from && low >= 0) || (j == to && high <= 1);
        if ((end && i % 2 == 0) || (i % 2 == 0 && (j + i) % 4 == 0))
            pen->dot(pen->context, i, j);
    }
}

void eb_plot_band(eb_canvas *canvas, const eb_plot *plot, size_t count, const double *x, const double *low,
                  const double *high, eb_role role)
{
    ink k = ink_of(canvas, plot, role);
    k.under = true;
    eb_pen pen = pen_of(&k);
    for (size_t p = 0; p < count && pen.across > 0 && pen.up > 0; p++) {
        size_t next = p + 1 < count ? p + 1 : p;
        double most = (double)(pen.across - 1);
        double from = eb_span_share(&k.x, x[p]) * most, to = eb_span_share(&k.x, x[next]) * most;
        double low0 = band_share(&k.y, low[p]), low1 = band_share(&k.y, low[next]);
        double high0 = band_share(&k.y, high[p]), high1 = band_share(&k.y, high[next]);
        if (!(from <= to) || to < 0 || from > most)
            continue; /* a gap, or outside */
        if (next == p)
            from = to = round(to); /* the last point gets its own column */
        size_t begin = (size_t)ceil(fmax(from, 0)), end = (size_t)floor(fmin(to, most)) + 1;
        for (size_t i = begin; i < end; i++) {
            double share = to > from ? ((double)i - from) / (to - from) : 0;
            band_column(&pen, i, low0 + (low1 - low0) * share, high0 + (high1 - high0) * share);
        }
    }
}

/* ---- marks ---- */

static bool is_free(const eb_cell *cell) { return cell && (cell->character == ' ' || cell->role == EB_ROLE_BAND); }

/* True for a letter or digit of a label; false for dots and for the signs of lines and marks. */
static bool is_lettered(const eb_cell *cell)
{
    uint32_t c = cell ? cell->character : ' ';
    return c < 0x80 ? isalnum((int)c) != 0 : !(c >= 0x2500 && c < 0x2600) && !is_braille(c);
}

/* True if the text fits inside the plot and touches no other label. *unused: all its cells are free. */
static bool fits_background(const eb_canvas *canvas, const eb_plot *plot, int x, int y, int width, bool *unused)
{
    bool touches = false;
    *unused = true;
    for (int k = 0; k < width; k++)
        *unused &= is_free(eb_plot_cell(canvas, plot, x + k, y));
    for (int k = -1; k <= width; k++)
        touches |= is_lettered(eb_plot_cell(canvas, plot, x + k, y));
    return !touches && x >= plot->area.x && x + width <= plot->area.x + plot->area.width;
}

/* Puts a label beside a column of the plot, right or left, where the whole label has room. With room on both sides it
 * avoids a curve. */
static void put_background(eb_canvas *canvas, const eb_plot *plot, int x, int y, eb_role role, const char *label)
{
    bool right_unused, left_unused;
    int width = label ? eb_text_width(label) : 0;
    if (width == 0)
        return;
    bool right = fits_background(canvas, plot, x + 2, y, width, &right_unused);
    bool left = fits_background(canvas, plot, x - 1 - width, y, width, &left_unused);
    if (right && (right_unused || !left || !left_unused))
        (void)eb_put(canvas, plot->area, x + 2, y, role, label);
    else if (left)
        (void)eb_put(canvas, plot->area, x - 1 - width, y, role, label);
}

void eb_plot_vertical(eb_canvas *canvas, const eb_plot *plot, double x, eb_role role, const char *label)
{
    int column = eb_plot_column(plot, x);
    if (column < 0)
        return;
    for (int y = plot->area.y; y < plot->area.y + plot->area.height; y++)
        if (is_free(eb_plot_cell(canvas, plot, column, y)))
            eb_put_cell(canvas, plot->area, column, y, role, 0x2506, '|'); /* ┆ */
    put_background(canvas, plot, column, plot->area.y, role, label);
}

static int row_of(const eb_plot *plot, double y)
{
    eb_span span = eb_axis_span(&plot->y);
    double share = eb_span_share(&span, y);
    if (eb_rect_empty(plot->area) || !(share >= 0 && share <= 1))
        return -1;
    return plot->area.y + plot->area.height - 1 - eb_plot_cell_up(plot, share);
}

void eb_plot_mark(eb_canvas *canvas, const eb_plot *plot, double x, double y, eb_role role, uint32_t sign, char ascii,
                  const char *label)
{
    int column = eb_plot_column(plot, x), row = row_of(plot, y);
    if (column < 0 || row < 0)
        return;
    eb_put_cell(canvas, plot->area, column, row, role, sign, ascii);
    put_background(canvas, plot, column, row, role, label);
}

/* ---- several marks ---- */

typedef struct drawn {
    const eb_canvas *canvas;
    const eb_plot *plot;
} drawn;

static int ground_at(const void *context, int x, int y)
{
    const drawn *d = context;
    const eb_cell *cell = eb_plot_cell(d->canvas, d->plot, x, y);
    return is_lettered(cell) ? -1 : !is_free(cell);
}

void eb_plot_marks(eb_canvas *canvas, const eb_plot *plot, const eb_mark *marks, size_t count)
{
    eb_plot_label label[EB_MOST_MARKS] = {{.x = -1}};
    const drawn d = {canvas, plot};
    const size_t labels = count < EB_MOST_MARKS ? count : EB_MOST_MARKS;
    for (size_t k = 0; k < labels; k++)
        label[k] = (eb_plot_label){.x = eb_plot_column(plot, marks[k].x),
                                   .y = row_of(plot, marks[k].y),
                                   .width = marks[k].label ? eb_text_width(marks[k].label) : 0};
    eb_place_labels(label, labels, plot->area, ground_at, &d);
    for (size_t k = 0; k < labels; k++)
        if (label[k].placed)
            (void)eb_put(canvas, plot->area, label[k].at_x, label[k].at_y, marks[k].role, marks[k].label);
    for (size_t k = 0; k < count; k++)
        eb_plot_mark(canvas, plot, marks[k].x, marks[k].y, marks[k].role, marks[k].sign, marks[k].ascii, NULL);
}
