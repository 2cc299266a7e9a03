#include "ui/panels/panel.h"

#include <string.h>

#define ADDRESS(name) &eb_panel_##name,
static const eb_panel *const panels[] = {EB_PANELS(ADDRESS)};

size_t eb_panel_count(void) { return sizeof panels / sizeof panels[0]; }

const eb_panel *eb_panel_at(size_t index) { return panels[index]; }

/* Points come first; a key that needs some is not offered before. */
void eb_draw_empty_panel(const eb_panel *panel, const eb_desk *desk, eb_canvas *canvas, eb_rect area)
{
    eb_hint steps[EB_MAX_BEGIN + 1] = {{NULL, NULL}};
    size_t count = 0;
    const bool lacks_points = panel->of_points && !eb_desk_facts(desk)->has_dataset;
    if (lacks_points)
        steps[count++] = (eb_hint){"load demo:stars", "points to begin with; F2 lists others"};
    for (size_t k = 0; k < EB_MAX_BEGIN && panel->begin[k].keys; k++)
        if (!lacks_points || strcmp(panel->begin[k].keys, "Enter") != 0)
            steps[count++] = panel->begin[k];
    steps[count] = (eb_hint){NULL, NULL};
    (void)eb_draw_steps(canvas, area, panel->empty, steps);
}
