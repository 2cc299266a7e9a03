/* looks: colours, dashes, signs and legends of figures. */
#include "draw/figure/axes.h"

uint32_t eb_figure_colour(size_t k)
{
    static const uint32_t colours[] = {0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, 0x56B4E9, 0x000000};
    return colours[k % (sizeof colours / sizeof colours[0])];
}

eb_dash eb_figure_dash(size_t k) { return (eb_dash)(k % EB_DASHES); }

eb_sign eb_figure_sign(size_t k) { return (eb_sign)(k % EB_SIGNS); }

/* ---- a legend ---- */

static const double sample = 16, gap = 4,
                    between = 10; /* points: the line's length, the blanks after it and the text */

static const eb_lettering small = {.size = EB_SMALL_SIZE, .colour = EB_BLACK};

static double width_of(const eb_legend_entry *e)
{
    const bool narrow = e->box || !(e->line.width > 0);
    return (narrow ? EB_SMALL_SIZE : sample) + gap + eb_lettering_width(&small, e->text);
}

static void draw_entry(const eb_sheet *sheet, double x, double y, const eb_legend_entry *e)
{
    const bool narrow = e->box || !(e->line.width > 0);
    const double wide = narrow ? EB_SMALL_SIZE : sample, middle = y - 0.35 * EB_SMALL_SIZE;
    if (e->box)
        eb_sheet_box(sheet, (eb_box){x, y - 0.75 * EB_SMALL_SIZE, wide, 0.75 * EB_SMALL_SIZE}, &e->line);
    else if (e->line.width > 0)
        eb_sheet_rule(sheet, (eb_spot){x, middle}, (eb_spot){x + wide, middle}, &e->line);
    if (e->sign_size > 0)
        eb_sheet_signs(sheet, 1, &(eb_spot){x + wide / 2, middle}, e->sign, e->sign_size, &e->sign_ink);
    eb_sheet_text(sheet, x + wide + gap, y, &small, e->text);
}

double eb_figure_legend(const eb_sheet *sheet, eb_spot at, double width, const eb_legend_entry *entry, size_t count)
{
    const double row = EB_SMALL_SIZE * EB_LINE_HEIGHT;
    double x = 0, y = 0;
    for (size_t k = 0; k < count; k++) {
        if (x > 0 && x + width_of(&entry[k]) > width)
            x = 0, y += row;
        if (sheet)
            draw_entry(sheet, at.x + x, at.y + y + EB_SMALL_SIZE, &entry[k]);
        x += width_of(&entry[k]) + between;
    }
    return count > 0 ? y + row + 2 : 0;
}
