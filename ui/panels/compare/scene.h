/* compare_scene: everything that the panel Compare draws, collected from the reports on the desk. */
#pragma once

#include "ui/desk.h"

enum { EB_MOST_SIDES = 8, EB_MOST_PARTS = 6 };

/* One engine's run. Numbers are NAN where the report lacks them. */
typedef struct eb_side {
    const char *engine, *state, *device;
    double rate;        /* TFLOPS: executed, or derived if the executed rate is unknown */
    bool executed;      /* rate is the executed one */
    double limit_share; /* rate as a share of the device's limit */
    eb_value trials;
} eb_side;

typedef struct eb_compare_scene {
    const eb_report *report; /* NULL: none */
    bool live;               /* the report is of the running command */
    bool stale;              /* the report is of another dataset */
    const char *warning;     /* NULL: none */
    size_t sides;
    eb_side side[EB_MOST_SIDES];
    size_t parts; /* parts of the time that any side has */
    const char *part[EB_MOST_PARTS];
    double seconds[EB_MOST_SIDES * EB_MOST_PARTS]; /* [sides × parts] */
} eb_compare_scene;

/* The running join or comparison so far, or else the newest one. Texts belong to the report and are valid until the
 * next one. */
eb_compare_scene eb_compare_scene_of(const eb_desk *desk);
