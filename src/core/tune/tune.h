/* tune: ε ↔ selectivity. A sampled S(ε) curve brackets each target; one exact pass that keeps every distance inside the
 * brackets then gives the exact order statistic: the smallest ε with S(ε) ≥ target.
 *
 * The curve: m query points, one drawn from each of m strata, against all n points; per query the distances are counted
 * in log-spaced bins. S at a bin edge is the queries' counts, each for its stratum; its standard error comes from the
 * differences between neighbouring strata (curve_sample.c). A bracket is the curve's ±4σ interval, widened to whole
 * bins. A bracket that misses costs a second pass, never a wrong answer: the pass counts the pairs below the bracket
 * exactly. Brackets that hold more distances than may be kept are counted in pieces first, one more pass each time, and
 * the piece is kept.
 */
#ifndef EB_CORE_TUNE_TUNE_H
#define EB_CORE_TUNE_TUNE_H

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

typedef struct eb_target {
    double wanted;      /* S asked for */
    double eps;         /* the answer */
    double selectivity; /* S(eps), exact, ≥ wanted */
    uint64_t pairs;     /* |R| at eps */
    uint64_t ties;      /* unordered pairs that enter at exactly this ε: none of them at the next smaller one */
    uint64_t near;      /* pairs whose distance is ε to 2^-40 of it; 0: nobody looked */
    double beyond;      /* the next distance behind those, or 5/4 ε where there is none up to there; NAN: likewise */
    double sampled_eps; /* the curve's guess; NAN: beyond its end */
    double bracket_low, bracket_high; /* the last one looked into: (low, high] */
    unsigned passes;                  /* exact passes this target took part in: 1, or 2 when the bracket missed */
    bool reached_at_zero;             /* duplicates alone reach the target: eps = 0 */
} eb_target;

/* Finds all targets together. target[k].wanted is set by the caller, the rest filled. EB_UNREACHABLE when some wanted >
 * n − 1 (the sentence says what is the most). *passes: full passes made. */
eb_code eb_tune(eb_opened *opened, const eb_curve *curve, eb_target *targets, size_t count, unsigned *passes,
                eb_status *status);

/* What is asked of a dataset. */
typedef struct eb_tune_request {
    const eb_setup *setup;
    const eb_dataset *dataset;
    size_t queries; /* 0: chosen */
    uint64_t seed;
    eb_target *targets;
    size_t count;                    /* 0: the curve alone */
    const eb_curve_watcher *watcher; /* of the early curve and of the one that the passes begin with; NULL: nobody */
} eb_tune_request;

/* From opening to closing: samples the curve unless *curve has points already and `queries` is 0, then finds the
 * targets. The curve is kept on failure, too. */
eb_code eb_tune_ask(const eb_tune_request *request, eb_curve *curve, unsigned *passes, eb_job *job, eb_status *status);

/* The same, watched by nobody. */
eb_code eb_tune_dataset(const eb_setup *setup, const eb_dataset *ds, size_t queries, uint64_t seed, eb_curve *curve,
                        eb_target *targets, size_t count, unsigned *passes, eb_job *job, eb_status *status);

/* Where pairs tie at the answer of a target: how far the next distance is (near, beyond), by a pass of its own, where
 * that is soon done; else nothing. */
eb_code eb_tune_gap(eb_opened *opened, eb_target *target, eb_status *status);

/* eb_tune, keeping about keep_limit distances (8 bytes each) at a time at most: how many a bracket holds is an
 * estimate in the first pass, a count in later ones. */
#define EB_TUNE_KEEP ((uint64_t)1 << 26)
eb_code eb_tune_within(eb_opened *opened, const eb_curve *curve, eb_target *targets, size_t count, uint64_t keep_limit,
                       unsigned *passes, eb_status *status);

/* Exact |R| at each of m ascending ε from one pass. */
eb_code eb_sweep(eb_opened *opened, const double *eps, size_t m, uint64_t *pairs, eb_status *status);

#endif
