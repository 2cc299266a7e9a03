#include "draw/plots/bar_row.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "draw/table.h"

enum { GAP = 2, LEAST_BAR = 4 };

/* A range within one cell is a single line across. The whiskers may cover the bar's end, which lies between them. */
static void draw_whiskers(eb_canvas *canvas, eb_rect bar, double low, double high)
{
    if (!(low < high) || low < 0)
        return;
    const int last = bar.width - 1, from = low < 1 ? (int)(low * bar.width) : last,
              to = high < 1 ? (int)(high * bar.width) : last;
    for (int x = from; x <= to; x++) {
        const bool first = x == from, end = x == to;
        const uint32_t character = first && end ? 0x2502 : first ? 0x251C : end ? 0x2524 : 0x2500;
        eb_put_cell(canvas, bar, bar.x + x, bar.y, EB_ROLE_TEXT, character, first || end ? '|' : '-');
    }
}

void eb_draw_bar_row(eb_canvas *canvas, eb_rect area, int label_width, int text_width, const eb_bar_row *bar)
{
    if (eb_rect_empty(area))
        return;
    eb_rect row = {area.x, area.y, area.width, 1};
    int label = label_width < area.width ? label_width : area.width, left = label + GAP;
    eb_rect label_part = {row.x, row.y, label, 1};
    (void)eb_put_short(canvas, label_part, row.x, row.y, EB_ROLE_TEXT, bar->label);
    int text = bar->text && text_width > 0 ? text_width + GAP : 0, room = area.width - left - text;
    if (room < LEAST_BAR)
        room = 0;
    const eb_rect meter = {row.x + left, row.y, room, 1};
    if (room > 0) {
        eb_draw_meter(canvas, meter, bar->role, bar->share);
        draw_whiskers(canvas, meter, bar->low, bar->high);
    }
    int at = left + (room > 0 ? room + GAP : 0);
    eb_rect text_part = {row.x + at, row.y, area.width - at, 1};
    if (text > 0 && !eb_rect_empty(text_part))
        (void)eb_put_short(canvas, text_part, text_part.x, row.y, bar->text_role, bar->text);
}
