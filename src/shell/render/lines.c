/* A series as a line, or as points, in a frame with ticks: braille dots, 2 × 4 a character, or
 * '*'. The band is dotted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/dots.h"
#include "draw/ticks.h"
#include "draw/utf8.h"
#include "shell/render/parts.h"

enum { INDENT = 2, NARROWEST = 10, LOWEST = 3 };

/* One axis: what it shows, and the characters it has. */
typedef struct axis {
    eb_span span;
    size_t cells; /* characters along it */
    eb_ticks ticks;
    size_t at[EB_MOST_TICKS]; /* their characters, from the low end */
} axis;

static void find_ticks(axis *a, size_t most)
{
    eb_ticks_find(&a->span, most, &a->ticks);
    for (size_t k = 0; k < a->ticks.count; k++)
        a->at[k] = (size_t)round(a->ticks.share[k] * (double)(a->cells - 1));
}

/* ---- dots ---- */

typedef struct canvas {
    size_t columns, rows; /* characters */
    bool unicode;
    unsigned char *dots; /* [rows × columns] braille bits; in ASCII LINE and BAND */
} canvas;

enum { LINE = 1, BAND = 2 };

static void take_braille(void *context, size_t i, size_t j)
{
    canvas *c = context;
    c->dots[j / EB_BRAILLE_UP * c->columns + i / EB_BRAILLE_ACROSS] |= eb_braille_bit(i, j);
}

static void take_line(void *context, size_t i, size_t j)
{
    canvas *c = context;
    c->dots[j * c->columns + i] |= LINE;
}

static void take_band(void *context, size_t i, size_t j)
{
    canvas *c = context;
    c->dots[j * c->columns + i] |= BAND;
}

/* The points joined, or alone; a band has a dot on every third place along x. */
static void put_values(canvas *c, const axis *x, const axis *y, const eb_series *series, const double *values,
                       bool band)
{
    eb_pen pen = {.across = c->columns * (c->unicode ? EB_BRAILLE_ACROSS : 1),
                  .up = c->rows * (c->unicode ? EB_BRAILLE_UP : 1),
                  .every = band && series->points > 1 ? 3 : 1,
                  .dot = c->unicode ? take_braille
                         : band     ? take_band
                                    : take_line,
                  .context = c};
    for (size_t k = 0; k < series->points; k++) {
        double x0 = eb_span_share(&x->span, series->x[k]), y0 = eb_span_share(&y->span, values[k]);
        if (!band || series->points == 1)
            eb_pen_dot(&pen, x0, y0);
        if (series->shape == EB_LINE && k + 1 < series->points)
            eb_pen_line(&pen, x0, y0, eb_span_share(&x->span, series->x[k + 1]),
                        eb_span_share(&y->span, values[k + 1]));
    }
}

static void put_cell(FILE *out, const canvas *c, unsigned char dots)
{
    if (!c->unicode) {
        (void)fputc(dots & LINE ? '*' : dots & BAND ? '.' : ' ', out);
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
    for (size_t k = 0; k < a->ticks.count; k++)
        if (a->at[k] == cell)
            return a->ticks.label[k];
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
    for (size_t k = 0; k < x->ticks.count; k++) {
        size_t length = strlen(x->ticks.label[k]), middle = margin + x->at[k];
        size_t start = middle > length / 2 ? middle - length / 2 : 0;
        if (start + length > margin + x->cells)
            start = margin + x->cells > length ? margin + x->cells - length : 0;
        if (used > 0 && start < used + 1)
            continue;
        (void)fprintf(out, "%*s%s", (int)(start - used), "", x->ticks.label[k]);
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
    for (size_t k = 0; k < a->ticks.count; k++)
        widest = strlen(a->ticks.label[k]) > widest ? strlen(a->ticks.label[k]) : widest;
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
    axis x = {.span = eb_span_of(series->points, series->x, series->x_log)};
    axis y = {.span = eb_span_of(series->points, series->y, series->y_log)};
    /* Four lines go to the titles, the axis and its labels. */
    y.cells = height > 4 + LOWEST ? height - 4 : LOWEST;
    find_ticks(&y, (y.cells + 2) / 3);
    int label_width = widest_label(&y);
    size_t margin = INDENT + 2 + (size_t)label_width;
    size_t columns = width < 1000 ? width : 1000;
    x.cells = columns > margin + NARROWEST ? columns - margin : NARROWEST;
    find_ticks(&x, x.cells / 12);

    canvas c = {.columns = x.cells, .rows = y.cells, .unicode = unicode};
    c.dots = calloc(c.columns * c.rows, 1);
    if (!c.dots)
        return eb_fail_memory(status, "a plot", c.columns * c.rows);
    if (series->low)
        put_values(&c, &x, &y, series, series->low, true);
    if (series->high)
        put_values(&c, &x, &y, series, series->high, true);
    put_values(&c, &x, &y, series, series->y, false);
    eb_code failed = put_title(out, INDENT, series->y_title, series->y_log, unicode, status);
    if (!failed) {
        put_rows(out, &c, &y, label_width, unicode);
        put_x_axis(out, &x, label_width, unicode);
        failed = put_title(out, (int)margin + half(x.cells, series->x_title), series->x_title, series->x_log, unicode,
                           status);
    }
    free(c.dots);
    return failed;
}
