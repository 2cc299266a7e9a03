#include "ui/panels/lab/rates.h"

#include <math.h>
#include <stdio.h>

#include "core/report/find.h"
#include "draw/format.h"
#include "draw/plots/heat_map.h"
#include "draw/plots/plot.h"
#include "draw/utf8.h"
#include "shell/defaults.h"

enum {
    NUMBER = 48,
    MOST_LEGEND = 4,
    WORDS = 3,         /* rows above a map: its title, the chosen cell's figures */
    LEAST_CURVES = 16, /* least rows of curves below a map */
};

/* ---- maps and cells ---- */

/* The engine's map; NULL beyond the last one. */
static const eb_item *map_at(const eb_report *report, size_t engine)
{
    for (size_t k = 0; k < report->items; k++)
        if (report->item[k]->kind == EB_SERIES && report->item[k]->as.series.shape == EB_HEAT &&
            report->item[k]->as.series.z && engine-- == 0)
            return report->item[k];
    return NULL;
}

static size_t maps_of(const eb_report *report)
{
    size_t count = 0;
    while (map_at(report, count))
        count++;
    return count;
}

/* The chosen cell, by default the fastest; SIZE_MAX: no rate is known yet. */
static size_t cell_of(const eb_rates_view *view, const eb_series *map)
{
    size_t fastest = SIZE_MAX;
    if (view->at < map->points)
        return view->at;
    for (size_t k = 0; k < map->points; k++)
        if (isfinite(map->z[k]) && (fastest == SIZE_MAX || map->z[k] > map->z[fastest]))
            fastest = k;
    return fastest;
}

/* ---- the chosen cell ---- */

static const char *shown(char *buffer, const eb_table *cells, size_t row, const eb_column *key)
{
    return eb_format_value(buffer, NUMBER, eb_table_value(cells, row, key), key->unit);
}

static void tell_rate(const eb_table *cells, size_t row, char *text, size_t size)
{
    char derived[NUMBER], executed[NUMBER], kernel[NUMBER], cov[NUMBER], limit[NUMBER], s[NUMBER];
    bool limited = eb_table_value(cells, row, EB_F(limit_share)).kind != EB_NA;
    (void)snprintf(text, size, "%s derived, %s executed%s%s, kernels %s, CoV %s, S %s, %s",
                   shown(derived, cells, row, EB_F(tflops_derived)), shown(executed, cells, row, EB_F(tflops_executed)),
                   limited ? ", of limit " : "", limited ? shown(limit, cells, row, EB_F(limit_share)) : "",
                   shown(kernel, cells, row, EB_F(kernel_s)), shown(cov, cells, row, EB_F(kernel_cov)),
                   shown(s, cells, row, EB_F(selectivity)), eb_text_at(cells, row, EB_F(state)));
}

static void tell_cell(const eb_table *cells, size_t row, char *text, size_t size)
{
    char forecast[NUMBER];
    if (eb_table_value(cells, row, EB_F(tflops_derived)).kind != EB_NA)
        tell_rate(cells, row, text, size);
    else if (eb_table_value(cells, row, EB_F(forecast_s)).kind != EB_NA)
        (void)snprintf(text, size, "%s: %s foreseen", eb_text_at(cells, row, EB_F(state)),
                       shown(forecast, cells, row, EB_F(forecast_s)));
    else
        (void)snprintf(text, size, "%s%s%s", eb_text_at(cells, row, EB_F(state)),
                       eb_text_at(cells, row, EB_F(reason))[0] ? ": " : "", eb_text_at(cells, row, EB_F(reason)));
}

static int draw_cell(const eb_rates_view *view, const eb_report *report, const eb_series *map, eb_canvas *canvas,
                     eb_rect area)
{
    const eb_table *cells = eb_report_find_table(report, EB_F(cells));
    char n[NUMBER], d[NUMBER], text[512], line[700];
    const size_t at = cell_of(view, map), row = view->engine * map->points + at;
    if (!cells || at == SIZE_MAX || row >= cells->rows)
        return 0;
    tell_cell(cells, row, text, sizeof text);
    (void)snprintf(line, sizeof line, "%s%s × %s: %s", view->at == at ? "" : "fastest: ", shown(n, cells, row, EB_F(n)),
                   shown(d, cells, row, EB_F(d)), text);
    return eb_put_wrapped(canvas, area, EB_ROLE_TEXT, line);
}

/* ---- the map ---- */

static void draw_title(const eb_rates_view *view, const eb_report *report, const eb_item *map, eb_canvas *canvas,
                       eb_rect row)
{
    char value[NUMBER];
    const size_t maps = maps_of(report);
    const bool sampled = eb_report_find_field(report, EB_F(wanted_selectivity)).kind != EB_NA;
    const eb_column *key = sampled ? EB_F(wanted_selectivity) : EB_F(eps);
    int x = row.x + eb_putf(canvas, row, row.x, row.y, EB_ROLE_TITLE, "%s", map->title);
    if (maps > 1)
        x += eb_putf(canvas, row, x, row.y, EB_ROLE_DIM, "  %zu of %zu", view->engine + 1, maps);
    (void)eb_putf(canvas, row, x, row.y, EB_ROLE_DIM, "  uniform points, %s = %s", sampled ? "S" : "ε",
                  eb_format_value(value, sizeof value, eb_report_find_field(report, key), EB_PLAIN));
}

static void draw_map(eb_rates_view *view, const eb_report *report, eb_canvas *canvas, eb_rect area)
{
    const eb_item *map = map_at(report, view->engine);
    if (!map || eb_rect_empty(area))
        return;
    const eb_series *series = &map->as.series;
    eb_rect body = {area.x, area.y + 1, area.width, area.height - 1};
    draw_title(view, report, map, canvas, (eb_rect){area.x, area.y, area.width, 1});
    const int lines = body.height > eb_heat_map_rows(series) ? body.height - eb_heat_map_rows(series) : 0;
    eb_rect words = {body.x, body.y, body.width, lines < WORDS - 1 ? lines : WORDS - 1};
    body.y += words.height;
    body.height -= words.height;
    (void)draw_cell(view, report, series, canvas, words);
    view->map = body;
    eb_draw_heat_map(canvas, body, series, view->at);
}

/* ---- the curves ---- */

/* Draws "a ref64 n = 10,000  A cuda:0 FP16 tensor cores, 600 TFLOPS", as many entries as the rows hold. */
static void draw_legend(const eb_table *lines, eb_canvas *canvas, eb_rect area)
{
    char entry[160], number[NUMBER];
    int x = 0, y = 0;
    for (size_t k = 0; k < lines->rows; k++) {
        const char mark = eb_text_at(lines, k, EB_F(mark))[0];
        const bool limit = eb_table_value(lines, k, EB_F(n)).kind == EB_NA;
        if (limit)
            (void)snprintf(entry, sizeof entry, "%s %s, %s", eb_text_at(lines, k, EB_F(device)),
                           eb_text_at(lines, k, EB_F(what)), shown(number, lines, k, EB_F(tflops)));
        else
            (void)snprintf(entry, sizeof entry, "%s n = %s", eb_text_at(lines, k, EB_F(spec)),
                           shown(number, lines, k, EB_F(n)));
        const int width = 2 + eb_text_width(entry);
        if (x > 0 && x + width > area.width)
            x = 0, y++;
        eb_rect row = {area.x, area.y + y, area.width, y < area.height};
        (void)eb_putf(canvas, row, area.x + x, row.y, limit ? EB_ROLE_AXIS : eb_mark_role(mark), "%c", mark);
        (void)eb_put_short(canvas, row, area.x + x + 2, row.y, EB_ROLE_DIM, entry);
        x += width + 2;
    }
}

static void draw_curves(const eb_report *report, eb_canvas *canvas, eb_rect area)
{
    const eb_item *curves = eb_report_find(report, EB_SERIES, EB_F(curves));
    const eb_table *lines = eb_report_find_table(report, EB_F(lines));
    if (eb_rect_empty(area))
        return;
    if (!curves || !lines) {
        (void)eb_put_wrapped(canvas, area, EB_ROLE_DIM, "No engine has told an executed rate yet.");
        return;
    }
    const int legend = area.height >= 3 * MOST_LEGEND ? MOST_LEGEND : 0;
    (void)eb_put_short(canvas, (eb_rect){area.x, area.y, area.width, 1}, area.x, area.y, EB_ROLE_TITLE, curves->title);
    eb_draw_series(canvas, (eb_rect){area.x, area.y + 1, area.width, area.height - 1 - legend}, &curves->as.series);
    draw_legend(lines, canvas, (eb_rect){area.x, area.y + area.height - legend, area.width, legend});
}

void eb_draw_rates(eb_rates_view *view, const eb_report *report, eb_canvas *canvas, eb_rect area, bool beside)
{
    eb_rect left = area, right = area;
    view->map = (eb_rect){0};
    if (!report) {
        (void)eb_put_wrapped(canvas, area, EB_ROLE_DIM,
                             "`grid " EB_FAST "," EB_TRUE
                             "` measures engines over n × d, each cell a run in the log: a "
                             "map of their rates, and curves beneath the device's limits.");
        return;
    }
    const eb_item *map = map_at(report, view->engine);
    const int high = map ? eb_heat_map_rows(&map->as.series) + WORDS : 0;
    const bool below = !beside && area.height >= high + LEAST_CURVES;
    if (beside) {
        left.width = area.width / 2 - 1;
        right.x += left.width + 2;
        right.width -= left.width + 2;
    } else if (below) {
        left.height = high;
        right.y += high + 1;
        right.height -= high + 1;
    }
    if (beside || below || !view->curves)
        draw_map(view, report, canvas, left);
    if (beside || below || view->curves)
        draw_curves(report, canvas, right);
}

/* ---- keys ---- */

/* The map's points are ordered by n, then by d: the number of points of each n. */
static size_t column_height(const eb_series *map)
{
    size_t height = 0;
    while (height < map->points && map->x[height] == map->x[0])
        height++;
    return height;
}

static void move(eb_rates_view *view, const eb_series *map, bool forward, size_t by, bool fits)
{
    view->at = cell_of(view, map);
    if (fits && forward)
        view->at += by;
    else if (fits)
        view->at -= by;
}

static bool click(eb_rates_view *view, const eb_series *map, eb_key key)
{
    const size_t at = eb_heat_map_at(view->map, map, key.x, key.y);
    view->at = at == SIZE_MAX ? view->at : at;
    return at != SIZE_MAX;
}

bool eb_rates_key(eb_rates_view *view, const eb_report *report, eb_key key)
{
    const eb_item *item = report ? map_at(report, view->engine) : NULL;
    if (!item)
        return false;
    const eb_series *map = &item->as.series;
    const size_t at = cell_of(view, map), height = column_height(map), maps = maps_of(report);
    if (key.code == EB_KEY_CLICK)
        return click(view, map, key);
    if (at == SIZE_MAX || height == 0 || maps == 0)
        return false;
    switch (key.code) {
    case EB_KEY_LEFT: move(view, map, false, height, at >= height); break;
    case EB_KEY_RIGHT: move(view, map, true, height, at + height < map->points); break;
    case EB_KEY_UP: move(view, map, true, 1, at % height + 1 < height); break;
    case EB_KEY_DOWN: move(view, map, false, 1, at % height > 0); break;
    case EB_KEY_PAGE_DOWN: view->engine = (view->engine + 1) % maps; break;
    case EB_KEY_PAGE_UP: view->engine = (view->engine + maps - 1) % maps; break;
    default: return false;
    }
    return true;
}
