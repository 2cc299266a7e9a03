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
#pragma once

#include "core/tune/curve.h"
#include "core/tune/target.h"

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
