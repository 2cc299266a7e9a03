/* svg: a canvas as a picture, in the colours it has on a terminal of 256 on a dark ground. Blocks, braille dots and
 * frames are drawn as shapes, so that they meet whatever font the viewer has.
 */
#ifndef EB_DRAW_SVG_H
#define EB_DRAW_SVG_H

#include "draw/canvas.h"

/* A whole SVG document, ASCII. */
eb_code eb_canvas_svg(const eb_canvas *canvas, FILE *out, eb_status *status);

#endif
