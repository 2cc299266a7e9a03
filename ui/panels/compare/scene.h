/* compare_scene: what the panel Compare has to draw, out of the reports on the desk. Nothing is drawn here. */
#pragma once

#include "ui/desk.h"

enum { EB_MOST_SIDES = 8, EB_MOST_PARTS = 6 };

/* One engine's run. Numbers are NAN where the report does not tell. */
typedef struct eb_side {
    const char *engine, *state, *device;
    double rate; /* TFLOPS: executed, or derived where that is unknown */
    bool executed;
    double limit_share; /* of what the device can do at best */
    eb_value trials;
} eb_side;

typedef struct eb_compare_scene {
    const eb_report *report; /* NULL: there is nothing */
    bool live;               /* of the command that runs now */
    bool stale;              /* of another dataset */
    const char *warning;     /* NULL: none */
    size_t sides;
    eb_side side[EB_MOST_SIDES];
    size_t parts; /* of the time: those that any side has */
    const char *part[EB_MOST_PARTS];
    double seconds[EB_MOST_SIDES * EB_MOST_PARTS]; /* [sides × parts] */
} eb_compare_scene;

/* The running join or comparison as far as it is; else the newest one. Texts are the report's: good until the next
 * report. */
eb_compare_scene eb_compare_scene_of(const eb_desk *desk);
