#include "ui/widgets/scroll.h"

enum { FAR = 1 << 20, WHEEL = 3 };

bool eb_scroll_key(int *top, eb_key key, int height)
{
    int page = height > 4 ? height - 4 : 1;
    switch (key.code) {
    case EB_KEY_UP: *top -= 1; break;
    case EB_KEY_DOWN: *top += 1; break;
    case EB_KEY_PAGE_UP: *top -= page; break;
    case EB_KEY_PAGE_DOWN: *top += page; break;
    case EB_KEY_WHEEL_UP: *top -= WHEEL; break;
    case EB_KEY_WHEEL_DOWN: *top += WHEEL; break;
    case EB_KEY_HOME: *top = 0; break;
    case EB_KEY_END: *top = FAR; break;
    default: return false;
    }
    *top = *top < 0 ? 0 : *top > FAR ? FAR : *top; /* drawing limits it to the last line (eb_scroll_fit) */
    return true;
}

void eb_scroll_fit(eb_canvas *canvas, eb_rect area, int lines, int *top)
{
    int last = lines > area.height ? lines - area.height : 0, right = area.x + area.width - 1;
    *top = *top < 0 ? 0 : *top > last ? last : *top;
    if (eb_rect_empty(area))
        return;
    if (*top > 0)
        eb_put_cell(canvas, area, right, area.y, EB_ROLE_DIM, 0x25B2, '^'); /* ▲ */
    if (*top < last)
        eb_put_cell(canvas, area, right, area.y + area.height - 1, EB_ROLE_DIM, 0x25BC, 'v'); /* ▼ */
}
