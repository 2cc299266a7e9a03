/* rates: the part of the panel Lab with engines' rates over n × d, from `grid`: a heat map with a chosen cell, and
 * curves over d with the device's limits above them. Both fill while the command runs.
 */
#pragma once

#include "core/report/report.h"
#include "draw/canvas.h"
#include "ui/terminal/keys.h"

typedef struct eb_rates_view {
    size_t engine; /* the engine whose map is shown */
    size_t at;     /* the chosen cell, an index of the map's points; SIZE_MAX: the fastest */
    bool curves;   /* where there is room for one only, show the curves */
    eb_rect map;   /* as last drawn; empty: not drawn */
} eb_rates_view;

/* Draws map and curves: side by side if `beside`, one below the other if there are enough rows, otherwise the one that
 * the view chooses.
 */
void eb_draw_rates(eb_rates_view *view, const eb_report *report, eb_canvas *canvas, eb_rect area, bool beside);

/* Arrows or a click choose a cell, PageUp and PageDown another engine's map. True if the key was used. */
bool eb_rates_key(eb_rates_view *view, const eb_report *report, eb_key key);
