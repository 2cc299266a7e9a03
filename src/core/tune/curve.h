/* curve: a sampled curve S(ε) with its standard error. tune.h says how it is sampled. */
#pragma once

#include "core/engine/problem.h"
#include "core/sample/strata.h"

typedef struct eb_curve {
    size_t points; /* ≥ 1: edges of the log-spaced bins, without those inside a run of empty bins */
    double *eps; /* [points] ascending; the first: only pairs at distance 0 are nearer; 0 if there is no distance > 0 */
    double *s;   /* [points] expected selectivity at eps; the first counts pairs at distance 0 only */
    double *s_error; /* [points] standard error of s, with Student's correction for few queries; 0: every point was a
                        query */
    double *carriers; /* [points] number of queries that carry s: (Σx)²/Σx² of their contributions x; NULL: unknown */
    size_t queries, n;
} eb_curve;

#define EB_SIGMAS_95 1.96

void eb_curve_free(eb_curve *curve); /* frees what *curve holds */

/* Samples the curve of the opened self-join. queries 0: chosen so that sampling costs a few per cent of a full pass. */
eb_code eb_curve_sample(eb_opened *opened, size_t queries, uint64_t seed, eb_curve *out, eb_status *status);

/* Gets an early curve of few queries while the better one is computed. Not called if the better one takes little
 * longer. */
typedef struct eb_curve_watcher {
    void *context;
    void (*curve)(void *context, const eb_curve *curve); /* the curve is only valid during the call */
} eb_curve_watcher;

/* eb_curve_sample in two steps. The first step needs no engine: it makes the order that this many queries are drawn
 * from, an empty one if every point is a query; free it with eb_strata_order_free. The second samples the curve;
 * watcher may be NULL. */
eb_code eb_curve_order_make(const eb_dataset *ds, size_t queries, uint64_t seed, eb_job *job, eb_strata_order *out,
                            eb_status *status);
eb_code eb_curve_sample_ordered(eb_opened *opened, size_t queries, uint64_t seed, const eb_strata_order *order,
                                const eb_curve_watcher *watcher, eb_curve *out, eb_status *status);

/* The 95 % band of point k. It is symmetric in √S, because counts scatter upwards. */
void eb_curve_band(const eb_curve *curve, size_t k, double *low, double *high);

/* Finds the range of S, *low to *high (S ≥ 1), in which the band may be too narrow because fewer than EB_FEW_CARRIERS
 * queries carry S. False if there is no such range. Measured: bands of fewer contain S in 87 of 100 samples, not in 95
 * (tests/bench/curve.md). */
#define EB_FEW_CARRIERS 8
bool eb_curve_doubtful(const eb_curve *curve, double *low, double *high);

/* S at ε, log-log between edges, with its 95 % interval (low and high may be NULL). NAN if ε is negative or NAN. */
double eb_curve_selectivity(const eb_curve *curve, double eps, double *low, double *high);

/* The ε at which the curve reaches S: 0 if pairs at distance 0 are enough, NAN above the curve's end. */
double eb_curve_eps(const eb_curve *curve, double selectivity);

/* The 95 % interval of the ε that gives S: from where the band's upper end reaches S to where its lower end does. *high
 * is NAN beyond the curve's end. */
void eb_curve_eps_band(const eb_curve *curve, double selectivity, double *low, double *high);

/* A wanted selectivity and the ε that tune finds for it (tune.h). */
typedef struct eb_target {
    double wanted;      /* S requested */
    double eps;         /* result: smallest ε with S(ε) ≥ wanted; NAN: none found */
    double selectivity; /* S(eps), exact, ≥ wanted */
    uint64_t pairs;     /* |R| at eps */
    bool sampled;       /* nothing was counted: eps is the curve's, selectivity and pairs are estimates */
    double low, high;   /* if sampled, the 95 % band of S at eps; else NAN */
    double middle; /* in the gap between eps and the next distance: the middle of what the pass saw; NAN: unknown */
    uint64_t ties; /* unordered pairs that enter at exactly this ε and at no smaller one */
    uint64_t near; /* pairs whose distance equals ε to 2^-40; 0: not counted */
    double beyond; /* next distance after those, or 5/4 ε if there is none up to there; NAN: not searched */
    double sampled_eps;               /* ε by the curve; NAN: beyond its end */
    double bracket_low, bracket_high; /* the last bracket searched: (low, high] */
    unsigned passes;                  /* exact passes for this target: 1, or 2 when the bracket missed */
    bool reached_at_zero;             /* duplicates alone reach the target: eps = 0 */
} eb_target;
