/* compare_bars: draws the times of the engines in Compare as bars of parts, and below the bar of a team a lane for each
 * of its devices. */
#pragma once

#include "draw/canvas.h"
#include "ui/panels/compare/scene.h"

/* How the devices of teams are shown: lanes, unless they would take more than half of the rows; or as asked. */
typedef enum eb_lanes { EB_LANES_IF_ROOM, EB_LANES_EACH, EB_LANES_FOLDED } eb_lanes;

/* True if each device has a lane in an area with this many rows; else a team's devices share one line. */
bool eb_lanes_unfolded(const eb_compare_scene *s, eb_lanes wanted, int height);

/* Draws from row y of the area on. Returns the row below. */
int eb_draw_compare_bars(eb_canvas *canvas, eb_rect area, int y, const eb_compare_scene *s, bool unfolded);
