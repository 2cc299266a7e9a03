/* density: the other half of the panel Tune: what DBSCAN finds along ε, the k-distance curve with its elbow, who has
 * how many neighbours. The newest report's pictures come first, of as many as have room.
 */
#pragma once

#include "draw/canvas.h"
#include "ui/desk.h"

/* When the newest report that it shows of this dataset came; 0: none is there. */
unsigned long eb_density_stamp(const eb_desk *desk);

/* eps: where the cursor is; NAN: nowhere. */
void eb_draw_density(const eb_desk *desk, eb_canvas *canvas, eb_rect area, double eps);
