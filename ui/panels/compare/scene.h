/* compare_scene: everything that the panel Compare draws, collected from the reports on the desk. */
#pragma once

#include "ui/desk.h"

enum { EB_MOST_SIDES = 8, EB_MOST_PARTS = 6, EB_MOST_LANES = 64 };

/* One engine's run. Numbers are NAN where the report lacks them. */
typedef struct eb_side {
    const char *engine, *state, *device;
    double rate;        /* TFLOPS: executed, or derived if the executed rate is unknown */
    bool executed;      /* rate is the executed one */
    double limit_share; /* rate as a share of the device's limit */
    double evenness;    /* of a team: mean work of its devices over the longest */
    eb_value trials;
} eb_side;

/* What one device of a team did in the last trial. Numbers are NAN where the report lacks them. */
typedef struct eb_lane {
    size_t side; /* the run that it worked for */
    const char *device;
    bool lost;
    double seconds[EB_MOST_PARTS]; /* [parts] */
    double work, energy_j;         /* work: share of the operations, 0–1 */
} eb_lane;

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
    size_t lanes;                                  /* those beyond EB_MOST_LANES are left out */
    eb_lane lane[EB_MOST_LANES];                   /* side by side, in the order of the sides */
} eb_compare_scene;

/* The running join or comparison so far, or else the newest one. Texts belong to the report and are valid until the
 * next one. */
eb_compare_scene eb_compare_scene_of(const eb_desk *desk);
