/* rates: the other half of the panel Lab: how fast engines are over n × d, from `grid`: a map with a cell that can be
 * looked at, and curves over d beneath the limits. It fills while the command runs.
 */
#pragma once

#include "core/report/report.h"
#include "draw/canvas.h"
#include "ui/terminal/keys.h"

typedef struct eb_rates_view {
    size_t engine; /* whose map */
    size_t at;     /* the cell looked at, of its map's points; SIZE_MAX: the fastest */
    bool curves;   /* looked at where only one has room */
    eb_rect map;   /* as drawn last; empty: it was not */
} eb_rates_view;

/* Both: beside each other where `beside`, below each other where there are rows for it; else the one that the view
 * says.
 */
void eb_draw_rates(eb_rates_view *view, const eb_report *report, eb_canvas *canvas, eb_rect area, bool beside);

/* The arrows or a click move the cell, PageUp and PageDown go to another engine's map. True when it was for them. */
bool eb_rates_key(eb_rates_view *view, const eb_report *report, eb_key key);
