#include "ui/widgets/hints.h"

#include "draw/utf8.h"
#include "ui/widgets/page.h"

static int hint_width(const eb_hint *hint) { return eb_text_width(hint->keys) + 1 + eb_text_width(hint->does); }

int eb_put_hint(eb_canvas *canvas, eb_rect row, int x, const eb_hint *hint)
{
    x += eb_put(canvas, row, x, row.y, EB_ROLE_KEY, hint->keys) + 1;
    return x + eb_put(canvas, row, x, row.y, EB_ROLE_HINT, hint->does) + 2;
}

void eb_put_hints(eb_canvas *canvas, eb_rect row, const eb_hint *hints, size_t count, const eb_hint *more)
{
    const int end = row.x + row.width;
    int all = 0, of_more = 0, x = row.x;
    for (size_t k = 0; k < count; k++)
        all += hint_width(&hints[k]) + 2;
    const bool last = more && all - 2 > row.width;
    for (const eb_hint *hint = more; last && hint->keys; hint++)
        of_more += hint_width(hint) + 2;
    for (size_t k = 0; k < count && x + hint_width(&hints[k]) <= end - of_more; k++)
        x = eb_put_hint(canvas, row, x, &hints[k]);
    for (const eb_hint *hint = more; last && hint->keys && x + hint_width(hint) <= end; hint++)
        x = eb_put_hint(canvas, row, x, hint);
}

int eb_draw_steps(eb_canvas *canvas, eb_rect area, const char *sentence, const eb_hint *steps)
{
    enum { GAP = 2, WIDEST = 34 };
    eb_page page = {canvas, !canvas->unicode, area, 0, 0};
    int keys = 0;
    for (const eb_hint *step = steps; step->keys; step++)
        keys = eb_text_width(step->keys) > keys ? eb_text_width(step->keys) : keys;
    keys = keys + GAP < WIDEST ? keys + GAP : WIDEST;
    eb_page_text(&page, EB_ROLE_TEXT, 0, sentence);
    page.line++;
    for (const eb_hint *step = steps; step->keys; step++)
        eb_page_pair(&page, EB_ROLE_KEY, 0, step->keys, keys, step->does);
    return page.line;
}

void eb_put_panel_hints(eb_canvas *canvas, eb_rect row, const eb_hint *hints, bool lists)
{
    static const eb_hint more[] = {{":", "prompt"}, {"?", "all keys"}, {NULL, NULL}};
    eb_hint all[EB_MAX_HINTS + 3];
    size_t count = 0;
    for (; count < EB_MAX_HINTS && hints[count].keys; count++)
        all[count] = hints[count];
    if (lists)
        all[count++] = (eb_hint){"T", "lists"};
    all[count++] = (eb_hint){":", "command line"};
    all[count++] = (eb_hint){"?", "help"};
    eb_put_hints(canvas, row, all, count, more);
}
