/* A series as a line in a frame with ticks: braille dots, 2 × 4 a character, or '*'. The band around it is dotted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shell/render_parts.h"
#include "shell/utf8.h"

enum { INDENT = 2, NARROWEST = 10, LOWEST = 3, MOST_TICKS = 12, LABEL_SIZE = 24 };

/* Differences of values up to here do not overflow. */
#define MOST 1e300

/* One axis: what it shows, and the characters it has. */
typedef struct axis {
    bool log;
    double low, high; /* as drawn: log10 where log */
    size_t cells;     /* characters along it */
    size_t ticks;
    double tick[MOST_TICKS];             /* values */
    size_t at[MOST_TICKS];               /* characters from the low end */
    char label[MOST_TICKS][LABEL_SIZE];
} axis;

/* Dots of the plot; (0, 0) is the lower left. */
typedef struct canvas {
    size_t columns, rows;      /* characters */
    size_t across, up;         /* dots a character */
    unsigned char *dots;       /* [rows × columns] braille bits; in ASCII 1 the line, 2 the band */
} canvas;

/* ---- axes ---- */

static double drawn(const axis *a, double value)
{
    if (!a->log)
        return isnan(value) ? NAN : fmin(fmax(value, -MOST), MOST);
    return value > 0 ? log10(value) : NAN;
}

static void find_range(axis *a, const double *values, size_t count)
{
    a->low = INFINITY;
    a->high = -INFINITY;
    for (size_t k = 0; k < count; k++) {
        double at = drawn(a, values[k]);
        if (isfinite(at)) {
            a->low = fmin(a->low, at);
            a->high = fmax(a->high, at);
        }
    }
    if (!(a->low <= a->high))
        a->low = 0, a->high = 1;
    if (a->low == a->high) {
        double half = a->log ? 0.1 : a->low == 0 ? 1 : 0.1 * fabs(a->low);
        a->low -= half;
        a->high += half;
    }
}

/* Where a value lies between the ends, 0 … 1. */
static double place(const axis *a, double value) { return (drawn(a, value) - a->low) / (a->high - a->low); }

static void add_tick(axis *a, double value)
{
    double share = place(a, value);
    if (a->ticks == MOST_TICKS || !(share >= -1e-9 && share <= 1 + 1e-9))
        return;
    size_t at = (size_t)fmax(0, round(share * (double)(a->cells - 1)));
    a->tick[a->ticks] = value;
    a->at[a->ticks] = at;
    a->ticks++;
}

/* As few digits as tell neighbours apart, but four where they are there. */
static void label_ticks(axis *a)
{
    bool alike = true;
    for (int digits = 4; alike && digits <= 15; digits++) {
        alike = false;
        for (size_t k = 0; k < a->ticks; k++) {
            (void)eb_format_tick(a->label[k], LABEL_SIZE, a->tick[k], digits);
            alike |= k > 0 && strcmp(a->label[k], a->label[k - 1]) == 0;
        }
    }
}

static void tick_evenly(axis *a, size_t most)
{
    double low = a->log ? pow(10, a->low) : a->low, high = a->log ? pow(10, a->high) : a->high;
    double rough = (high - low) / (double)most, magnitude = pow(10, floor(log10(rough)));
    double step = magnitude * (rough <= magnitude ? 1 : rough <= 2 * magnitude ? 2 : rough <= 5 * magnitude ? 5 : 10);
    double first = ceil(low / step - 1e-9);
    for (int k = 0; k < 2 * MOST_TICKS; k++)
        add_tick(a, (first + k) * step + 0.0); /* not -0 */
}

/* 1 2 5 10 …, 1 10 100 …, or every other decade and so on: the densest that has room. */
static bool tick_decades(axis *a, size_t most)
{
    static const double fine[] = {1, 2, 5};
    for (int step = 0; step <= 64; step++) {
        int each = step == 0 ? 1 : step, marks = step == 0 ? 3 : 1;
        a->ticks = 0;
        size_t wanted = 0;
        for (int decade = (int)floor(a->low / each) * each; decade <= a->high; decade += each)
            for (int m = 0; m < marks; m++) {
                double share = place(a, fine[m] * pow(10, decade));
                wanted += share >= -1e-9 && share <= 1 + 1e-9;
                add_tick(a, fine[m] * pow(10, decade));
            }
        if (wanted <= most)
            break;
    }
    return a->ticks >= 2;
}

static void find_ticks(axis *a, size_t most)
{
    most = most < 2 ? 2 : most > MOST_TICKS ? MOST_TICKS : most;
    /* Within a decade even steps say more. */
    if (!(a->log && a->high - a->low >= 1 && tick_decades(a, most))) {
        a->ticks = 0;
        tick_evenly(a, most);
    }
    label_ticks(a);
}

/* ---- dots ---- */

static void put_dot(canvas *c, double x, double y, bool band)
{
    /* Braille dots 1-2-3-7 down the left, 4-5-6-8 down the right. */
    static const unsigned char bit[4][2] = {{0x40, 0x80}, {0x04, 0x20}, {0x02, 0x10}, {0x01, 0x08}};
    size_t across = c->columns * c->across, up = c->rows * c->up;
    if (!(x >= 0 && x <= 1 && y >= 0 && y <= 1))
        return;
    size_t i = (size_t)(x * (double)(across - 1) + 0.5), j = (size_t)(y * (double)(up - 1) + 0.5);
    unsigned char *cell = &c->dots[j / c->up * c->columns + i / c->across];
    if (c->up == 1)
        *cell = (unsigned char)(*cell | (band ? 2 : 1));
    else
        *cell |= bit[j % 4][i % 2];
}

/* The points joined; a band has a dot on every third place along x. */
static void put_line(canvas *c, const axis *x, const axis *y, const eb_series *series, const double *values, bool band)
{
    size_t across = c->columns * c->across;
    for (size_t k = 0; k < series->points; k++) {
        double x0 = place(x, series->x[k]), y0 = place(y, values[k]);
        if (!band || series->points == 1)
            put_dot(c, x0, y0, band);
        if (k + 1 == series->points)
            break;
        double x1 = place(x, series->x[k + 1]), y1 = place(y, values[k + 1]);
        if (!isfinite(x0 + y0 + x1 + y1))
            continue;
        double length = 2 * fmax(fabs(x1 - x0) * (double)across, fabs(y1 - y0) * (double)(c->rows * c->up));
        size_t steps = length < 1e6 ? (size_t)length + 1 : 0; /* a band may leave the plot by far */
        for (size_t s = 0; s <= steps && steps > 0; s++) {
            double share = (double)s / (double)steps, at = x0 + (x1 - x0) * share;
            if (!band || (size_t)fmax(0, at * (double)(across - 1) + 0.5) % 3 == 0)
                put_dot(c, at, y0 + (y1 - y0) * share, band);
        }
    }
}

static void put_cell(FILE *out, const canvas *c, unsigned char dots)
{
    if (c->up == 1) {
        (void)fputc(dots & 1 ? '*' : dots & 2 ? '.' : ' ', out);
    } else if (dots == 0) {
        (void)fputc(' ', out);
    } else { /* U+2800 + dots */
        const unsigned char utf8[] = {0xE2, (unsigned char)(0xA0 | dots >> 6), (unsigned char)(0x80 | (dots & 0x3F))};
        (void)fwrite(utf8, 1, sizeof utf8, out);
    }
}

/* ---- the frame ---- */

static const char *label_at(const axis *a, size_t cell)
{
    for (size_t k = 0; k < a->ticks; k++)
        if (a->at[k] == cell)
            return a->label[k];
    return NULL;
}

static void put_rows(FILE *out, const canvas *c, const axis *y, int label_width, bool unicode)
{
    for (size_t r = c->rows; r-- > 0;) {
        const char *label = label_at(y, r);
        (void)fprintf(out, "%*s%*s %s", (int)INDENT, "", label_width, label ? label : "",
                      unicode ? (label ? "┤" : "│") : (label ? "+" : "|"));
        const unsigned char *row = c->dots + r * c->columns;
        size_t end = c->columns;
        while (end > 0 && row[end - 1] == 0)
            end--;
        for (size_t k = 0; k < end; k++)
            put_cell(out, c, row[k]);
        (void)fputc('\n', out);
    }
}

static void put_x_axis(FILE *out, const axis *x, int label_width, bool unicode)
{
    (void)fprintf(out, "%*s%s", INDENT + label_width + 1, "", unicode ? "└" : "+");
    for (size_t k = 0; k < x->cells; k++)
        (void)fputs(label_at(x, k) ? (unicode ? "┬" : "+") : (unicode ? "─" : "-"), out);
    (void)fputc('\n', out);
    size_t margin = INDENT + 2 + (size_t)label_width, used = 0;
    for (size_t k = 0; k < x->ticks; k++) {
        size_t length = strlen(x->label[k]), middle = margin + x->at[k];
        size_t start = middle > length / 2 ? middle - length / 2 : 0;
        if (start + length > margin + x->cells)
            start = margin + x->cells > length ? margin + x->cells - length : 0;
        if (used > 0 && start < used + 1)
            continue;
        (void)fprintf(out, "%*s%s", (int)(start - used), "", x->label[k]);
        used = start + length;
    }
    (void)fputc('\n', out);
}

static eb_code put_title(FILE *out, int blanks, const char *title, bool log, bool unicode, eb_status *status)
{
    char *shown = eb_utf8_shown(title, !unicode);
    if (!shown)
        return eb_fail_memory(status, "a plot's title", strlen(title));
    (void)fprintf(out, "%*s%s%s\n", blanks, "", shown, log ? ", logarithmic" : "");
    free(shown);
    return EB_OK;
}

static int widest_label(const axis *a)
{
    size_t widest = 0;
    for (size_t k = 0; k < a->ticks; k++)
        widest = strlen(a->label[k]) > widest ? strlen(a->label[k]) : widest;
    return (int)widest;
}

static int half(size_t cells, const char *title)
{
    size_t columns = eb_utf8_columns(title, SIZE_MAX);
    return cells > columns ? (int)((cells - columns) / 2) : 0;
}

eb_code eb_draw_lines(FILE *out, const eb_series *series, unsigned width, unsigned height, bool unicode,
                      eb_status *status)
{
    axis x = {.log = series->x_log}, y = {.log = series->y_log};
    find_range(&x, series->x, series->points);
    find_range(&y, series->y, series->points);
    /* Four lines go to the titles, the axis and its labels. */
    y.cells = height > 4 + LOWEST ? height - 4 : LOWEST;
    find_ticks(&y, (y.cells + 2) / 3);
    int label_width = widest_label(&y);
    size_t margin = INDENT + 2 + (size_t)label_width;
    size_t columns = width < 1000 ? width : 1000;
    x.cells = columns > margin + NARROWEST ? columns - margin : NARROWEST;
    find_ticks(&x, x.cells / 12);

    canvas c = {.columns = x.cells, .rows = y.cells, .across = unicode ? 2 : 1, .up = unicode ? 4 : 1};
    c.dots = calloc(c.columns * c.rows, 1);
    if (!c.dots)
        return eb_fail_memory(status, "a plot", c.columns * c.rows);
    if (series->low)
        put_line(&c, &x, &y, series, series->low, true);
    if (series->high)
        put_line(&c, &x, &y, series, series->high, true);
    put_line(&c, &x, &y, series, series->y, false);
    eb_code failed = put_title(out, INDENT, series->y_title, y.log, unicode, status);
    if (!failed) {
        put_rows(out, &c, &y, label_width, unicode);
        put_x_axis(out, &x, label_width, unicode);
        failed = put_title(out, (int)margin + half(x.cells, series->x_title), series->x_title, x.log, unicode, status);
    }
    free(c.dots);
    return failed;
}
