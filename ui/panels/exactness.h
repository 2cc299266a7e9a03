/* exactness: how exact the engines are whose results a panel shows. */
#ifndef EB_UI_PANELS_EXACTNESS_H
#define EB_UI_PANELS_EXACTNESS_H

#include "draw/canvas.h"

/* "approximate beside truth" for the specs, with two blanks before it, where the row has room for all of it from column
 * x on and all are known. Returns the columns taken. */
int eb_put_exactness(eb_canvas *canvas, eb_rect row, int x, size_t count, const char *const *specs,
                     const char *between);

#endif
