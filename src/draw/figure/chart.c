/* chart: draws horizontal bars with their names at the left and one axis below: parts of a whole one after another, or
 * bars of a row one below another. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/figure/picture.h"
#include "draw/format.h"

static const double stacked_bar = 11, lone_bar = 8, between = 5;

static const eb_lettering small = {.size = EB_SMALL_SIZE, .colour = EB_BLACK};

static uint32_t pale(uint32_t colour, double by)
{
    uint32_t out = 0;
    for (int shift = 16; shift >= 0; shift -= 8)
        out |= (uint32_t)lround((colour >> shift & 255) + by * (255 - (colour >> shift & 255))) << shift;
    return out;
}

/* Neighbouring parts differ in colour and in grey: after one round of colours, paler ones follow. */
static eb_ink ink_of(size_t part)
{
    static const uint32_t colours[] = {0x0072B2, 0xE69F00, 0x009E73, 0xF0C9DC, 0xD55E00, 0x8CCBEE};
    const size_t count = sizeof colours / sizeof colours[0];
    return (eb_ink){.colour = part < count ? colours[part] : pale(colours[part % count], 0.5)};
}

static double row_height(const eb_chart *c)
{
    return (c->stacked || c->parts == 1 ? stacked_bar : lone_bar * (double)c->parts) + between;
}

static double legend(const eb_sheet *sheet, const eb_chart *c, eb_spot at, double width)
{
    eb_legend_entry entry[EB_CHART_PARTS];
    for (size_t p = 0; p < c->parts; p++)
        entry[p] = (eb_legend_entry){.text = c->part[p], .line = ink_of(p), .box = true};
    return c->parts > 1 ? eb_figure_legend(sheet, at, width, entry, c->parts) : 0;
}

/* The end of a row's stack, or of its longest bar. */
static double reach(const eb_chart *c, size_t row)
{
    double sum = 0, most = c->least;
    for (size_t p = 0; p < c->parts; p++) {
        sum += isfinite(c->value[row][p]) ? c->value[row][p] : 0;
        most = fmax(most, fmax(c->value[row][p], c->high[row][p]));
    }
    return c->stacked ? sum : most;
}

static double name_width(const eb_chart *c)
{
    double widest = 0;
    for (size_t r = 0; r < c->rows; r++)
        widest = fmax(widest, eb_lettering_width(&small, c->row[r]));
    return widest;
}

/* The name, or as much of its beginning as fits. */
static const char *fit(const char *name, double width, char *buffer, size_t size)
{
    size_t length = strlen(name);
    (void)snprintf(buffer, size, "%s", name);
    while (length > 0 && eb_lettering_width(&small, buffer) > width) {
        for (length--; length > 0 && ((unsigned char)name[length] & 0xC0u) == 0x80u;)
            length--; /* not inside a UTF-8 character */
        (void)snprintf(buffer, size, "%.*s…", (int)length, name);
    }
    return buffer;
}

static void draw_range(const eb_axes *f, double y, double low, double high)
{
    const eb_ink ink = {.colour = EB_BLACK, .width = 0.7};
    const eb_spot from = eb_axes_spot(f, low, 0), to = eb_axes_spot(f, high, 0);
    const double half = 1.5;
    if (!(low < high) || !isfinite(from.x) || !isfinite(to.x))
        return;
    eb_sheet_rule(f->sheet, (eb_spot){from.x, y}, (eb_spot){to.x, y}, &ink);
    eb_sheet_rule(f->sheet, (eb_spot){from.x, y - half}, (eb_spot){from.x, y + half}, &ink);
    eb_sheet_rule(f->sheet, (eb_spot){to.x, y - half}, (eb_spot){to.x, y + half}, &ink);
}

static void put_value(const eb_axes *f, const eb_chart *c, double end, double y, double value)
{
    char text[64];
    const eb_lettering type = {.size = EB_CAPTION_SIZE, .colour = EB_DARK};
    if (isfinite(value))
        eb_sheet_text(f->sheet, eb_axes_spot(f, end, 0).x + 3, y + 0.36 * EB_CAPTION_SIZE, &type,
                      eb_format_brief(text, sizeof text, eb_real(value), c->unit));
}

static void draw_bar(const eb_axes *f, double from, double to, double y, double height, size_t part)
{
    const eb_ink ink = ink_of(part);
    const double left = eb_axes_spot(f, from, 0).x, right = eb_axes_spot(f, to, 0).x;
    if (isfinite(right - left) && right > left)
        eb_sheet_box(f->sheet, (eb_box){left, y, right - left, height}, &ink);
}

static void draw_stack(const eb_axes *f, const eb_chart *c, size_t row, double y)
{
    double sum = 0;
    bool known = false;
    for (size_t p = 0; p < c->parts; p++) {
        const double value = c->value[row][p];
        known |= isfinite(value);
        if (!(value > 0))
            continue;
        draw_bar(f, sum, sum + value, y, stacked_bar, p);
        sum += value;
    }
    put_value(f, c, sum, y + stacked_bar / 2, known ? sum : NAN);
}

static void draw_bars(const eb_axes *f, const eb_chart *c, size_t row, double y)
{
    const double height = c->parts == 1 ? stacked_bar : lone_bar;
    for (size_t p = 0; p < c->parts; p++) {
        const double value = c->value[row][p], middle = y + ((double)p + 0.5) * height;
        draw_bar(f, c->least, value, middle - height / 2 + 0.5, height - 1, p);
        draw_range(f, middle, c->low[row][p], c->high[row][p]);
        put_value(f, c, fmax(value, c->high[row][p]), middle, value);
    }
}

static eb_chart *chart_of(const eb_picture *picture)
{
    eb_chart *c = malloc(sizeof *c);
    if (c && eb_chart_of(picture->report, picture->item, c))
        return c;
    free(c);
    return NULL;
}

double eb_chart_height(const eb_picture *picture, double width)
{
    eb_chart *c = chart_of(picture);
    const double height = c ? legend(NULL, c, (eb_spot){0}, width) + (double)c->rows * row_height(c) + 30 : 0;
    free(c);
    return height;
}

void eb_chart_draw(const eb_sheet *sheet, const eb_picture *picture, eb_box area)
{
    eb_chart *c = chart_of(picture);
    char name[EB_CHART_NAME + 4];
    double most = 0;
    if (!c)
        return;
    for (size_t r = 0; r < c->rows; r++)
        most = fmax(most, reach(c, r));
    const double names = fmin(name_width(c), area.width / 2) + 5, numbers = 34;
    const double used = legend(sheet, c, (eb_spot){area.x, area.y}, area.width);
    eb_axes f = {.sheet = sheet,
                 .x = {.low = c->least, .high = most > c->least ? most : c->least + 1, .title = c->axis},
                 .y = {.low = 0, .high = 1},
                 .x_unit = c->unit};
    eb_axes_draw_below(&f, (eb_box){area.x + names, area.y + used, area.width - names - numbers, area.height - used});
    for (size_t r = 0; r < c->rows; r++) {
        const double y = area.y + used + between / 2 + (double)r * row_height(c);
        eb_lettering right = small;
        right.anchor = EB_ANCHOR_END;
        eb_sheet_text(sheet, area.x + names - 5, y + (row_height(c) - between) / 2 + 0.36 * EB_SMALL_SIZE, &right,
                      fit(c->row[r], names - 5, name, sizeof name));
        (c->stacked ? draw_stack : draw_bars)(&f, c, r, y);
    }
    free(c);
}
