/* Sample panel Centre, for a command added in the same way; it shows the number of points. */
#include "ui/panels/panel.h"

static void centre_draw(void *state, const eb_desk *desk, eb_canvas *canvas, eb_rect area, bool focused)
{
    (void)state, (void)focused;
    (void)eb_putf(canvas, area, area.x, area.y, EB_ROLE_TEXT, "a panel of one's own: %llu points",
                  (unsigned long long)eb_desk_facts(desk)->n);
}

static void *centre_create(void)
{
    static char nothing;
    return &nothing;
}

static void centre_destroy(void *state) { (void)state; }

static bool centre_key(void *state, eb_desk *desk, eb_key key, eb_rect area)
{
    (void)state, (void)desk, (void)key, (void)area;
    return false;
}

const eb_panel eb_panel_centre = {
    .name = "centre",
    .title = "Centre",
    .about = "How many points there are.",
    .empty = "`load demo` brings some.",
    .create = centre_create,
    .destroy = centre_destroy,
    .draw = centre_draw,
    .key = centre_key,
};
