/* plot: draws series as characters for text and Markdown reports: histograms as horizontal bars, other series as the
 * panels do. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/plots/heat_map.h"
#include "draw/plots/plot.h"
#include "draw/plots/table_picture.h"
#include "draw/utf8.h"
#include "shell/render/render.h"

enum { INDENT = 2, NARROWEST_BAR = 8, NARROWEST_PLOT = 24, LOWEST_PLOT = 8 };

/* A histogram in which each bar stands for `group` bins. */
typedef struct bars {
    const eb_series *series;
    size_t group, first, count; /* bins per bar; bars [first, count) are drawn */
    double most;                /* drawn_length of the longest bar */
    int label_width, count_width;
} bars;

/* Bins per bar for at most `height` bars; prefers a divisor of `bins` that is less than twice the least possible. */
static size_t bins_a_bar(size_t bins, size_t height)
{
    size_t least = (bins + height - 1) / height;
    for (size_t group = least; group < 2 * least; group++)
        if (bins % group == 0)
            return group;
    return least;
}

static size_t bar_end(const bars *b, size_t bar)
{
    size_t end = (bar + 1) * b->group;
    return end < b->series->points ? end : b->series->points;
}

static double bar_mass(const bars *b, size_t bar)
{
    double mass = 0;
    for (size_t k = bar * b->group; k < bar_end(b, bar); k++)
        mass += b->series->y[k] > 0 ? b->series->y[k] : 0; /* NAN counts as 0 */
    return fmin(mass, DBL_MAX);
}

static double drawn_length(const bars *b, double mass) { return b->series->y_log ? log1p(mass) : mass; }

static void bar_label(const bars *b, size_t bar, char *buffer, size_t size)
{
    const double *x = b->series->x;
    double first = x[bar * b->group], last = x[bar_end(b, bar) - 1], centre = first + (last - first) / 2;
    double span = fabs(x[b->series->points - 1] - x[0]);
    (void)eb_format_tick(buffer, size, fabs(centre) < 1e-9 * span ? 0 : centre, 4);
}

static int text_width(const char *text) { return (int)strlen(text); } /* numbers are ASCII */

/* Skips leading empty bars, all but one, if all values of the axis are positive. */
static void skip_empty(bars *b)
{
    while (b->series->x[0] > 0 && b->first + 2 < b->count && bar_mass(b, b->first) == 0 &&
           bar_mass(b, b->first + 1) == 0)
        b->first++;
}

static void measure(bars *b)
{
    char text[64];
    for (size_t k = b->first; k < b->count; k++) {
        double mass = bar_mass(b, k), length = drawn_length(b, mass);
        b->most = length > b->most ? length : b->most;
        bar_label(b, k, text, sizeof text);
        b->label_width = text_width(text) > b->label_width ? text_width(text) : b->label_width;
        (void)eb_format_value(text, sizeof text, eb_real(mass), EB_PLAIN);
        b->count_width = text_width(text) > b->count_width ? text_width(text) : b->count_width;
    }
}

/* Draws a bar of `eighths` eighths of a character, rounded to the parts of a character that the font has; a length
 * above 0 is never rounded to 0. Returns the columns used. */
static size_t put_bar(FILE *out, double eighths, eb_font font)
{
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    size_t length = (size_t)(eighths + 0.5), columns = 0;
    const size_t step = font == EB_FONT_UNICODE ? 1 : font == EB_FONT_CONSOLE ? 4 : 8;
    length = (length + step / 2) / step * step;
    if (length == 0 && eighths > 0)
        length = step;
    for (; length >= 8; length -= 8, columns++)
        (void)fputs(font == EB_FONT_ASCII ? "#" : "█", out);
    (void)fputs(parts[length], out);
    return columns + (length > 0);
}

static void put_outside(FILE *out, const eb_series *series)
{
    char under[64], over[64];
    if (isnan(series->under) && isnan(series->over))
        return;
    (void)fprintf(out, "; %s below, %s above", eb_format_value(under, sizeof under, eb_real(series->under), EB_PLAIN),
                  eb_format_value(over, sizeof over, eb_real(series->over), EB_PLAIN));
}

static eb_code put_legend(FILE *out, const eb_series *series, eb_font font, eb_status *status)
{
    const bool unicode = font != EB_FONT_ASCII;
    char *x = eb_utf8_shown(series->x_title, !unicode), *y = eb_utf8_shown(series->y_title, !unicode);
    if (x && y) {
        (void)fprintf(out, "%*s%s: %s%s", (int)INDENT, "", x, y, series->y_log ? ", logarithmic" : "");
        put_outside(out, series);
        (void)fputc('\n', out);
    }
    bool done = x && y;
    free(x);
    free(y);
    return done ? EB_OK : eb_fail_memory(status, "a plot's legend", 1);
}

static eb_code draw_bars(FILE *out, const eb_series *series, unsigned width, unsigned height, eb_font font,
                         eb_status *status)
{
    bars b = {.series = series, .group = bins_a_bar(series->points, height ? height : 1)};
    b.count = (series->points + b.group - 1) / b.group;
    skip_empty(&b);
    measure(&b);
    int room = (int)(width < 1000 ? width : 1000) - INDENT - b.label_width - b.count_width - 4;
    double longest = room > NARROWEST_BAR ? room : NARROWEST_BAR;
    for (size_t k = b.first; k < b.count; k++) {
        char text[64];
        bar_label(&b, k, text, sizeof text);
        (void)fprintf(out, "%*s%*s %s", (int)INDENT, "", b.label_width, text, font == EB_FONT_ASCII ? "|" : "│");
        double mass = bar_mass(&b, k);
        size_t drawn = put_bar(out, b.most > 0 ? 8 * longest * (drawn_length(&b, mass) / b.most) : 0, font);
        if (mass > 0)
            (void)fprintf(out, "%s%s", drawn ? " " : "", eb_format_value(text, sizeof text, eb_real(mass), EB_PLAIN));
        (void)fputc('\n', out);
    }
    return put_legend(out, series, font, status);
}

static int columns_in(unsigned width)
{
    return width < NARROWEST_PLOT ? NARROWEST_PLOT : width < 1000 ? (int)width : 1000;
}

eb_code eb_put_canvas(FILE *out, eb_canvas *canvas, eb_font font, eb_status *status)
{
    if (font == EB_FONT_CONSOLE)
        eb_canvas_to_console(canvas);
    eb_code failed = eb_canvas_dump(canvas, out, status);
    eb_canvas_free(canvas);
    return failed;
}

static eb_code draw_plot(FILE *out, const eb_series *series, unsigned width, unsigned height, eb_font font,
                         eb_status *status)
{
    eb_canvas canvas = {.unicode = font != EB_FONT_ASCII};
    const int columns = columns_in(width);
    bool lower = height < LOWEST_PLOT && series->shape != EB_HEAT; /* a heat map's height is fixed by its rows */
    EB_TRY(eb_canvas_resize(&canvas, columns, lower ? LOWEST_PLOT : (int)height, status));
    eb_draw_series(&canvas, (eb_rect){INDENT, 0, columns - INDENT, canvas.height}, series);
    return eb_put_canvas(out, &canvas, font, status);
}

static eb_code draw_picture(FILE *out, const eb_table *table, unsigned width, eb_font font, eb_status *status)
{
    eb_canvas canvas = {.unicode = font != EB_FONT_ASCII};
    const int most = INDENT + eb_table_picture_columns(table), wide = columns_in(width),
              columns = wide < most ? most : wide;
    EB_TRY(eb_canvas_resize(&canvas, columns, eb_table_picture_rows(table, columns - INDENT), status));
    eb_draw_table_picture(&canvas, (eb_rect){INDENT, 0, columns - INDENT, canvas.height}, table);
    return eb_put_canvas(out, &canvas, font, status);
}

eb_code eb_put_series(FILE *out, const eb_series *series, unsigned width, unsigned height, eb_font font,
                      eb_status *status)
{
    if (series->points == 0) {
        (void)fprintf(out, "%*s(no points)\n", (int)INDENT, "");
        return EB_OK;
    }
    if (series->shape == EB_BARS)
        return draw_bars(out, series, width, height, font, status);
    return draw_plot(out, series, width, height, font, status);
}

bool eb_is_drawn(const eb_item *item)
{
    return item->kind == EB_SERIES ||
           (item->kind == EB_TABLE && item->as.table.look != EB_AS_TABLE && item->as.table.rows > 0);
}

eb_code eb_put_drawing(FILE *out, const eb_item *item, unsigned width, eb_font font, eb_status *status)
{
    if (item->kind == EB_TABLE)
        return draw_picture(out, &item->as.table, width, font, status);
    const eb_series *series = &item->as.series;
    const unsigned height = series->shape == EB_HEAT     ? (unsigned)eb_heat_map_rows(series)
                            : series->shape == EB_BARS   ? 25
                            : series->shape == EB_POINTS ? 24
                                                         : 15;
    return eb_put_series(out, series, width, height, font, status);
}
