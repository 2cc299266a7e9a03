/* labels: chooses where the labels of a plot's marks go. No label covers a mark or another label, and labels avoid the
 * curve where they can. A pure function without a canvas, so tests call it for any marks. */
#pragma once

#include "draw/canvas.h"

typedef struct eb_label {
    int x, y;       /* the mark's cell; outside the area: no mark */
    int width;      /* columns of the text; 0: none */
    int at_x, at_y; /* out: where the text begins */
    bool placed;    /* out: false if there is no room near the mark */
} eb_label;

/* A cell's content before labels are drawn: 0: nothing, 1: something that a label may cover, −1: something that none
 * may touch. */
typedef int (*eb_ground)(const void *context, int x, int y);

/* Places each label beside its mark (right, then left), else one row above or below, else two. Earlier marks choose
 * first. */
void eb_place_labels(eb_label *labels, size_t count, eb_rect area, eb_ground ground, const void *context);
