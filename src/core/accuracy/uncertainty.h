/* uncertainty: what a run's own arithmetic leaves open, found beside its trials and told with its result.
 *
 * An engine that rounds: points move, each by r; where some r is ε/8 or more, what is computed is not the points' join.
 *
 * FP64: a truth's s is a chain of d FMAs over differences that are rounded too: s = D²(1 + δ), |δ| ≤ (d + 2)·2^-53 and
 * a little. A pair is undecided when the D² that its s allows lie on both sides of the test's fl(ε·ε). That is so only
 * of pairs whose distance is within ε(1 ± e), e = (d + 8)·2^-54 covering as well the roundings of √s, of ε's bounds and
 * of their squares. Pairs beyond ε are not in the table: the warm-up is asked at ε(1 + e), and what it has more than
 * the trials are they. Where nothing rounds (small whole numbers), e is 0 and so is what is undecided.
 */
#pragma once

#include "core/engine/problem.h"
#include "core/join/neighbours.h"

typedef struct eb_uncertainty {
    double eps;
    bool self;
    const eb_rounding *rounding; /* the engine's; NULL: none */
    size_t points, moved;        /* that might move; that do, by ε/8 or more */
    double most;                 /* by which one moves */
    double error;                /* e; NAN: not a truth */
    bool known;                  /* the next two */
    uint64_t near, wide;         /* entries of the table at ε(1 + e): from ε(1 − e) on; all */
} eb_uncertainty;

eb_code eb_uncertainty_find(const eb_setup *setup, const eb_problem *problem, double eps, eb_job *job,
                            eb_uncertainty *out, eb_status *status);

/* ε(1 + e): what the warm-up is to be asked. ε itself where FP64 decides all. */
double eb_uncertainty_wide_eps(const eb_uncertainty *u);

/* Counts in the table at that ε. */
eb_code eb_uncertainty_count(eb_uncertainty *u, const eb_neighbours *table, unsigned threads, eb_job *job,
                             eb_status *status);

/* What is known, of a run that found so many pairs. */
void eb_uncertainty_figures(const eb_uncertainty *u, uint64_t pairs, eb_figures *figures);

/* A sentence, "" when the result is to be trusted. */
#define EB_UNCERTAINTY_TEXT 288u
void eb_uncertainty_warning(const eb_uncertainty *u, char *buffer, size_t size);
