/* curve: S(ε), sampled, with its standard error (tune.h). */
#pragma once

#include "core/engine/problem.h"
#include "core/sample/strata.h"

typedef struct eb_curve {
    size_t points;    /* ≥ 1: the log-spaced bins' edges that say something: none inside a run of empty bins */
    double *eps;      /* [points] ascending; the first is where the first distance > 0 may be, 0 without any */
    double *s;        /* [points] expected selectivity at eps; the first is that of distance 0 alone */
    double *s_error;  /* [points] standard error of s, with Student's allowance for few queries; 0: each was a query */
    double *carriers; /* [points] how many queries carry s, (Σx)²/Σx² of what each adds; NULL: not known */
    size_t queries, n;
} eb_curve;

#define EB_SIGMAS_95 1.96

void eb_curve_free(eb_curve *curve); /* frees what it holds */

/* Samples the curve of the opened self-join. queries 0: chosen so that it costs a few per cent of a full pass. */
eb_code eb_curve_sample(eb_opened *opened, size_t queries, uint64_t seed, eb_curve *out, eb_status *status);

/* Hears of a curve of few queries that can be used while a better one is on its way. Where that is soon there, it is
 * not asked. */
typedef struct eb_curve_watcher {
    void *context;
    void (*curve)(void *context, const eb_curve *curve); /* the curve is the caller's */
} eb_curve_watcher;

/* The same in two steps, the first of which needs no engine: the order that so many queries are drawn from (an empty
 * one where every point is a query; eb_strata_order_free), then the curve. watcher may be NULL. */
eb_code eb_curve_order_make(const eb_dataset *ds, size_t queries, uint64_t seed, eb_job *job, eb_strata_order *out,
                            eb_status *status);
eb_code eb_curve_sample_ordered(eb_opened *opened, size_t queries, uint64_t seed, const eb_strata_order *order,
                                const eb_curve_watcher *watcher, eb_curve *out, eb_status *status);

/* The 95 % band of point k. Counts scatter to the upside: the band is even in √S. */
void eb_curve_band(const eb_curve *curve, size_t k, double *low, double *high);

/* Where the band may be too narrow: S from *low to *high, S ≥ 1, is carried by fewer than EB_FEW_CARRIERS queries.
 * False: nowhere. Measured, bands of fewer hold S in 87 of 100 samples, not in 95 (tests/bench/curve.md). */
#define EB_FEW_CARRIERS 8
bool eb_curve_doubtful(const eb_curve *curve, double *low, double *high);

/* S at ε, log-log between edges, with its 95 % interval (any out pointer may be NULL). NAN for an ε that is none. */
double eb_curve_selectivity(const eb_curve *curve, double eps, double *low, double *high);

/* The ε where the curve reaches S: 0 when distance 0 alone does, NAN above its end. */
double eb_curve_eps(const eb_curve *curve, double selectivity);

/* Between which ε the one that gives S lies, 95 of 100 times: where the band's upper end reaches S, and its lower one.
 * *high NAN: beyond the curve's end. */
void eb_curve_eps_band(const eb_curve *curve, double selectivity, double *low, double *high);
