/* labels: where the labels of a plot's marks go, as a pure function: none on a mark, none on another label, rather off
 * the curve than on it. No canvas: a test calls it for any marks.
 */
#pragma once

#include "draw/canvas.h"

typedef struct eb_label {
    int x, y;       /* the mark's cell; outside the area: there is none */
    int width;      /* columns of the text; 0: none */
    int at_x, at_y; /* out: where the text begins */
    bool placed;    /* out: false where it has room nowhere near */
} eb_label;

/* A cell's content before labels: 0 nothing, 1 something that a label may cover, −1 what none may touch. */
typedef int (*eb_ground)(const void *context, int x, int y);

/* Beside the mark first, right and then left; else a row, then two, above or below. The first marks choose first. */
void eb_place_labels(eb_label *labels, size_t count, eb_rect area, eb_ground ground, const void *context);
