/* svg: writes a canvas as a picture, in the colours of a terminal of 256 colours, on a dark background or a light one.
 * Blocks, braille dots and frames are drawn as shapes, so that they join whatever font the viewer has. */
#pragma once

#include "draw/canvas.h"

/* Writes a complete SVG document in ASCII. */
eb_code eb_canvas_svg(const eb_canvas *canvas, bool light, FILE *out, eb_status *status);

/* An animated picture (SMIL). A browser plays it once and stops at the last frame; a viewer without animation shows the
 * last frame. */
typedef struct eb_film {
    size_t frames; /* ≥ 1 */
    double frame_s;
    void (*draw)(void *context, size_t frame); /* draws a frame on the canvas */
    void *context;
} eb_film;

/* Draws the last frame, then each frame in turn, on the canvas, whose size must not change. For each frame only its
 * differences from the previous one are written. */
eb_code eb_canvas_film(const eb_canvas *canvas, const eb_film *film, bool light, FILE *out, eb_status *status);
