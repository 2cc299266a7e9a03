#include "ui/panels/compare/aside.h"

#include <math.h>
#include <stdio.h>

#include "core/report/find.h"
#include "draw/format.h"
#include "draw/plots/bar_row.h"
#include "draw/plots/plot.h"
#include "draw/utf8.h"
#include "ui/widgets/histogram_zoom.h"

enum {
    NUMBER = 48,
    TIME = 7,        /* columns */
    LEAST_PLOT = 9,  /* least rows of the errors, title included */
    MOST_PLOT = 24,  /* more rows would show no more */
    LEAST_WIDTH = 40 /* columns of the parts: a name, a bar, a time, an engine */
};

/* ---- the parts of the time ---- */

static double seconds_of(const eb_compare_scene *s, size_t side, size_t part)
{
    return s->seconds[side * s->parts + part];
}

static double longest_part(const eb_compare_scene *s)
{
    double most = NAN;
    for (size_t k = 0; k < s->sides * s->parts; k++)
        most = fmax(most, s->seconds[k]);
    return most;
}

static void text_of(const eb_compare_scene *s, size_t side, size_t part, char *text, size_t size)
{
    char time[NUMBER];
    (void)eb_format_value(time, sizeof time, eb_real(seconds_of(s, side, part)), EB_SECONDS);
    int blanks = TIME - eb_text_width(time);
    (void)snprintf(text, size, "%*s%s  %s", blanks > 0 ? blanks : 0, "", time, s->side[side].engine);
}

/* Draws one bar for each part and engine, so that engines can be compared part by part (stacked bars compare only whole
 * times). Returns the rows used; 0 if there is no room for all bars. */
static int draw_parts(eb_canvas *canvas, eb_rect area, const eb_compare_scene *s)
{
    char text[NUMBER * 3];
    int rows = 1 + (int)(s->sides * s->parts), label_width = 0, text_width = 0;
    if (s->sides * s->parts == 0 || rows > area.height || area.width < LEAST_WIDTH)
        return 0;
    for (size_t part = 0; part < s->parts; part++)
        label_width = eb_wider(label_width, s->part[part]);
    for (size_t k = 0; k < s->sides * s->parts; k++) {
        text_of(s, k % s->sides, k / s->sides, text, sizeof text);
        text_width = eb_wider(text_width, text);
    }
    label_width = label_width < area.width * 2 / 5 ? label_width : area.width * 2 / 5;
    text_width = text_width < area.width / 2 ? text_width : area.width / 2;
    (void)eb_put_short(canvas, (eb_rect){area.x, area.y, area.width, 1}, area.x, area.y, EB_ROLE_TITLE,
                       "The time, part by part");
    for (size_t k = 0; k < s->sides * s->parts; k++) {
        size_t side = k % s->sides, part = k / s->sides;
        text_of(s, side, part, text, sizeof text);
        eb_draw_bar_row(canvas, (eb_rect){area.x, area.y + 1 + (int)k, area.width, 1}, label_width, text_width,
                        &(eb_bar_row){.label = side == 0 ? s->part[part] : "",
                                      .role = EB_ROLE_SERIES + (eb_role)(part % EB_SERIES_ROLES),
                                      .share = seconds_of(s, side, part) / longest_part(s),
                                      .text = text,
                                      .text_role = EB_ROLE_TEXT});
    }
    return rows;
}

/* ---- the errors ---- */

static void draw_errors(eb_canvas *canvas, eb_rect area, const eb_compare_scene *s)
{
    const eb_item *errors = eb_report_find(s->report, EB_SERIES, EB_F(errors)),
                  *others = eb_report_find(s->report, EB_SERIES, EB_F(differences));
    const eb_item *found = errors ? errors : others;
    eb_histogram_view view = {NAN, NAN, .log = true};
    area.height = area.height < MOST_PLOT ? area.height : MOST_PLOT;
    if (!found || found->as.series.points == 0 || area.height < LEAST_PLOT)
        return;
    eb_rect row = {area.x, area.y, area.width, 1};
    char title[96];
    (void)snprintf(title, sizeof title, "%s, log scale", found->title);
    (void)eb_put_short(canvas, row, row.x, row.y, EB_ROLE_TITLE, title);
    eb_histogram_zoom_to_mass(&view, &found->as.series);
    eb_draw_histogram(canvas, (eb_rect){area.x, area.y + 1, area.width, area.height - 1}, &found->as.series, &view);
}

void eb_draw_compare_aside(eb_canvas *canvas, eb_rect area, const eb_compare_scene *s)
{
    if (eb_rect_empty(area))
        return;
    int rows = draw_parts(canvas, area, s);
    rows += rows > 0;
    draw_errors(canvas, (eb_rect){area.x, area.y + rows, area.width, area.height - rows}, s);
}
