/* heat: draws a map of cells with a bar of its colours. Light cells are small numbers, dark ones great numbers, also in
 * grey; where there is room, each cell has its number. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "draw/figure/picture.h"
#include "draw/plots/heat_map.h"

enum { NUMBER = 32, SHADES = 24 };

static const double cell_most = 17, number_most = 6, number_least = 5, legend_row = 14, bar_width = 72;

typedef struct map {
    const eb_series *series;
    eb_heat_axis x, y;
    eb_axis_unit unit;
    double most;
    bool whole;
    eb_box cells;
    double width, height; /* of a cell */
} map;

/* ---- colours ---- */

/* From pale yellow to dark blue, ever darker. share: 0 … 1. */
static uint32_t shade_of(double share)
{
    static const unsigned char stop[][3] = {{255, 255, 229}, {209, 236, 191}, {127, 205, 187}, {65, 166, 196},
                                            {29, 113, 174},  {34, 64, 140},   {8, 29, 88}};
    const size_t last = sizeof stop / sizeof stop[0] - 1;
    const double at = fmin(fmax(share, 0), 1) * (double)last;
    const size_t k = (size_t)at < last ? (size_t)at : last - 1;
    uint32_t colour = 0;
    for (size_t c = 0; c < 3; c++)
        colour = colour << 8 | (uint32_t)lround(stop[k][c] + (at - (double)k) * (stop[k + 1][c] - stop[k][c]));
    return colour;
}

static double share_of(const map *m, double z) { return m->most > 0 ? z / m->most : 0; }

/* ---- layout ---- */

static const eb_lettering small = {.size = EB_SMALL_SIZE, .colour = EB_DARK},
                          named = {.size = EB_TEXT_SIZE, .colour = EB_BLACK, .anchor = EB_ANCHOR_MIDDLE};

static double label_width(const map *m)
{
    char label[NUMBER];
    double widest = 0;
    for (size_t k = 0; k < m->y.count; k++)
        widest = fmax(widest, eb_lettering_width(&small, eb_short_count(m->y.value[k], label, sizeof label)));
    return widest;
}

/* NULL: out of memory. */
static map *make_map(const eb_series *s, double width)
{
    map *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->series = s;
    m->most = NAN;
    m->whole = s->z_unit == EB_PLAIN || s->z_unit == EB_IDENTITY;
    for (size_t k = 0; k < s->points; k++) {
        eb_heat_axis_take(&m->x, s->x[k]);
        eb_heat_axis_take(&m->y, s->y[k]);
        m->most = fmax(m->most, s->z[k]); /* fmax ignores NAN */
        m->whole = m->whole && (isnan(s->z[k]) || s->z[k] == floor(s->z[k]));
    }
    m->unit = eb_axis_unit_of(s->z_unit, m->most);
    const double left = EB_TEXT_SIZE * EB_LINE_HEIGHT + 2 + label_width(m) + 4;
    m->width = m->x.count > 0 ? fmin((width - left) / (double)m->x.count, 2.2 * cell_most) : 0;
    m->height = fmin(fmax(m->width, 10), cell_most);
    m->cells = (eb_box){left, legend_row, m->width * (double)m->x.count, m->height * (double)m->y.count};
    return m;
}

static bool has_mark(const map *m, char mark)
{
    for (size_t k = 0; m->series->mark && k < m->series->points; k++)
        if (m->series->mark[k] == mark && !isfinite(m->series->z[k]))
            return true;
    return false;
}

/* "> too long, x refused": why cells have no number. */
static const char *note_of(const map *m, char *note, size_t size)
{
    size_t used = 0;
    note[0] = '\0';
    for (const char *mark = EB_HEAT_MARKS; *mark && used < size; mark++)
        if (has_mark(m, *mark))
            used +=
                (size_t)snprintf(note + used, size - used, "%s%c %s", used > 0 ? ", " : "", *mark, eb_heat_mark(*mark));
    return note;
}

static const double under = 2 + EB_SMALL_SIZE + EB_TEXT_SIZE * EB_LINE_HEIGHT + 3; /* labels and title of the x axis */

double eb_heat_height(const eb_picture *picture, double width)
{
    char note[160];
    map *m = make_map(&picture->item->as.series, width);
    const double height = m ? m->cells.y + m->cells.height + under : 0;
    const bool noted = m && note_of(m, note, sizeof note)[0] != '\0';
    free(m);
    return height + (noted ? EB_CAPTION_SIZE * EB_LINE_HEIGHT : 0);
}

/* ---- drawing ---- */

static const char *number_of(const map *m, double z, char *buffer)
{
    return eb_heat_number(z * m->unit.factor, m->whole, buffer, NUMBER);
}

/* The size in which the widest number fits its cell; 0: in none that can be read. */
static double number_size(const map *m)
{
    const eb_lettering text = {.size = 1};
    char number[NUMBER];
    double widest = 0;
    for (size_t k = 0; k < m->series->points; k++)
        if (isfinite(m->series->z[k]))
            widest = fmax(widest, eb_lettering_width(&text, number_of(m, m->series->z[k], number)));
    const double size = widest > 0 ? fmin((m->width - 2) / widest, number_most) : number_most;
    return size >= number_least ? size : 0;
}

static void draw_cell(const eb_sheet *sheet, const map *m, eb_spot origin, size_t point, double size)
{
    const eb_series *s = m->series;
    const size_t column = eb_heat_axis_place(&m->x, s->x[point]), row = eb_heat_axis_place(&m->y, s->y[point]);
    const bool known = isfinite(s->z[point]);
    const double share = share_of(m, s->z[point]), gap = 0.4;
    const eb_box box = {origin.x + m->cells.x + (double)column * m->width,
                        origin.y + m->cells.y + (double)(m->y.count - 1 - row) * m->height, m->width, m->height};
    const eb_ink ink = {.colour = known ? shade_of(share) : 0xF2F2F2};
    const eb_lettering text = {.size = size > 0 ? size : number_most,
                               .colour = known && share > 0.5 ? 0xFFFFFF : EB_BLACK,
                               .anchor = EB_ANCHOR_MIDDLE};
    char number[NUMBER] = {s->mark ? s->mark[point] : '-', '\0'};
    if (column == m->x.count || row == m->y.count)
        return;
    eb_sheet_box(sheet, (eb_box){box.x, box.y, box.width - gap, box.height - gap}, &ink);
    if (!known || size > 0)
        eb_sheet_text(sheet, box.x + box.width / 2, box.y + box.height / 2 + 0.36 * text.size, &text,
                      known ? number_of(m, s->z[point], number) : number);
}

static void draw_labels(const eb_sheet *sheet, const map *m, eb_spot origin)
{
    char label[NUMBER];
    eb_lettering x_text = small, y_text = small, y_title = named;
    const double left = origin.x + m->cells.x, top = origin.y + m->cells.y, bottom = top + m->cells.height;
    double used = -INFINITY;
    x_text.anchor = EB_ANCHOR_MIDDLE;
    y_text.anchor = EB_ANCHOR_END;
    y_title.upwards = true;
    for (size_t k = 0; k < m->y.count; k++)
        eb_sheet_text(sheet, left - 3, bottom - ((double)k + 0.5) * m->height + 0.36 * EB_SMALL_SIZE, &y_text,
                      eb_short_count(m->y.value[k], label, sizeof label));
    for (size_t k = 0; k < m->x.count; k++) {
        const double x = left + ((double)k + 0.5) * m->width,
                     half = eb_lettering_width(&small, eb_short_count(m->x.value[k], label, sizeof label)) / 2;
        if (x - half < used + 2)
            continue; /* it would touch its neighbour */
        eb_sheet_text(sheet, x, bottom + 2 + 0.8 * EB_SMALL_SIZE, &x_text, label);
        used = x + half;
    }
    eb_sheet_text(sheet, left + m->cells.width / 2, bottom + under - 3, &named, m->series->x_title);
    eb_sheet_text(sheet, origin.x + EB_TEXT_SIZE, top + m->cells.height / 2, &y_title, m->series->y_title);
}

/* "derived rate (TFLOPS)  0 [colours] 120" */
static void draw_colours(const eb_sheet *sheet, const map *m, eb_spot origin)
{
    char title[160], number[NUMBER];
    const double y = origin.y + EB_SMALL_SIZE;
    double x = origin.x + m->cells.x;
    (void)snprintf(title, sizeof title, m->unit.name[0] ? "%s (%s)   0" : "%s%s   0", m->series->z_title, m->unit.name);
    eb_sheet_text(sheet, x, y, &small, title);
    x += eb_lettering_width(&small, title) + 4;
    for (int k = 0; k < SHADES; k++)
        eb_sheet_box(sheet,
                     (eb_box){x + k * bar_width / SHADES, y - EB_SMALL_SIZE + 1, bar_width / SHADES + 0.15,
                              EB_SMALL_SIZE},
                     &(eb_ink){.colour = shade_of((k + 0.5) / SHADES)});
    eb_sheet_text(sheet, x + bar_width + 4, y, &small, isnan(m->most) ? "n/a" : number_of(m, m->most, number));
}

void eb_heat_draw(const eb_sheet *sheet, const eb_picture *picture, eb_box area)
{
    char note[160];
    const eb_lettering grey = {.size = EB_CAPTION_SIZE, .colour = EB_GREY};
    map *m = make_map(&picture->item->as.series, area.width);
    if (!m)
        return;
    const eb_spot origin = {area.x, area.y};
    const double size = number_size(m);
    draw_colours(sheet, m, origin);
    for (size_t k = 0; k < m->series->points; k++)
        draw_cell(sheet, m, origin, k, size);
    draw_labels(sheet, m, origin);
    eb_sheet_text(sheet, origin.x + m->cells.x, area.y + area.height - 2, &grey, note_of(m, note, sizeof note));
    free(m);
}
