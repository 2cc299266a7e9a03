#include "draw/plots/bar_row.h"

#include <stddef.h>
#include <stdint.h>

#include "draw/table.h"
#include "draw/utf8.h"

enum { GAP = 2, LEAST_BAR = 4 };

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
    if (room > 0)
        eb_draw_meter(canvas, (eb_rect){row.x + left, row.y, room, 1}, bar->role, bar->share);
    int at = left + (room > 0 ? room + GAP : 0);
    eb_rect text_part = {row.x + at, row.y, area.width - at, 1};
    if (text > 0 && !eb_rect_empty(text_part))
        (void)eb_put_short(canvas, text_part, text_part.x, row.y, bar->text_role, bar->text);
}

int eb_wider(int width, const char *text)
{
    int columns = eb_text_width(text);
    return columns > width ? columns : width;
}
