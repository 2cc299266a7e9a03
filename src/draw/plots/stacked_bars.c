/* stacked_bars: draws horizontal bars of several parts on one scale, and a legend that names the parts. */
#include <float.h>
#include <math.h>

#include "draw/format.h"
#include "draw/plots/plot.h"

enum { LEAST_BAR = 4, LEAST_BESIDE = 12, GAP = 1 }; /* LEAST_BESIDE: bars that have a text beside them */

eb_filling eb_filling_of(size_t part)
{
    static const eb_filling fills[EB_SERIES_ROLES] = {{0x2588, '#'}, {0x2593, '='}, {0x2592, '+'},
                                                      {0x2591, '-'}, {0x259A, '%'}, {0x2584, 'o'}};
    return fills[part % EB_SERIES_ROLES];
}

static eb_role role_of(size_t part) { return (eb_role)(EB_ROLE_SERIES + part % EB_SERIES_ROLES); }

typedef struct stack {
    size_t bars, parts;
    const char *const *label;
    const char *const *beside; /* NULL: none */
    const char *const *part_name;
    const double *value; /* [bars × parts] */
    eb_unit unit;
    double most; /* the longest bar's total */
    int label_width, total_width, bar_width;
} stack;

static double part_of(const stack *s, size_t bar, size_t part)
{
    double value = s->value[bar * s->parts + part];
    return value > 0 && isfinite(value) ? value : 0;
}

/* A bar's total; NAN if no part is known. */
static double total_of(const stack *s, size_t bar)
{
    double total = 0;
    bool known = false;
    for (size_t p = 0; p < s->parts; p++) {
        total += part_of(s, bar, p);
        known |= isfinite(s->value[bar * s->parts + p]);
    }
    return known ? fmin(total, DBL_MAX) : NAN;
}

static const char *format_total(const stack *s, size_t bar, char *buffer, size_t size)
{
    return eb_format_value(buffer, size, eb_real(total_of(s, bar)), s->unit);
}

/* Columns of the total and of the text beside it. */
static int width_of_texts(const stack *s, size_t bar)
{
    char text[64];
    const int total = eb_text_width(format_total(s, bar, text, sizeof text));
    return s->beside && s->beside[bar][0] ? total + 2 * GAP + eb_text_width(s->beside[bar]) : total;
}

static void measure(stack *s, int width)
{
    s->most = s->label_width = s->total_width = 0;
    for (size_t b = 0; b < s->bars; b++) {
        s->most = fmax(s->most, total_of(s, b)); /* fmax ignores NAN */
        s->label_width = eb_wider(s->label_width, s->label[b]);
        const int texts = width_of_texts(s, b);
        s->total_width = texts > s->total_width ? texts : s->total_width;
    }
    if (s->label_width > width / 3)
        s->label_width = width / 3;
    if (width - s->label_width - s->total_width - 2 * GAP < LEAST_BAR)
        s->total_width = -GAP; /* no room for numbers */
    s->bar_width = width - s->label_width - s->total_width - 2 * GAP;
    if (s->bar_width < 0)
        s->bar_width = 0;
}

/* Cells from the bar's start to the end of a running sum. Rounding the sum, not each part, keeps the bar's length
 * right. */
static int cells_to(const stack *s, double sum) { return s->most > 0 ? (int)(sum / s->most * s->bar_width + 0.5) : 0; }

/* Every part above 0 gets at least one cell while there are cells. */
static int draw_bar(eb_canvas *canvas, eb_rect clip, const stack *s, size_t bar, int x, int y)
{
    int used = 0, waiting = 0; /* used: cells drawn; waiting: parts above 0 that are not drawn yet */
    double sum = 0;
    for (size_t p = 0; p < s->parts; p++)
        waiting += part_of(s, bar, p) > 0;
    for (size_t p = 0; p < s->parts; p++) {
        double value = part_of(s, bar, p);
        if (value <= 0)
            continue;
        sum = fmin(sum + value, DBL_MAX);
        waiting--;
        int end = cells_to(s, sum), most = s->bar_width - waiting;
        end = end < most ? end : most;
        end = end > used ? end : used + 1;
        for (; used < end && used < s->bar_width; used++)
            eb_put_cell(canvas, clip, x + used, y, role_of(p), eb_filling_of(p).block, eb_filling_of(p).ascii);
    }
    return used;
}

static int draw_legend(eb_canvas *canvas, eb_rect area, const stack *s, int row)
{
    int x = 0;
    for (size_t p = 0; p < s->parts; p++) {
        int width = 2 + eb_text_width(s->part_name[p]);
        if (x > 0 && x + width > area.width) {
            x = 0;
            row++;
        }
        eb_put_cell(canvas, area, area.x + x, area.y + row, role_of(p), eb_filling_of(p).block, eb_filling_of(p).ascii);
        (void)eb_put_short(canvas, area, area.x + x + 2, area.y + row, EB_ROLE_DIM, s->part_name[p]);
        x += width + 2;
    }
    return row + (s->parts > 0);
}

int eb_draw_stacked_beside(eb_canvas *canvas, eb_rect area, size_t bars, const char *const *labels,
                           const char *const *beside, size_t parts, const char *const *part_names, const double *value,
                           eb_unit unit)
{
    stack s = {.bars = bars,
               .parts = parts,
               .label = labels,
               .beside = beside,
               .part_name = part_names,
               .value = value,
               .unit = unit};
    measure(&s, area.width > 0 ? area.width : 0);
    if (beside && s.bar_width < LEAST_BESIDE) {
        s.beside = NULL;
        measure(&s, area.width > 0 ? area.width : 0);
    }
    int row = 0;
    for (size_t b = 0; b < bars; b++, row++) {
        char text[64];
        int y = area.y + row, x = area.x + s.label_width + GAP;
        eb_rect left = eb_rect_cut(area, (eb_rect){area.x, area.y, s.label_width, area.height});
        (void)eb_put_short(canvas, left, area.x, y, EB_ROLE_TEXT, labels[b]);
        int used = draw_bar(canvas, area, &s, b, x, y);
        if (s.total_width <= 0)
            continue;
        x += used + (used > 0 ? GAP : 0);
        x += eb_put(canvas, area, x, y, EB_ROLE_TEXT, format_total(&s, b, text, sizeof text));
        if (s.beside)
            (void)eb_put_short(canvas, area, x + 2 * GAP, y, EB_ROLE_DIM, s.beside[b]);
    }
    return draw_legend(canvas, area, &s, row);
}

int eb_draw_stacked(eb_canvas *canvas, eb_rect area, size_t bars, const char *const *labels, size_t parts,
                    const char *const *part_names, const double *value, eb_unit unit)
{
    return eb_draw_stacked_beside(canvas, area, bars, labels, NULL, parts, part_names, value, unit);
}
