/* compare_aside: draws, beside the report in Compare, the parts of the time by engine and the distance errors. */
#pragma once

#include "draw/canvas.h"
#include "ui/panels/compare/scene.h"

/* Draws the parts that the report has and the area has room for. */
void eb_draw_compare_aside(eb_canvas *canvas, eb_rect area, const eb_compare_scene *s);
