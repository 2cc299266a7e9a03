#include "ui/panels/panel.h"

#define ADDRESS(name) &eb_panel_##name,
static const eb_panel *const panels[] = {EB_PANELS(ADDRESS)};

size_t eb_panel_count(void) { return sizeof panels / sizeof panels[0]; }

const eb_panel *eb_panel_at(size_t index) { return panels[index]; }
