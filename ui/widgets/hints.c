#include "ui/widgets/hints.h"

#include "draw/utf8.h"

static int hint_width(const eb_hint *hint) { return eb_text_width(hint->keys) + 1 + eb_text_width(hint->does); }

int eb_put_hint(eb_canvas *canvas, eb_rect row, int x, const eb_hint *hint)
{
    x += eb_put(canvas, row, x, row.y, EB_ROLE_KEY, hint->keys) + 1;
    return x + eb_put(canvas, row, x, row.y, EB_ROLE_HINT, hint->does) + 2;
}

void eb_put_hints(eb_canvas *canvas, eb_rect row, const eb_hint *hints, size_t count, const eb_hint *more)
{
    int all = 0, x = row.x;
    for (size_t k = 0; k < count; k++)
        all += hint_width(&hints[k]) + 2;
    bool last = more && all - 2 > row.width;
    int end = row.x + row.width, room = end - (last ? hint_width(more) + 2 : 0);
    for (size_t k = 0; k < count && x + hint_width(&hints[k]) <= room; k++)
        x = eb_put_hint(canvas, row, x, &hints[k]);
    if (last && x + hint_width(more) <= end)
        (void)eb_put_hint(canvas, row, x, more);
}

void eb_put_panel_hints(eb_canvas *canvas, eb_rect row, const eb_hint *hints)
{
    static const eb_hint more = {"?", "all keys"};
    eb_hint all[EB_MAX_HINTS + 2];
    size_t count = 0;
    for (; count < EB_MAX_HINTS && hints[count].keys; count++)
        all[count] = hints[count];
    all[count++] = (eb_hint){":", "command line"};
    all[count++] = (eb_hint){"?", "help"};
    eb_put_hints(canvas, row, all, count, &more);
}
