/* bins: draws a histogram. Bins are equally wide as drawn. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "draw/figure/axes.h"
#include "draw/figure/picture.h"
#include "draw/format.h"

static double count_of(const eb_series *s, size_t bin) { return s->y[bin] > 0 ? fmin(s->y[bin], DBL_MAX) : 0; }

/* Half a bin's width, as drawn. */
static double half_bin(const eb_series *s)
{
    const eb_span span = {.log = s->x_log};
    const double whole = eb_span_drawn(&span, s->x[s->points - 1]) - eb_span_drawn(&span, s->x[0]);
    return s->points > 1 ? whole / (double)(s->points - 1) / 2 : 0;
}

static double moved(const eb_series *s, double x, double by)
{
    const eb_span span = {.log = s->x_log};
    const double at = eb_span_drawn(&span, x) + by;
    return s->x_log ? fmin(fmax(pow(10, at), DBL_TRUE_MIN), DBL_MAX) : at;
}

static eb_axis axis_of_bins(const eb_series *s)
{
    const double half = half_bin(s);
    if (!(half > 0))
        return eb_axis_of(s->points, s->x, s->x_log, s->x_title);
    return (eb_axis){.low = moved(s, s->x[0], -half),
                     .high = moved(s, s->x[s->points - 1], half),
                     .log = s->x_log,
                     .title = s->x_title};
}

/* A linear axis begins at 0, a log axis at half the smallest count, so that a single count is visible. */
static eb_axis axis_of_counts(const eb_series *s)
{
    double least = 0, most = 0;
    for (size_t k = 0; k < s->points; k++) {
        const double count = count_of(s, k);
        most = fmax(most, count);
        least = count > 0 && (least == 0 || count < least) ? count : least;
    }
    return (eb_axis){.low = !s->y_log   ? 0
                            : least > 0 ? least / 2
                                        : 0.5,
                     .high = most > 0 ? 1.04 * most : 1,
                     .log = s->y_log,
                     .title = s->y_title};
}

static void draw_bin(const eb_axes *f, const eb_series *s, size_t bin, double half)
{
    const double count = count_of(s, bin);
    const eb_ink ink = {.colour = eb_figure_colour(0)};
    if (count == 0)
        return;
    const eb_spot left = eb_axes_spot(f, moved(s, s->x[bin], -half), count),
                  right = eb_axes_spot(f, moved(s, s->x[bin], half), count);
    const double bottom = f->box.y + f->box.height, wide = right.x - left.x, gap = wide > 3 ? 0.5 : 0;
    const double high = fmax(bottom - left.y, 0.4); /* a count above 0 is visible */
    eb_sheet_box(f->sheet, (eb_box){left.x + gap / 2, bottom - high, fmax(wide - gap, 0.3), high}, &ink);
}

static bool note_of(const eb_series *s, char *note, size_t size)
{
    char under[64], over[64];
    if (!(s->under > 0) && !(s->over > 0))
        return false;
    (void)snprintf(note, size, "Not drawn: %s to the left, %s to the right.",
                   eb_format_value(under, sizeof under, eb_real(s->under), EB_PLAIN),
                   eb_format_value(over, sizeof over, eb_real(s->over), EB_PLAIN));
    return true;
}

double eb_bins_height(const eb_picture *picture, double width)
{
    char note[160];
    const bool noted = note_of(&picture->item->as.series, note, sizeof note);
    return fmin(0.55 * width, 200) + (noted ? EB_CAPTION_SIZE * EB_LINE_HEIGHT : 0);
}

void eb_bins_draw(const eb_sheet *sheet, const eb_picture *picture, eb_box area)
{
    char note[160];
    const eb_series *s = &picture->item->as.series;
    const eb_lettering small = {.size = EB_CAPTION_SIZE, .colour = EB_GREY};
    eb_axes f = {.sheet = sheet,
                 .x = axis_of_bins(s),
                 .y = axis_of_counts(s),
                 .x_unit = s->x_unit,
                 .y_unit = s->y_unit};
    if (note_of(s, note, sizeof note)) {
        eb_sheet_text(sheet, area.x, area.y + area.height - 2, &small, note);
        area.height -= EB_CAPTION_SIZE * EB_LINE_HEIGHT;
    }
    eb_axes_draw(&f, area);
    const double half = half_bin(s) > 0 ? half_bin(s) : (f.x.high - f.x.low) / 20;
    for (size_t k = 0; k < s->points; k++)
        draw_bin(&f, s, k, half);
}
