/* axes: a plot's axes. Ticks and spans are those of the plots on the terminal (draw/plots/plot.h). */
#include "draw/figure/axes.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double tick = 3, beside = 2.5; /* points: a tick's length, the blank between a tick and its label */

/* ---- units ---- */

eb_axis_unit eb_axis_unit_of(eb_unit unit, double most)
{
    static const eb_axis_unit seconds[] = {{1, "s"}, {1e3, "ms"}, {1e6, "µs"}, {1e9, "ns"}},
                              bytes[] = {{0x1p-40, "TiB"},
                                         {0x1p-30, "GiB"},
                                         {0x1p-20, "MiB"},
                                         {0x1p-10, "KiB"},
                                         {1, "B"}},
                              hertz[] = {{1e-9, "GHz"}, {1e-6, "MHz"}, {1, "Hz"}},
                              rates[] = {{1, "TFLOPS"}, {1e3, "GFLOPS"}, {1e6, "MFLOPS"}, {1e9, "kFLOPS"}},
                              joules[] = {{1, "J"}, {1e3, "mJ"}};
    const eb_axis_unit *units = NULL;
    size_t count = 0, k = 0;
    switch (unit) {
    case EB_SECONDS: units = seconds, count = 4; break;
    case EB_BYTES: units = bytes, count = 5; break;
    case EB_HERTZ: units = hertz, count = 3; break;
    case EB_TERAFLOPS: units = rates, count = 4; break;
    case EB_JOULES: units = joules, count = 2; break;
    case EB_PERCENT: return (eb_axis_unit){100, "%"};
    case EB_WATTS: return (eb_axis_unit){1, "W"};
    case EB_RATIO:
    case EB_IDENTITY:
    case EB_PLAIN: return (eb_axis_unit){1, ""};
    }
    while (k + 1 < count && most * units[k].factor < 0.9995)
        k++;
    return units[k];
}

/* ---- numbers ---- */

static size_t put_raised(const char *digits, char *buffer, size_t size)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    size_t used = 0;
    for (; *digits && used < size; digits++)
        if (*digits == '-')
            used += (size_t)snprintf(buffer + used, size - used, "⁻");
        else if (isdigit((unsigned char)*digits))
            used += (size_t)snprintf(buffer + used, size - used, "%s", raised[*digits - '0']);
    return used;
}

/* 1234567 becomes 1,234,567. */
static void put_grouped(const char *label, char *buffer, size_t size)
{
    const size_t digits = strspn(label, "0123456789");
    size_t used = 0;
    for (size_t k = 0; label[k] != '\0' && used + 2 < size; k++) {
        if (k > 0 && k < digits && digits > 3 && (digits - k) % 3 == 0)
            buffer[used++] = ',';
        buffer[used++] = label[k];
    }
    buffer[used] = '\0';
}

char *eb_figure_number(const char *label, char *buffer, size_t size)
{
    const char *e = strchr(label, 'e'), *sign = label[0] == '-' ? "−" : "";
    label += label[0] == '-';
    size_t used = (size_t)snprintf(buffer, size, "%s", sign);
    if (!e) {
        put_grouped(label, buffer + used, size - used);
        return buffer;
    }
    const int digits = (int)(e - label);
    if (digits != 1 || label[0] != '1')
        used += (size_t)snprintf(buffer + used, size - used, "%.*s·", digits, label);
    used += (size_t)snprintf(buffer + used, size - used, "10");
    if (used < size)
        (void)put_raised(e + 1, buffer + used, size - used);
    return buffer;
}

/* ---- ticks ---- */

enum { LABEL = 96 };

typedef struct ruler {
    eb_axis_unit unit;
    eb_span span; /* in that unit */
    eb_ticks ticks;
    char label[EB_MOST_TICKS][LABEL];
} ruler;

static const eb_lettering small = {.size = EB_SMALL_SIZE, .colour = EB_DARK};

/* The power of ten that leaves great and tiny numbers of an even axis without exponents. */
static eb_axis_unit power_of(double greatest)
{
    static const struct {
        double least;
        eb_axis_unit unit;
    } powers[] = {{1e15, {1, ""}}, {1e12, {1e-12, "×10¹²"}}, {1e9, {1e-9, "×10⁹"}},  {1e6, {1e-6, "×10⁶"}},
                  {1e-3, {1, ""}}, {1e-6, {1e6, "×10⁻⁶"}},   {1e-9, {1e9, "×10⁻⁹"}}, {1e-12, {1e12, "×10⁻¹²"}}};
    for (size_t k = 0; k < sizeof powers / sizeof powers[0]; k++)
        if (greatest >= powers[k].least)
            return powers[k].unit;
    return (eb_axis_unit){1, ""};
}

static void find_ticks(const eb_axis *axis, eb_unit unit, size_t most, ruler *out)
{
    *out = (ruler){.ticks = {.count = 0}};
    const double greatest = fmax(fabs(axis->low), fabs(axis->high));
    out->unit = eb_axis_unit_of(unit, greatest);
    if (!axis->log && out->unit.name[0] == '\0')
        out->unit = power_of(greatest);
    const eb_axis scaled = {.low = axis->low * out->unit.factor,
                            .high = axis->high * out->unit.factor,
                            .log = axis->log};
    out->span = eb_axis_span(&scaled);
    eb_ticks_find(&out->span, most, &out->ticks);
    for (size_t k = 0; k < out->ticks.count; k++)
        (void)eb_figure_number(out->ticks.label[k], out->label[k], LABEL);
}

static double widest(const ruler *r)
{
    double most = 0;
    for (size_t k = 0; k < r->ticks.count; k++)
        most = fmax(most, eb_lettering_width(&small, r->label[k]));
    return most;
}

/* "ε", "kernels (ms)" */
static char *title_of(const eb_axis *axis, const ruler *r, char *buffer, size_t size)
{
    const char *title = axis->title ? axis->title : "", *unit = r->unit.name;
    const bool told = unit[0] == '\0' || strstr(title, unit) != NULL;
    (void)snprintf(buffer, size, told ? "%s" : title[0] ? "%s (%s)" : "%s%s", title, unit);
    return buffer;
}

/* ---- drawing ---- */

static const eb_ink axis_ink = {.colour = EB_DARK, .width = 0.7}, grid_ink = {.colour = EB_PALE, .width = 0.5};

static double across(const eb_axes *f, double share) { return f->box.x + share * f->box.width; }
static double up(const eb_axes *f, double share) { return f->box.y + (1 - share) * f->box.height; }

/* Short ticks of a log axis: at each decade, and at 2 … 9 times it where there is room. */
static void draw_minor(const eb_axes *f, const ruler *r, bool upwards)
{
    const double decades = r->span.high - r->span.low;
    const int parts = decades > 5 ? 1 : 9;
    if (!r->span.log || decades < 1 || decades > 40)
        return;
    for (int decade = (int)floor(r->span.low); decade <= (int)ceil(r->span.high); decade++)
        for (int k = 1; k <= parts; k++) {
            const double share = (decade + log10(k) - r->span.low) / decades;
            if (share < 0 || share > 1)
                continue;
            const eb_spot at =
                upwards ? (eb_spot){f->box.x, up(f, share)} : (eb_spot){across(f, share), f->box.y + f->box.height};
            const eb_spot to = upwards ? (eb_spot){at.x - tick / 2, at.y} : (eb_spot){at.x, at.y + tick / 2};
            eb_sheet_rule(f->sheet, at, to, &axis_ink);
        }
}

/* Grid lines lie below the data and both axes. */
static void draw_grid(const eb_axes *f, const ruler *x, const ruler *y)
{
    const double right = f->box.x + f->box.width, bottom = f->box.y + f->box.height;
    for (size_t k = 0; x && k < x->ticks.count; k++) {
        const double at = across(f, x->ticks.share[k]);
        eb_sheet_rule(f->sheet, (eb_spot){at, f->box.y}, (eb_spot){at, bottom}, &grid_ink);
    }
    for (size_t k = 0; y && k < y->ticks.count; k++) {
        const double at = up(f, y->ticks.share[k]);
        eb_sheet_rule(f->sheet, (eb_spot){f->box.x, at}, (eb_spot){right, at}, &grid_ink);
    }
}

static void draw_x(const eb_axes *f, const ruler *r)
{
    const double bottom = f->box.y + f->box.height, right = f->box.x + f->box.width;
    double used = -INFINITY;
    eb_lettering text = small;
    text.anchor = EB_ANCHOR_MIDDLE;
    for (size_t k = 0; k < r->ticks.count; k++) {
        const double x = across(f, r->ticks.share[k]), half = eb_lettering_width(&small, r->label[k]) / 2;
        eb_sheet_rule(f->sheet, (eb_spot){x, bottom}, (eb_spot){x, bottom + tick}, &axis_ink);
        if (x - half < used + 3)
            continue; /* it would touch its neighbour */
        eb_sheet_text(f->sheet, x, bottom + tick + beside + 0.75 * EB_SMALL_SIZE, &text, r->label[k]);
        used = x + half;
    }
    draw_minor(f, r, false);
    eb_sheet_rule(f->sheet, (eb_spot){f->box.x, bottom}, (eb_spot){right, bottom}, &axis_ink);
}

static void draw_y(const eb_axes *f, const ruler *r)
{
    eb_lettering text = small;
    text.anchor = EB_ANCHOR_END;
    for (size_t k = 0; k < r->ticks.count; k++) {
        const double y = up(f, r->ticks.share[k]);
        eb_sheet_rule(f->sheet, (eb_spot){f->box.x - tick, y}, (eb_spot){f->box.x, y}, &axis_ink);
        eb_sheet_text(f->sheet, f->box.x - tick - beside, y + 0.36 * EB_SMALL_SIZE, &text, r->label[k]);
    }
    draw_minor(f, r, true);
    eb_sheet_rule(f->sheet, (eb_spot){f->box.x, f->box.y}, (eb_spot){f->box.x, f->box.y + f->box.height}, &axis_ink);
}

/* A title along the y axis that is longer than the axis is drawn above it instead. */
static bool is_above(const char *title, const eb_lettering *text, double height)
{
    return eb_lettering_width(text, title) > height;
}

enum { TITLE = 256, A_ROW = 22, A_COLUMN = 34 };

static const double row = EB_TEXT_SIZE * EB_LINE_HEIGHT;
static const double below = tick + beside + EB_SMALL_SIZE + EB_TEXT_SIZE * EB_LINE_HEIGHT + 2;

static void put_x_title(const eb_axes *f, const ruler *x, eb_box area)
{
    char title[TITLE];
    const eb_lettering text = {.size = EB_TEXT_SIZE, .colour = EB_BLACK, .anchor = EB_ANCHOR_MIDDLE};
    eb_sheet_text(f->sheet, f->box.x + f->box.width / 2, area.y + area.height - 2, &text,
                  title_of(&f->x, x, title, sizeof title));
}

void eb_axes_draw(eb_axes *f, eb_box area)
{
    char y_title[TITLE];
    ruler x, y;
    eb_lettering text = {.size = EB_TEXT_SIZE, .colour = EB_BLACK, .anchor = EB_ANCHOR_MIDDLE};
    find_ticks(&f->y, f->y_unit, (size_t)fmax((area.height - below) / A_ROW + 1, 2), &y);
    (void)title_of(&f->y, &y, y_title, sizeof y_title);
    const bool above = is_above(y_title, &text, area.height - below), titled = y_title[0] != '\0';
    const double left = widest(&y) + tick + beside + (titled && !above ? row + 2 : 0), top = above ? row + 4 : 4;
    f->box = (eb_box){area.x + left, area.y + top, area.width - left - 6, area.height - below - top};
    find_ticks(&f->x, f->x_unit, (size_t)fmax(f->box.width / A_COLUMN + 1, 2), &x);
    draw_grid(f, &x, &y);
    draw_x(f, &x);
    draw_y(f, &y);
    put_x_title(f, &x, area);
    text.upwards = !above;
    text.anchor = above ? EB_ANCHOR_START : EB_ANCHOR_MIDDLE;
    eb_sheet_text(f->sheet, above ? area.x : area.x + EB_TEXT_SIZE,
                  above ? area.y + EB_TEXT_SIZE : f->box.y + f->box.height / 2, &text, y_title);
}

void eb_axes_draw_below(eb_axes *f, eb_box area)
{
    ruler x;
    f->box = (eb_box){area.x, area.y, area.width, area.height - below};
    find_ticks(&f->x, f->x_unit, (size_t)fmax(f->box.width / A_COLUMN + 1, 2), &x);
    draw_grid(f, &x, NULL);
    draw_x(f, &x);
    put_x_title(f, &x, area);
}

void eb_axes_clip(const eb_axes *f)
{
    const double edge = 2;
    const eb_box box = {f->box.x - edge, f->box.y - edge, f->box.width + 2 * edge, f->box.height + 2 * edge};
    f->sheet->writer->clip(f->sheet->context, &box);
}

void eb_axes_unclip(const eb_axes *f) { f->sheet->writer->clip(f->sheet->context, NULL); }

eb_spot eb_axes_spot(const eb_axes *f, double x, double y)
{
    const eb_span x_span = eb_axis_span(&f->x), y_span = eb_axis_span(&f->y);
    return (eb_spot){across(f, eb_span_share(&x_span, x)), up(f, eb_span_share(&y_span, y))};
}
