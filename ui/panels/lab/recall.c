#include "ui/panels/lab/recall.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/report/find.h"
#include "draw/format.h"
#include "draw/plots/plot.h"
#include "ui/widgets/report_view.h"
#include "ui/widgets/scroll.h"

enum {
    NUMBER = 48,
    WORDS = 3,        /* rows above the curve: its title, the chosen point's figures */
    LEAST_CURVE = 14, /* least rows of a curve with a table below it */
};

/* ---- report and points ---- */

static bool has_points(const eb_report *report)
{
    return report && eb_report_find_table(report, EB_F(cells)) && eb_report_find_series(report, EB_F(curve));
}

static const eb_report *live_of(const eb_desk *desk)
{
    const eb_report *live = eb_desk_busy(desk) ? eb_desk_live(desk) : NULL;
    return live && strcmp(live->command, "recall") == 0 && has_points(live) ? live : NULL;
}

const eb_report *eb_recall_report_of(const eb_desk *desk)
{
    const unsigned long measured = eb_desk_report_stamp(desk, "recall"), kept = eb_desk_report_stamp(desk, "recalls");
    if (live_of(desk))
        return live_of(desk);
    return measured + kept == 0 ? NULL : eb_desk_report(desk, measured > kept ? "recall" : "recalls");
}

unsigned long eb_recall_stamp(const eb_desk *desk)
{
    const unsigned long measured = eb_desk_report_stamp(desk, "recall"), kept = eb_desk_report_stamp(desk, "recalls");
    return live_of(desk) ? ULONG_MAX : measured > kept ? measured : kept;
}

/* The table's rows and the curve's points are the same points in the same order. */
typedef struct points {
    const eb_report *report;
    const eb_table *cells;
    const eb_item *curve;
    const eb_series *series;
    size_t count, at; /* at: the chosen one */
} points;

static uint64_t nprobe_of(const points *p, size_t k) { return (uint64_t)eb_number_at(p->cells, k, EB_F(nprobe)); }

/* The point with the best recall; among equal ones the fastest. */
static size_t best_of(const points *p)
{
    const eb_series *s = p->series;
    size_t best = 0;
    for (size_t k = 1; k < p->count; k++)
        if (s->x[k] > s->x[best] || (s->x[k] == s->x[best] && s->y[k] > s->y[best]))
            best = k;
    return best;
}

static bool chosen(const eb_recall_view *view, const points *p)
{
    return view->mark == p->series->mark[p->at] && view->nprobe == nprobe_of(p, p->at);
}

static points points_of(const eb_recall_view *view, const eb_report *report)
{
    points p = {.report = report,
                .cells = eb_report_find_table(report, EB_F(cells)),
                .curve = eb_report_find(report, EB_SERIES, EB_F(curve))};
    p.series = &p.curve->as.series;
    p.count = p.cells->rows < p.series->points ? p.cells->rows : p.series->points;
    p.count = p.series->mark ? p.count : 0;
    if (p.count == 0)
        return p;
    for (p.at = 0; p.at + 1 < p.count && !chosen(view, &p);)
        p.at++;
    p.at = chosen(view, &p) ? p.at : best_of(&p);
    return p;
}

/* ---- texts ---- */

static const char *shown(char *buffer, const points *p, size_t k, const eb_column *key)
{
    return eb_format_value(buffer, NUMBER, eb_table_value(p->cells, k, key), key->unit);
}

static const char *name_of(const points *p, size_t k) { return eb_text_at(p->cells, k, EB_F(lut)); }

/* Queries per second, rounded; n/a for a point without a finished trial. */
static const char *rate_of(char *buffer, const points *p, size_t k)
{
    const double rate = p->series->y[k];
    return eb_format_value(buffer, NUMBER, isfinite(rate) ? eb_uint((uint64_t)llround(rate)) : eb_na(), EB_PLAIN);
}

static const char *field(char *buffer, const points *p, const eb_column *key)
{
    return eb_format_value(buffer, NUMBER, eb_report_find_field(p->report, key), EB_PLAIN);
}

static double half_width(const points *p, size_t k)
{
    return (eb_number_at(p->cells, k, EB_F(recall_high)) - eb_number_at(p->cells, k, EB_F(recall_low))) / 2;
}

/* Half the distance between the slowest and the fastest trial, as a share of the rate. */
static double spread(const points *p, size_t k)
{
    const eb_series *s = p->series;
    return s->low && s->high ? (s->high[k] - s->low[k]) / 2 / s->y[k] : NAN;
}

static void draw_title(const points *p, eb_canvas *canvas, eb_rect row)
{
    char k[NUMBER], n[NUMBER], queries[NUMBER], nlist[NUMBER], m[NUMBER];
    char text[6 * NUMBER];
    (void)snprintf(text, sizeof text, "Recall@%s: %s queries, %s points, nlist %s, m %s", field(k, p, EB_F(k)),
                   field(queries, p, EB_F(queries)), field(n, p, EB_F(n)), field(nlist, p, EB_F(nlist)),
                   field(m, p, EB_F(m)));
    (void)eb_put_short(canvas, row, row.x, row.y, EB_ROLE_TITLE, text);
}

/* The GPU's figures of the chosen point, and its counters, if they were measured. */
static void tell_gpu(const points *p, char *text, size_t size)
{
    char kernel[NUMBER], blocks[NUMBER], served[NUMBER], conflicts[NUMBER], occupancy[NUMBER];
    size_t used = 0;
    text[0] = '\0';
    if (eb_table_value(p->cells, p->at, EB_F(kernel_s)).kind != EB_NA)
        used = (size_t)snprintf(text, size, "; look-ups' kernel %s, %s blocks an SM, %s queries a look-up",
                                shown(kernel, p, p->at, EB_F(kernel_s)), shown(blocks, p, p->at, EB_F(blocks_per_sm)),
                                shown(served, p, p->at, EB_F(queries_per_lookup)));
    if (used < size && eb_table_value(p->cells, p->at, EB_F(lookup_conflicts)).kind != EB_NA)
        (void)snprintf(text + used, size - used, "; counted: %s bank conflicts a look-up, occupancy %s",
                       shown(conflicts, p, p->at, EB_F(lookup_conflicts)), shown(occupancy, p, p->at, EB_F(occupancy)));
}

static void draw_point(const eb_recall_view *view, const points *p, eb_canvas *canvas, eb_rect area)
{
    char nprobe[NUMBER], rate[NUMBER], bytes[NUMBER], speed[NUMBER];
    char trials[NUMBER], around[NUMBER], on_gpu[6 * NUMBER], line[16 * NUMBER];
    tell_gpu(p, on_gpu, sizeof on_gpu);
    (void)snprintf(
        line, sizeof line,
        "%s%c %s at nprobe %s: recall %.3f (%.3f to %.3f), %s queries/s ± %s, %s of %s; a table takes %s; trials "
        "%s%s",
        chosen(view, p) ? "" : "best recall: ", p->series->mark[p->at], name_of(p, p->at),
        shown(nprobe, p, p->at, EB_F(nprobe)), eb_number_at(p->cells, p->at, EB_F(recall)),
        eb_number_at(p->cells, p->at, EB_F(recall_low)), eb_number_at(p->cells, p->at, EB_F(recall_high)),
        rate_of(rate, p, p->at), eb_format_value(around, sizeof around, eb_real(spread(p, p->at)), EB_PERCENT),
        shown(speed, p, p->at, EB_F(speed)), name_of(p, 0), shown(bytes, p, p->at, EB_F(table_bytes)),
        shown(trials, p, p->at, EB_F(trials)), on_gpu);
    (void)eb_put_wrapped(canvas, area, EB_ROLE_TEXT, line);
}

/* ---- the curve ---- */

/* Draws the lines' letters and formats, as many as there is room for. */
static void draw_legend(const points *p, eb_canvas *canvas, eb_rect row)
{
    int x = row.x;
    for (size_t k = 0; k < p->count; k++) {
        if (k > 0 && p->series->mark[k] == p->series->mark[k - 1])
            continue;
        x += eb_putf(canvas, row, x, row.y, eb_mark_role(p->series->mark[k]), "%c", p->series->mark[k]);
        x += eb_putf(canvas, row, x, row.y, EB_ROLE_TEXT, " %s  ", name_of(p, k));
    }
    (void)eb_put_short(canvas, row, x, row.y, EB_ROLE_DIM, "bars: least and most of the trials");
}

static void draw_bars(const points *p, eb_canvas *canvas, const eb_plot *plot)
{
    const eb_series *s = p->series;
    for (size_t k = 0; s->low && s->high && k < p->count; k++)
        eb_plot_line(canvas, plot, 2, (double[]){s->x[k], s->x[k]}, (double[]){s->low[k], s->high[k]},
                     eb_mark_role(s->mark[k]));
}

/* Marks the chosen point, with the interval of its recall. */
static void draw_cursor(const points *p, eb_canvas *canvas, const eb_plot *plot)
{
    const double low = eb_number_at(p->cells, p->at, EB_F(recall_low)),
                 high = eb_number_at(p->cells, p->at, EB_F(recall_high));
    const double y = p->series->y[p->at];
    eb_plot_vertical(canvas, plot, p->series->x[p->at], EB_ROLE_CURSOR, NULL);
    eb_plot_line(canvas, plot, 2, (double[]){low, high}, (double[]){y, y}, EB_ROLE_CURSOR);
}

/* The axes contain the trials' bars too. */
static eb_plot frame_of(const points *p)
{
    const eb_series *s = p->series;
    eb_plot plot = {.x = eb_axis_of(p->count, s->x, s->x_log, s->x_title),
                    .y = eb_axis_of(p->count, s->y, s->y_log, "queries/s")};
    for (size_t k = 0; s->low && s->high && k < p->count; k++) {
        plot.y.low = s->low[k] > 0 ? fmin(plot.y.low, s->low[k]) : plot.y.low;
        plot.y.high = fmax(plot.y.high, s->high[k]);
    }
    return plot;
}

static void draw_curve(const eb_recall_view *view, const points *p, eb_canvas *canvas, eb_rect area)
{
    const eb_series *s = p->series;
    const int words = area.height > LEAST_CURVE ? WORDS : area.height / 4;
    eb_rect body = {area.x, area.y + words + 1, area.width, area.height - words - 1};
    eb_plot plot = frame_of(p);
    draw_point(view, p, canvas, (eb_rect){area.x, area.y, area.width, words});
    draw_legend(p, canvas, (eb_rect){area.x, area.y + words, area.width, area.height > words});
    if (!eb_plot_frame(canvas, body, &plot))
        return;
    for (size_t first = 0, end; first < p->count; first = end) {
        for (end = first; end < p->count && s->mark[end] == s->mark[first];)
            end++;
        eb_plot_line(canvas, &plot, end - first, s->x + first, s->y + first, eb_mark_role(s->mark[first]));
    }
    draw_bars(p, canvas, &plot);
    draw_cursor(p, canvas, &plot);
    for (size_t k = 0; k < p->count; k++)
        eb_plot_mark(canvas, &plot, s->x[k], s->y[k], k == p->at ? EB_ROLE_CURSOR : eb_mark_role(s->mark[k]),
                     (unsigned char)s->mark[k], s->mark[k], NULL);
    eb_plot_mark(canvas, &plot, s->x[p->at], s->y[p->at], EB_ROLE_CURSOR, (unsigned char)s->mark[p->at], s->mark[p->at],
                 NULL); /* again, above other points at the same place */
}

/* ---- the table ---- */

static void draw_row(const points *p, size_t k, eb_canvas *canvas, eb_rect row)
{
    char nprobe[NUMBER], recall[NUMBER], around[NUMBER], rate[NUMBER], spread_text[NUMBER], speed[NUMBER], text[512];
    const eb_role role = k == p->at ? EB_ROLE_CURSOR : EB_ROLE_TEXT;
    (void)snprintf(around, sizeof around, "%.4f", half_width(p, k));
    (void)snprintf(recall, sizeof recall, "%.4f", eb_number_at(p->cells, k, EB_F(recall)));
    (void)snprintf(text, sizeof text, "%c%c %-6s %6s   %s ± %s %11s ± %-6s %7s", k == p->at ? '>' : ' ',
                   p->series->mark[k], name_of(p, k), shown(nprobe, p, k, EB_F(nprobe)), recall, around,
                   rate_of(rate, p, k),
                   eb_format_value(spread_text, sizeof spread_text, eb_real(spread(p, k)), EB_PERCENT),
                   shown(speed, p, k, EB_F(speed)));
    (void)eb_put_short(canvas, row, row.x, row.y, role, text);
    eb_put_cell(canvas, row, row.x + 1, row.y, k == p->at ? EB_ROLE_CURSOR : eb_mark_role(p->series->mark[k]),
                (unsigned char)p->series->mark[k], p->series->mark[k]);
}

/* Draws as many rows as there is room for, the chosen one among them. */
static void draw_table(const points *p, eb_canvas *canvas, eb_rect area)
{
    char title[128];
    const int room = area.height - 1;
    (void)snprintf(title, sizeof title, "   %-6s %6s   %-15s %11s %-8s %7s", "format", "nprobe", "recall", "queries/s",
                   "", name_of(p, 0)[0] ? "speed" : "");
    if (room < 1)
        return;
    (void)eb_put_short(canvas, (eb_rect){area.x, area.y, area.width, 1}, area.x, area.y, EB_ROLE_TITLE, title);
    const size_t rows = (size_t)room < p->count ? (size_t)room : p->count;
    size_t first = p->at >= rows / 2 ? p->at - rows / 2 : 0;
    first = first + rows > p->count ? p->count - rows : first;
    for (size_t k = 0; k < rows; k++)
        draw_row(p, first + k, canvas, (eb_rect){area.x, area.y + 1 + (int)k, area.width, 1});
}

/* ---- curve and table ---- */

void eb_draw_recall(eb_recall_view *view, const eb_report *report, eb_canvas *canvas, eb_rect area, bool beside)
{
    if (!report) {
        (void)
            eb_put_wrapped(canvas, area, EB_ROLE_DIM,
                           "`recall` measures what smaller look-up tables of an inverted file cost in recall and give "
                           "in queries a second, point by point; `recalls` lists what the log has, `recalls 1` shows "
                           "it again.");
        return;
    }
    if (!has_points(report)) {
        (void)eb_draw_report(canvas, area, report, EB_PARTS_TEXT, &view->top);
        return;
    }
    const points p = points_of(view, report);
    if (p.count == 0 || eb_rect_empty(area))
        return;
    eb_rect left = {area.x, area.y + 1, area.width, area.height - 1}, right = left;
    const int rows = (int)p.count + 2;
    const bool below = !beside && left.height >= rows + LEAST_CURVE;
    draw_title(&p, canvas, (eb_rect){area.x, area.y, area.width, 1});
    if (beside) {
        left.width = area.width * 3 / 5;
        right.x += left.width + 2;
        right.width -= left.width + 2;
    } else if (below) {
        left.height -= rows;
        right.y += left.height + 1;
        right.height = rows - 1;
    }
    if (beside || below || !view->table)
        draw_curve(view, &p, canvas, left);
    if (beside || below || view->table)
        draw_table(&p, canvas, right);
}

/* ---- keys ---- */

static void look_at(eb_recall_view *view, const points *p, size_t k)
{
    view->mark = p->series->mark[k];
    view->nprobe = nprobe_of(p, k);
}

/* The points of a format are consecutive, in the order of nprobe. */
static void go_along(eb_recall_view *view, const points *p, bool forward)
{
    const size_t to = forward ? p->at + 1 : p->at - 1;
    const bool there = to < p->count && p->series->mark[to] == p->series->mark[p->at];
    look_at(view, p, there ? to : p->at);
}

/* Chooses the point of the same nprobe on the next line that has one, if any. */
static void go_across(eb_recall_view *view, const points *p, int step)
{
    const int from = (unsigned char)p->series->mark[p->at];
    const uint64_t nprobe = nprobe_of(p, p->at);
    size_t to = p->at;
    for (size_t k = 0; k < p->count; k++)
        if ((unsigned char)p->series->mark[k] == from + step && nprobe_of(p, k) == nprobe)
            to = k;
    look_at(view, p, to);
}

bool eb_recall_key(eb_recall_view *view, const eb_report *report, eb_key key, int height)
{
    if (!has_points(report))
        return report && eb_scroll_key(&view->top, key, height);
    const points p = points_of(view, report);
    if (p.count == 0)
        return false;
    switch (key.code) {
    case EB_KEY_LEFT: go_along(view, &p, false); break;
    case EB_KEY_RIGHT: go_along(view, &p, true); break;
    case EB_KEY_UP: go_across(view, &p, -1); break;
    case EB_KEY_DOWN: go_across(view, &p, 1); break;
    default: return false;
    }
    return true;
}
