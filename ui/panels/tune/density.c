#include "ui/panels/tune/density.h"

#include <math.h>
#include <stdio.h>

#include "core/report/find.h"
#include "draw/format.h"
#include "draw/plots/plot.h"
#include "draw/table.h"
#include "ui/widgets/hints.h"

enum { MOST_PIECES = 8, LEAST_WIDTH = 36, LEAST_HEIGHT = 8, NUMBER = 48 };

static const char *const sources[] = {"clusters", "dbscan", "kdistance", "neighbours", "tune"};
enum { SOURCES = sizeof sources / sizeof sources[0] };

/* One picture: a series or a table, with a line of text above it. */
typedef struct piece {
    const eb_report *report;
    const eb_item *item;
} piece;

typedef struct pieces {
    piece at[MOST_PIECES];
    size_t count;
} pieces;

/* ---- finding the pictures ---- */

static unsigned long stamp_of(const eb_desk *desk, size_t source)
{
    const char *name = sources[source];
    const eb_report *report = eb_desk_report(desk, name);
    if (!report || eb_desk_report_serial(desk, name) != eb_desk_facts(desk)->dataset_serial)
        return 0;
    /* A report of `tune` counts only if it is about density: others have a curve of S. */
    return source + 1 < SOURCES || eb_report_find_series(report, EB_F(kdistance)) ? eb_desk_report_stamp(desk, name)
                                                                                  : 0;
}

unsigned long eb_density_stamp(const eb_desk *desk)
{
    unsigned long newest = 0;
    for (size_t k = 0; k < SOURCES; k++)
        newest = stamp_of(desk, k) > newest ? stamp_of(desk, k) : newest;
    return newest;
}

static bool has_series(const pieces *p, const eb_column *key)
{
    for (size_t k = 0; k < p->count; k++)
        if (p->at[k].item->kind == EB_SERIES && eb_report_find(p->at[k].report, EB_SERIES, key) == p->at[k].item)
            return true;
    return false;
}

static void add(pieces *p, const eb_report *report, eb_item_kind kind, const eb_column *key)
{
    const eb_item *item = eb_report_find(report, kind, key);
    bool empty = !item || (kind == EB_SERIES ? item->as.series.points == 0 : item->as.table.rows == 0);
    if (!empty && p->count < MOST_PIECES && (kind != EB_SERIES || !has_series(p, key)))
        p->at[p->count++] = (piece){report, item};
}

static pieces pieces_of(const eb_desk *desk)
{
    static const eb_column *const series[] = EB_LIST(EB_F(clusters), EB_F(noise), EB_F(kdistance), EB_F(neighbours));
    static const eb_column *const tables[] = EB_LIST(EB_F(clusters), EB_F(neighbours));
    static const char *const curves[] = {"curve", "tune"};
    pieces p = {.count = 0};
    bool taken[SOURCES] = {false};
    for (size_t round = 0; round < SOURCES; round++) {
        size_t newest = SOURCES;
        for (size_t k = 0; k < SOURCES; k++)
            if (!taken[k] && stamp_of(desk, k) > 0 && (newest == SOURCES || stamp_of(desk, k) > stamp_of(desk, newest)))
                newest = k;
        if (newest == SOURCES)
            break;
        const eb_report *report = eb_desk_report(desk, sources[newest]);
        taken[newest] = true;
        for (size_t k = 0; k < sizeof tables / sizeof tables[0]; k++)
            add(&p, report, EB_TABLE, tables[k]);
        for (size_t k = 0; k < sizeof series / sizeof series[0]; k++)
            add(&p, report, EB_SERIES, series[k]);
    }
    for (size_t k = 0; k < sizeof curves / sizeof curves[0] && p.count > 0; k++)
        if (eb_desk_report_serial(desk, curves[k]) == eb_desk_facts(desk)->dataset_serial)
            add(&p, eb_desk_report(desk, curves[k]), EB_SERIES, EB_F(curve)); /* S(ε) beside them */
    return p;
}

/* ---- drawing a picture ---- */

static const char *shown(char *buffer, const eb_report *report, const eb_column *key)
{
    return eb_format_value(buffer, NUMBER, eb_report_find_field(report, key), key->unit);
}

/* A line of text that summarises the picture's report. */
static void summarise(const piece *p, char *text, size_t size)
{
    char a[NUMBER], b[NUMBER], c[NUMBER], d[NUMBER];
    const eb_report *r = p->report;
    bool labels = eb_report_find_field(r, EB_F(border)).kind != EB_NA;
    if (p->item->kind == EB_TABLE && labels)
        (void)snprintf(text, size, "%s clusters, %s noise at ε = %s, minPts %s", shown(a, r, EB_F(clusters_found)),
                       shown(b, r, EB_F(noise_share)), shown(c, r, EB_F(eps)), shown(d, r, EB_F(minpts)));
    else if (p->item->kind == EB_TABLE)
        (void)snprintf(text, size, "Point %s: %s neighbours within ε = %s", shown(a, r, EB_F(point)),
                       shown(b, r, EB_F(count)), shown(c, r, EB_F(eps)));
    else if (eb_report_find_series(r, EB_F(kdistance)) == &p->item->as.series)
        (void)snprintf(text, size, "Elbow at ε = %s of the core distances, minPts %s", shown(a, r, EB_F(elbow)),
                       shown(b, r, EB_F(minpts)));
    else if (eb_report_find_series(r, EB_F(curve)) == &p->item->as.series)
        (void)snprintf(text, size, "%s", p->item->title);
    else if (p->item->as.series.shape == EB_BARS)
        (void)snprintf(text, size, "Points by neighbours within ε = %s", shown(a, r, EB_F(eps)));
    else if (eb_report_find_field(r, EB_F(stable_clusters)).kind == EB_NA)
        (void)snprintf(text, size, "%s, minPts %s", p->item->title, shown(a, r, EB_F(minpts)));
    else
        (void)snprintf(text, size, "Most stable: %s clusters, ε = %s to %s; %s, minPts %s",
                       shown(a, r, EB_F(stable_clusters)), shown(b, r, EB_F(stable_low)),
                       shown(c, r, EB_F(stable_high)), p->item->title, shown(d, r, EB_F(minpts)));
}

static void draw_line(eb_canvas *canvas, eb_rect area, const piece *p, double eps)
{
    const eb_series *s = &p->item->as.series;
    eb_plot plot = {.x = eb_axis_of(s->points, s->x, s->x_log, s->x_title),
                    .y = eb_axis_of(s->points, s->y, s->y_log, NULL)};
    const bool sorted = eb_report_find_series(p->report, EB_F(kdistance)) == s;
    if (!eb_plot_frame(canvas, area, &plot))
        return;
    eb_plot_line(canvas, &plot, s->points, s->x, s->y, sorted ? EB_ROLE_SERIES + 1 : EB_ROLE_SERIES);
    if (sorted)
        eb_plot_mark(canvas, &plot, eb_number_of(p->report, EB_F(elbow_share)), eb_number_of(p->report, EB_F(elbow)),
                     EB_ROLE_TARGET, 0x25C6, 'o', /* ◆ */
                     "elbow");
    else if (eps > 0)
        eb_plot_vertical(canvas, &plot, eps, EB_ROLE_CURSOR, NULL);
}

static void draw_piece(eb_canvas *canvas, eb_rect area, const piece *p, double eps)
{
    char text[256];
    eb_rect title = {area.x, area.y, area.width, 1}, body = {area.x, area.y + 1, area.width, area.height - 1};
    summarise(p, text, sizeof text);
    (void)eb_put_short(canvas, title, title.x, title.y, EB_ROLE_TITLE, text);
    if (p->item->kind == EB_TABLE)
        (void)eb_draw_plain_table(canvas, body, &p->item->as.table);
    else if (p->item->as.series.shape == EB_BARS)
        eb_draw_series(canvas, body, &p->item->as.series);
    else
        draw_line(canvas, body, p, eps);
}

/* ---- the layout ---- */

/* x limited to 1 … most. */
static size_t at_most(size_t most, int x) { return x < 1 ? 1 : (size_t)x < most ? (size_t)x : most; }

void eb_draw_density(const eb_desk *desk, eb_canvas *canvas, eb_rect area, double eps)
{
    const pieces p = pieces_of(desk);
    if (p.count == 0 || eb_rect_empty(area)) {
        static const eb_hint steps[] = {
            {"c or clusters", "what DBSCAN finds along ε: how many clusters, how much noise"},
            {"k or kdistance", "the distance to the k-th neighbour of each point, sorted: ε is where it bends"},
            {"w or dbscan", "clusters at the ε of the cursor: their sizes, which point is noise"},
            {"neighbours 0", "the neighbours of a point; how many points have how many"},
            {"d or Esc", "back to the curve S(ε)"},
            {NULL, NULL},
        };
        (void)eb_draw_steps(canvas, area, "Nothing counted yet: ε by how dense the points lie.", steps);
        return;
    }
    const size_t rows = p.count > 1 && area.height >= 2 * LEAST_HEIGHT ? 2 : 1, needed = (p.count + rows - 1) / rows;
    const size_t columns = at_most(needed, area.width / LEAST_WIDTH);
    const size_t shown_pieces = p.count < columns * rows ? p.count : columns * rows;
    const int width = area.width / (int)columns;
    for (size_t k = 0; k < shown_pieces; k++) {
        const int x = area.x + (int)(k / rows) * width, above = (int)(k % rows);
        const bool alone = k % rows == 0 && k + 1 == shown_pieces; /* the only picture of its column */
        const int height = alone ? area.height : area.height / (int)rows;
        draw_piece(canvas, (eb_rect){x, area.y + above * height, width - 1, height}, &p.at[k], eps);
    }
}
