/* expectation: S at an ε, read off a curve of a report, and the steps in which a person moves ε along it. Pure.
 */
#ifndef EB_UI_PANELS_TUNE_EXPECTATION_H
#define EB_UI_PANELS_TUNE_EXPECTATION_H

#include "core/report/report.h"

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

#endif
