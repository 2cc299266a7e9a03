/* svg: a canvas as a picture, in the colours it has on a terminal of 256, on a dark ground or a light one. Blocks,
 * braille dots and frames are drawn as shapes, so that they meet whatever font the viewer has.
 */
#pragma once

#include "draw/canvas.h"

/* A whole SVG document, ASCII. */
eb_code eb_canvas_svg(const eb_canvas *canvas, bool light, FILE *out, eb_status *status);

/* A picture that moves, by SMIL: a browser plays it once and stays at the last frame, which is all that a viewer shows
 * that does not play. */
typedef struct eb_film {
    size_t frames; /* ≥ 1 */
    double frame_s;
    void (*draw)(void *context, size_t frame); /* on the canvas */
    void *context;
} eb_film;

/* Draws the last frame, then each in turn, on the canvas, whose size must stay; of these only what differs from the one
 * before is written. */
eb_code eb_canvas_film(const eb_canvas *canvas, const eb_film *film, bool light, FILE *out, eb_status *status);
