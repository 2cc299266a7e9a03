/* uncertainty: what a run's own arithmetic leaves undecided; reported with the run's result.
 *
 * An engine that rounds moves points. If a point moves by ε/8 or more, the result is not the join of the given points.
 *
 * FP64: the truth's s is a chain of d FMAs over differences that are rounded too: s = D²(1 + δ), |δ| slightly above (d
 * + 2)·2^-53. A pair is undecided if the values of D² that its s allows lie on both sides of the test's fl(ε·ε). All
 * such pairs have a distance within ε(1 ± e); e = (d + 8)·2^-54 also covers the roundings of √s, of ε's bounds and of
 * their squares. Pairs beyond ε are not in the table, so the warm-up is asked at ε(1 + e); the additional pairs that
 * the warm-up finds are the undecided pairs beyond ε. Where nothing rounds (small whole numbers), e is 0 and no pair is
 * undecided.
 */
#pragma once

#include "core/accuracy/advice.h"
#include "core/join/neighbours.h"

typedef struct eb_uncertainty {
    double eps;
    bool self;
    const eb_rounding *rounding; /* the engine's; NULL: it does not round */
    size_t points, moved;        /* points that the engine rounds; those moved by ε/8 or more */
    double most;                 /* largest distance that a point moves */
    eb_advice advice;            /* what to type if points move by ε/8 or more */
    double error;                /* e; NAN: the engine is not FP64-exact */
    bool known;                  /* the next two members are valid */
    uint64_t near, wide;         /* entries of the table at ε(1 + e): from ε(1 − e) on; all */
} eb_uncertainty;

eb_code eb_uncertainty_find(const eb_setup *setup, const eb_problem *problem, double eps, eb_job *job,
                            eb_uncertainty *out, eb_status *status);

/* ε(1 + e), for the warm-up. ε itself if FP64 decides all pairs or e is unknown. */
double eb_uncertainty_wide_eps(const eb_uncertainty *u);

/* Sets near and wide from the table at that ε. */
eb_code eb_uncertainty_count(eb_uncertainty *u, const eb_neighbours *table, unsigned threads, eb_job *job,
                             eb_status *status);

/* Adds the known uncertainties to the figures of a run that found `pairs` pairs. */
void eb_uncertainty_figures(const eb_uncertainty *u, uint64_t pairs, eb_figures *figures);

/* A sentence; "" if the result can be trusted. */
#define EB_UNCERTAINTY_TEXT 400u
void eb_uncertainty_warning(const eb_uncertainty *u, char *buffer, size_t size);
