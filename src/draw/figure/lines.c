/* lines: draws curves with their bands, lettered lines with a legend, and points by group. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/find.h"
#include "draw/figure/axes.h"
#include "draw/figure/picture.h"
#include "draw/format.h"

enum {
    MOST_LINES = 64, /* different letters */
    NAME = 64,       /* bytes */
    ROOF = 3,        /* a line of so few points is a limit that was drawn, not measured */
    SIGNED = 40,     /* a line of at most so many points has a sign at each */
    CROWDED = 800,   /* from this number on, points are small */
};

static const double line_width = 1.1, roof_width = 0.8, sign_size = 3.6;

/* ---- letters ---- */

/* Letters of the series in order of appearance. Capital letters are limits (report.h). */
typedef struct letters {
    const eb_series *series;
    size_t count;
    struct letter {
        char mark;  /* 0: the series has no letters */
        bool model; /* a hollow point of a model (report.h) */
        size_t first, points, shown;
        size_t style; /* counts lines of the same kind: limits or others */
        char name[NAME];
    } of[MOST_LINES];
} letters;

static bool is_limit(char mark) { return mark >= 'A' && mark <= 'Z'; }

static struct letter *letter_of(letters *l, char mark)
{
    size_t k = 0, alike = 0;
    for (; k < l->count && l->of[k].mark != mark; k++)
        alike += is_limit(l->of[k].mark) == is_limit(mark);
    if (k == MOST_LINES)
        return NULL;
    if (k == l->count) {
        l->of[l->count++] = (struct letter){.mark = mark, .style = alike};
        if (l->series->modelled) {
            l->of[k].model = is_limit(mark);
            l->of[k].style = (size_t)(mark - (is_limit(mark) ? 'A' : 'a'));
        }
        if (mark)
            (void)eb_series_letter(l->series, mark, l->of[k].name, NAME);
    }
    return &l->of[k];
}

static letters find_letters(const eb_series *s)
{
    letters l = {.series = s};
    for (size_t k = 0; k < s->points; k++) {
        struct letter *letter = letter_of(&l, s->mark ? s->mark[k] : 0);
        if (!letter)
            continue;
        letter->first = letter->points == 0 ? k : letter->first;
        letter->points++;
        letter->shown += isfinite(s->x[k]) && isfinite(s->y[k]);
    }
    return l;
}

static bool in_group(const letters *l, const struct letter *letter, size_t point)
{
    return !l->series->mark || l->series->mark[point] == letter->mark;
}

/* ---- looks ---- */

static bool is_line(const letters *l, const struct letter *letter)
{
    return l->series->shape == EB_LINE && letter->points > 1;
}

static bool is_rest(const struct letter *letter) { return letter->mark == '.'; }

static uint32_t colour_of(const struct letter *letter)
{
    return is_limit(letter->mark) && !letter->model ? EB_DARK
           : is_rest(letter)                        ? 0xB0B0B0
                                                    : eb_figure_colour(letter->style);
}

/* Lines that are limits are thinner than measured ones. */
static eb_ink line_ink(const struct letter *letter)
{
    const bool limit = is_limit(letter->mark);
    return (eb_ink){.colour = colour_of(letter),
                    .width = limit ? roof_width : line_width,
                    .dash = eb_figure_dash(limit ? letter->style + 1 : letter->style)};
}

static bool has_signs(const letters *l, const struct letter *letter)
{
    const bool alone = l->series->shape == EB_LINE && letter->points == 1;
    return l->series->shape == EB_POINTS || alone ||
           (!is_limit(letter->mark) && letter->points > ROOF && letter->points <= SIGNED);
}

/* Points of measurements are discs where those of a model are rings. */
static eb_sign sign_of(const letters *l, const struct letter *letter)
{
    return letter->model ? EB_SIGN_RING : l->series->modelled ? EB_SIGN_DISC : eb_figure_sign(letter->style);
}

static double sign_points(const letters *l, const struct letter *letter)
{
    if (!has_signs(l, letter))
        return 0;
    return l->series->shape == EB_POINTS && l->series->points >= CROWDED ? 2.2
           : is_line(l, letter)                                          ? sign_size
                                                                         : sign_size + 0.8;
}

static eb_ink sign_ink(const letters *l, const struct letter *letter)
{
    const eb_sign sign = sign_of(l, letter);
    return (eb_ink){.colour = colour_of(letter),
                    .width = eb_sign_is_lines(sign) ? 0.8 : 0,
                    .opacity = l->series->shape == EB_POINTS && l->series->points >= CROWDED ? 0.75 : 1};
}

/* ---- the legend ---- */

/* "selectivity S, dotted: 95 % interval": the title, and what the band shows. */
static void split_title(const char *title, char *own, char *band, size_t size)
{
    static const char dotted[] = ", dotted: ";
    const char *at = title ? strstr(title, dotted) : NULL;
    (void)snprintf(own, at && (size_t)(at - title) < size ? (size_t)(at - title) + 1 : size, "%s", title ? title : "");
    (void)snprintf(band, size, "%s", at ? at + strlen(dotted) : "");
}

static double legend(const eb_sheet *sheet, const letters *l, eb_spot at, double width)
{
    char title[NAME * 2], band[NAME * 2];
    eb_legend_entry entry[MOST_LINES + 2];
    size_t count = 0, beside;
    bool models = false;
    for (size_t k = 0; l->series->mark && k < l->count; k++) {
        const struct letter *letter = &l->of[k];
        models |= letter->model;
        if (letter->shown == 0 || (eb_series_is_model(l->series, letter->first, &beside) && beside != SIZE_MAX))
            continue;
        entry[count++] = (eb_legend_entry){.text = is_rest(letter) ? "others" : letter->name,
                                           .line = is_line(l, letter) ? line_ink(letter) : (eb_ink){0},
                                           .sign = sign_of(l, letter),
                                           .sign_size = fmin(2 * sign_points(l, letter), sign_size),
                                           .sign_ink = sign_ink(l, letter)};
        entry[count - 1].sign_ink.opacity = 1;
    }
    if (models)
        entry[count++] = (eb_legend_entry){.text = "by the model",
                                           .sign = EB_SIGN_RING,
                                           .sign_size = sign_size,
                                           .sign_ink = {.colour = EB_DARK, .width = 0.8, .opacity = 1}};
    split_title(l->series->y_title, title, band, sizeof title);
    if (l->series->low && band[0])
        entry[count++] =
            (eb_legend_entry){.text = band, .line = {.colour = eb_figure_colour(0), .opacity = 0.25}, .box = true};
    return eb_figure_legend(sheet, at, width, entry, count);
}

/* ---- drawing ---- */

/* The places of a letter's points; *count of them, on the heap. NULL: out of memory or none. */
static eb_spot *places(const eb_axes *f, const letters *l, const struct letter *letter, const double *y, size_t *count)
{
    const eb_series *s = l->series;
    eb_spot *spot = letter->points > 0 ? malloc(letter->points * sizeof *spot) : NULL;
    *count = 0;
    for (size_t k = letter->first; spot && k < s->points && *count < letter->points; k++)
        if (in_group(l, letter, k))
            spot[(*count)++] = eb_axes_spot(f, s->x[k], y[k]);
    return spot;
}

/* Fills the area between low and high. */
static void draw_band(const eb_axes *f, const letters *l, const struct letter *letter)
{
    const eb_series *s = l->series;
    const eb_ink ink = {.colour = colour_of(letter), .opacity = 0.25};
    eb_spot *spot = malloc(2 * s->points * sizeof *spot);
    size_t count = 0;
    for (size_t k = 0; spot && k < s->points; k++)
        if (isfinite(s->low[k]) && isfinite(s->high[k]))
            spot[count++] = eb_axes_spot(f, s->x[k], fmax(s->low[k], f->y.low));
    const size_t half = count;
    for (size_t k = s->points; spot && k-- > 0;)
        if (isfinite(s->low[k]) && isfinite(s->high[k]))
            spot[count++] = eb_axes_spot(f, s->x[k], s->high[k]);
    if (spot && half > 1)
        eb_sheet_area(f->sheet, count, spot, &ink);
    free(spot);
}

/* Draws the range of each point's trials. */
static void draw_ranges(const eb_axes *f, const letters *l, const struct letter *letter)
{
    const eb_series *s = l->series;
    const eb_ink ink = {.colour = colour_of(letter), .width = 0.8};
    const double half = 1.5;
    for (size_t k = 0; k < s->points; k++) {
        if (!in_group(l, letter, k))
            continue;
        const eb_spot low = eb_axes_spot(f, s->x[k], s->low[k]), high = eb_axes_spot(f, s->x[k], s->high[k]);
        if (!isfinite(low.y) || !isfinite(high.y))
            continue;
        eb_sheet_rule(f->sheet, low, high, &ink);
        eb_sheet_rule(f->sheet, (eb_spot){low.x - half, low.y}, (eb_spot){low.x + half, low.y}, &ink);
        eb_sheet_rule(f->sheet, (eb_spot){high.x - half, high.y}, (eb_spot){high.x + half, high.y}, &ink);
    }
}

static void draw_letter(const eb_axes *f, const letters *l, const struct letter *letter)
{
    size_t count;
    const eb_ink line = line_ink(letter), sign = sign_ink(l, letter);
    eb_spot *spot = places(f, l, letter, l->series->y, &count);
    if (spot && l->series->low && l->series->high)
        (l->series->mark ? draw_ranges : draw_band)(f, l, letter);
    if (spot && is_line(l, letter))
        eb_sheet_line(f->sheet, count, spot, &line);
    if (spot && has_signs(l, letter))
        eb_sheet_signs(f->sheet, count, spot, sign_of(l, letter), sign_points(l, letter), &sign);
    free(spot);
}

/* The axis of y contains bands and ranges too. */
static void widen(eb_axis *axis, const eb_series *s)
{
    for (size_t k = 0; s->low && s->high && k < s->points; k++) {
        if (s->mark && isfinite(s->low[k]) && (!axis->log || s->low[k] > 0))
            axis->low = fmin(axis->low, s->low[k]);
        if (isfinite(s->high[k]))
            axis->high = fmax(axis->high, s->high[k]);
    }
}

/* A thin line leads from what was measured to what the model says of it. */
static void draw_links(const eb_axes *f, const eb_series *s)
{
    const eb_ink ink = {.colour = EB_DARK, .width = 0.4, .opacity = 0.5};
    size_t beside;
    for (size_t k = 0; k < s->points; k++)
        if (eb_series_is_model(s, k, &beside) && beside != SIZE_MAX) {
            const eb_spot from = eb_axes_spot(f, s->x[beside], s->y[beside]), to = eb_axes_spot(f, s->x[k], s->y[k]);
            if (isfinite(from.x + from.y + to.x + to.y))
                eb_sheet_rule(f->sheet, from, to, &ink);
        }
}

/* Limits and other points first, so that what was measured lies above them. */
static void draw_all(const eb_axes *f, const letters *l)
{
    draw_links(f, l->series);
    for (int below = 1; below >= 0; below--)
        for (size_t k = 0; k < l->count; k++)
            if ((is_limit(l->of[k].mark) || is_rest(&l->of[k])) == (below == 1))
                draw_letter(f, l, &l->of[k]);
}

double eb_lines_height(const eb_picture *picture, double width)
{
    const eb_series *s = &picture->item->as.series;
    const letters l = find_letters(s);
    const double body = s->shape == EB_POINTS ? fmin(0.8 * width, 300) : fmin(0.6 * width, 220);
    return legend(NULL, &l, (eb_spot){0}, width) + body;
}

void eb_lines_draw(const eb_sheet *sheet, const eb_picture *picture, eb_box area)
{
    char y_title[NAME * 2], band[NAME * 2];
    const eb_series *s = &picture->item->as.series;
    const letters l = find_letters(s);
    split_title(s->y_title, y_title, band, sizeof y_title);
    eb_axes f = {.sheet = sheet,
                 .x = eb_axis_of(s->points, s->x, s->x_log, s->x_title),
                 .y = eb_axis_of(s->points, s->y, s->y_log, y_title),
                 .x_unit = s->x_unit,
                 .y_unit = s->y_unit};
    const double used = legend(sheet, &l, (eb_spot){area.x, area.y}, area.width);
    widen(&f.y, s);
    eb_axes_draw(&f, (eb_box){area.x, area.y + used, area.width, area.height - used});
    eb_axes_clip(&f);
    draw_all(&f, &l);
    eb_axes_unclip(&f);
    eb_marks_draw(&f, picture);
}
