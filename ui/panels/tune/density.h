/* density: the part of the panel Tune about density: clusters and noise along ε, the k-distance curve with its elbow,
 * the distribution of neighbours. The newest report's pictures come first, as many as have room.
 */
#pragma once

#include "draw/canvas.h"
#include "ui/desk.h"

/* The stamp of the newest such report about the loaded dataset; 0: none. */
unsigned long eb_density_stamp(const eb_desk *desk);

/* eps: the cursor; NAN: none. */
void eb_draw_density(const eb_desk *desk, eb_canvas *canvas, eb_rect area, double eps);
