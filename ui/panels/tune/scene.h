/* tune_scene: everything that the panel Tune draws, collected from the reports on the desk, and the panel's ε. */
#pragma once

#include "core/report/report.h"
#include "draw/plots/plot.h"
#include "ui/desk.h"

/* S at an ε, interpolated on a report's curve. */
typedef struct eb_expectation {
    double s;         /* NAN: unknown */
    double low, high; /* the 95 % interval of s; NAN: unknown */
} eb_expectation;

/* Interpolates linearly in log ε and log S (in ε or in S where a value is 0); a point of the curve keeps its value. NAN
 * beyond the curve's ends, and for a NULL curve. The curve's ε ascend. */
eb_expectation eb_expect(const eb_series *curve, double eps);

/* The range of the cursor: ε from low to high in `steps` equal steps of log ε. 0 < low < high, steps ≥ 1. */
typedef struct eb_dial {
    double low, high;
    unsigned steps;
} eb_dial;

/* The position of ε on the dial, 0 … 1; 0 or 1 beyond its ends. */
double eb_dial_share(const eb_dial *dial, double eps);
/* The ε at a position, rounded to as few digits as distinguish the steps, so that a command with it is short. The ends
 * are exact. */
double eb_dial_at(const eb_dial *dial, double share);
/* Returns the ε that is `steps` steps further, or back if `steps` is negative. The result is always a step of the dial.
 * From a step, turning by `steps` and then by −`steps` returns the same ε.
 */
double eb_dial_turn(const eb_dial *dial, double eps, int steps);

enum { EB_TUNE_COUNTED = 32 };

typedef struct eb_counted {
    double eps, s;  /* s NAN: not counted at this ε */
    eb_value pairs; /* a number, or n/a */
    char by[32];    /* engine */
} eb_counted;

typedef struct eb_tune_state {
    unsigned long serial; /* the dataset that eps belongs to */
    double eps;           /* the cursor; NAN: not placed yet */
    double session_eps;   /* the session's ε when last read */
    double counted_eps;   /* the last ε that the panel asked to count */
    bool moved;           /* the person has moved the cursor away from the session's ε */
    bool placed;          /* the cursor was put on the sampled target of the running tune */
    unsigned zoom;        /* the plot shows 1/2^zoom of the dial */
    double from;          /* the plot's left end, as a position on the dial */
    eb_plot plot;         /* as last drawn; an empty area: not drawn */
    bool numbers;         /* the newest report's numbers are shown instead of the plot */
    int top;              /* first line of these numbers shown */

    bool density;               /* the part about density is shown (density.h) */
    unsigned long density_seen; /* stamp of its newest report seen so far */
    unsigned long curve_seen;   /* stamp of the newest report that brings the curve back */

    /* Counts of joins and comparisons of this dataset, as a ring. */
    eb_counted counted[EB_TUNE_COUNTED];
    size_t count;                  /* counts so far, also those that were replaced */
    unsigned long joins, compares; /* reports seen so far */
} eb_tune_state;

typedef struct eb_tune_scene {
    const eb_series *curve;          /* the newest curve; NULL: none */
    const eb_series *sampled;        /* a sampled curve to draw behind a sweep's; NULL: none */
    const eb_series *sweep;          /* exact points; NULL: none */
    const eb_table *targets, *swept; /* may be NULL */
    const eb_counted *counted;       /* [count] */
    size_t count;
    const char *tuned_by;    /* the engine of the targets */
    const eb_report *newest; /* the curve's report; NULL: none */
    bool stale;              /* the curve is of another dataset */
    bool live;               /* the curve and the targets are the running command's, all sampled */
    eb_dial dial;            /* set if there is a curve */
} eb_tune_scene;

/* Collects the scene from the desk, remembers new counts and places ε. Pointers are into the desk's reports and valid
 * until the next report. */
eb_tune_scene eb_tune_scene_of(eb_tune_state *state, const eb_desk *desk);

/* Zooms to 1/2^to of the dial around ε; scrolls so that ε stays visible. */
void eb_tune_zoom(eb_tune_state *state, const eb_tune_scene *s, unsigned to);
void eb_tune_keep_in_sight(eb_tune_state *state, const eb_tune_scene *s);

/* A target's ε, or the sampled one if it is not counted yet; NAN: neither. */
double eb_tune_target_eps(const eb_table *targets, size_t row);

eb_expectation eb_tune_expected(const eb_tune_scene *s, double eps);
eb_counted eb_tune_counted(const eb_tune_scene *s, double eps);

/* The axes for the visible part of the curve. */
eb_plot eb_tune_plot(const eb_tune_state *state, const eb_tune_scene *s);
