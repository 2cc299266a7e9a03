/* tune_scene: what the panel Tune has to draw, out of the reports on the desk, and where its ε stands. Nothing is drawn
 * here. */
#pragma once

#include "core/report/report.h"
#include "draw/plots/plot.h"
#include "ui/desk.h"

/* S at an ε, read off a curve of a report. */
typedef struct eb_expectation {
    double s;         /* NAN: the curve does not say */
    double low, high; /* its 95 % interval; NAN: the curve has none */
} eb_expectation;

/* Between the curve's points straight in log ε and log S (in S where that is 0, in ε where that is); at a point exactly
 * its value. Beyond its ends, and for a NULL curve, NAN. The curve's ε ascend. */
eb_expectation eb_expect(const eb_series *curve, double eps);

/* The ε that can be reached: from low to high, in `steps` even steps of log ε. 0 < low < high, steps ≥ 1. */
typedef struct eb_dial {
    double low, high;
    unsigned steps;
} eb_dial;

/* Where on the dial ε is: 0 … 1; beyond its ends 0 or 1. */
double eb_dial_share(const eb_dial *dial, double eps);
/* The ε at a share, rounded to as few digits as tell the steps apart, so that a command with it is short. Its ends are
 * exact. */
double eb_dial_at(const eb_dial *dial, double share);
/* So many steps further (or back): to steps of the dial, so that as many back lead back. */
double eb_dial_turn(const eb_dial *dial, double eps, int steps);

enum { EB_TUNE_COUNTED = 32 };

typedef struct eb_counted {
    double eps, s;  /* s NAN: not counted at this ε */
    eb_value pairs; /* a number, or n/a */
    char by[32];    /* engine */
} eb_counted;

typedef struct eb_tune_state {
    unsigned long serial; /* the dataset ε belongs to */
    double eps;           /* the cursor; NAN: to be placed */
    double session_eps;   /* the session's when last looked at */
    double counted_eps;   /* the last that was asked to be counted */
    bool moved;           /* the cursor, away from the session's ε */
    bool placed;          /* at the sampled target of the tune that runs */
    unsigned zoom;        /* the plot shows 1/2^zoom of the dial */
    double from;          /* its left end, as a share of the dial */
    eb_plot plot;         /* as drawn last; an empty area: not drawn */
    bool numbers;         /* the newest report's numbers in the place of the plot */
    int top;              /* first line of them that is shown */

    bool density;               /* the other half is shown (density.h) */
    unsigned long density_seen; /* stamp of its newest report, when looked at last */
    unsigned long curve_seen;   /* of what brings the curve back */

    /* What joins and comparisons of this dataset have counted; the oldest gives way. */
    eb_counted counted[EB_TUNE_COUNTED];
    size_t count;                  /* of all that came */
    unsigned long joins, compares; /* reports seen */
} eb_tune_state;

typedef struct eb_tune_scene {
    const eb_series *curve;          /* the newest; NULL: none */
    const eb_series *sampled;        /* behind it, where it is a sweep's; NULL: none */
    const eb_series *sweep;          /* exact points; NULL: none */
    const eb_table *targets, *swept; /* may be NULL */
    const eb_counted *counted;       /* [count] */
    size_t count;
    const char *tuned_by;    /* the engine of the targets */
    const eb_report *newest; /* whose curve it is; NULL: none */
    bool stale;              /* of another dataset */
    bool live;               /* of the command that runs: sampled, targets too */
    eb_dial dial;            /* where there is a curve */
} eb_tune_scene;

/* Takes in what came since; places ε where it has to be. s->curve NULL: there is nothing. Pointers into the desk's
 * reports: good until the next report. */
eb_tune_scene eb_tune_scene_of(eb_tune_state *state, const eb_desk *desk);

/* Shows 1/2^to of the dial, ε in its middle; keeps ε in the part that is shown. */
void eb_tune_zoom(eb_tune_state *state, const eb_tune_scene *s, unsigned to);
void eb_tune_keep_in_sight(eb_tune_state *state, const eb_tune_scene *s);

/* A target's ε, the sampled one where it is not counted yet; NAN: neither. */
double eb_tune_target_eps(const eb_table *targets, size_t row);

eb_expectation eb_tune_expected(const eb_tune_scene *s, double eps);
eb_counted eb_tune_counted(const eb_tune_scene *s, double eps);

/* The part of the curve that is shown, with axes for it. */
eb_plot eb_tune_plot(const eb_tune_state *state, const eb_tune_scene *s);
