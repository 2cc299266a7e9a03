/* exactness: draws how exact a panel's engines are, and which of their options their specs do not name. */
#pragma once

#include "draw/canvas.h"

/* Draws "  approximate beside truth" for the specs from column x on, if all specs are known and the row has room.
 * Returns the columns used. */
int eb_put_exactness(eb_canvas *canvas, eb_rect row, int x, size_t count, const char *const *specs,
                     const char *between);

/* Draws "  fasted: preset best, norms authors": the options that have an effect on the device ("cpu") and that the spec
 * does not name; an option without room is left out. Draws nothing if spec or device is unknown. Returns the columns
 * used. */
int eb_put_unsaid(eb_canvas *canvas, eb_rect row, int x, const char *spec, const char *device);
