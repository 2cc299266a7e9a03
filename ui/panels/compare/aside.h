/* compare_aside: what stands beside the report in Compare, where there is room: the parts of the time, engine by
 * engine, and how far distances are off. */
#pragma once

#include "draw/canvas.h"
#include "ui/panels/compare/scene.h"

/* Draws what has room in the area, from its top; nothing where the report tells of neither. */
void eb_draw_compare_aside(eb_canvas *canvas, eb_rect area, const eb_compare_scene *s);
