/* The panels, in the order of their tabs. */
#include "ui/panels/panel.h"

static const eb_panel *const panels[] = {
    &eb_panel_data,     &eb_panel_tune, &eb_panel_compare, &eb_panel_accuracy,
    &eb_panel_counters, &eb_panel_lab,  &eb_panel_log,
};

size_t eb_panel_count(void) { return sizeof panels / sizeof panels[0]; }

const eb_panel *eb_panel_at(size_t index) { return panels[index]; }
