/* exactness: how exact the engines are whose results a panel shows, and what their specs leave unsaid. */
#pragma once

#include "draw/canvas.h"

/* "approximate beside truth" for the specs, with two blanks before it, where the row has room for all of it from column
 * x on and all are known. Returns the columns taken. */
int eb_put_exactness(eb_canvas *canvas, eb_rect row, int x, size_t count, const char *const *specs,
                     const char *between);

/* "  fasted: preset best, norms authors": options that matter on the device ("cpu") and stand in no bracket of the
 * spec, each whole or not at all. None where spec or device are not known. Returns the columns taken. */
int eb_put_unsaid(eb_canvas *canvas, eb_rect row, int x, const char *spec, const char *device);
