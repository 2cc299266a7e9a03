/* tune: finds the ε for a selectivity. A sampled S(ε) curve brackets each target. One exact pass that keeps every
 * distance inside the brackets then gives the exact order statistic: the smallest ε with S(ε) ≥ target.
 *
 * The curve: one query point is drawn from each of m strata and compared with all n points; its distances are counted
 * in log-spaced bins. S at a bin edge is the sum of the queries' counts, each weighted by its stratum's size. The
 * standard error comes from the differences between neighbouring strata (curve_sample.c).
 *
 * A bracket is the curve's ±4σ interval, widened to whole bins. A bracket that misses costs a second pass, never a
 * wrong answer, because the pass counts the pairs below the bracket exactly. A bracket that contains more distances
 * than may be kept is first counted in pieces, in one more pass each time; then the piece with the answer is kept.
 *
 * Points that are too many for the memory limit: the curve is sampled among a part of them, passes go by slabs
 * (tune_thin.h).
 */
#pragma once

#include "core/tune/curve.h"

/* Finds all targets together. The caller sets target[k].wanted; the rest is filled. EB_UNREACHABLE if some wanted >
 * n − 1; the message names the maximum. Keeps at most about keep_limit distances (8 bytes each) at a time: the number
 * in a bracket is an estimate in the first pass, a count in later ones. *passes: full passes made. */
#define EB_TUNE_KEEP ((uint64_t)1 << 26) /* usual limit */
eb_code eb_tune(eb_opened *opened, const eb_curve *curve, eb_target *targets, size_t count, uint64_t keep_limit,
                unsigned *passes, eb_status *status);

/* The parameters of eb_tune_ask. Zero: the usual search, which ends with exact passes. */
typedef struct eb_tune_request {
    const eb_setup *setup;
    const eb_dataset *dataset;
    size_t queries; /* of the curve; 0: chosen automatically */
    uint64_t seed;
    eb_target *targets;
    size_t count;                    /* of targets; 0: only the curve */
    const eb_curve_watcher *watcher; /* gets the early curve, and the curve that the passes start from; may be NULL */

    /* Above 0: samples more and more queries until each target's band is within ± this share of its S, and then needs
     * no pass. If that takes more than an eighth of the points, passes count instead. */
    double within;

    /* Above 0: no pass is begun if the forecast is that it takes longer. The targets then stay sampled. */
    double patience_s;

    /* Called before a pass that is forecast to take a while, with the sampled targets; may be NULL. */
    void (*sampled)(void *context, const eb_target *targets, size_t count);
    void *context;
} eb_tune_request;

/* Opens the problem, samples the curve unless *curve has points and `queries` is 0, finds the targets, and closes.
 * Keeps the curve on failure too. A target that no pass has counted is sampled (eb_target); so are those that were not
 * yet counted when a pass was cancelled, which returns EB_CANCELLED. */
eb_code eb_tune_ask(const eb_tune_request *request, eb_curve *curve, unsigned *passes, eb_job *job, eb_status *status);

/* True if the band of the sampled target is within ± this share of its wanted S. */
bool eb_target_is_narrow(const eb_target *target, double within);

/* eb_tune_ask with exact passes and without a watcher. */
eb_code eb_tune_dataset(const eb_setup *setup, const eb_dataset *ds, size_t queries, uint64_t seed, eb_curve *curve,
                        eb_target *targets, size_t count, unsigned *passes, eb_job *job, eb_status *status);

/* If pairs tie at the target's ε, finds the distance of the next pair (near, beyond) by a pass of its own. Does so only
 * for few points, where the pass is short. */
eb_code eb_tune_gap(eb_opened *opened, eb_target *target, eb_status *status);

/* Opens a self-join for eb_sweep: by slabs, if the points are too many for the memory limit (core/slabs/passes.h).
 * Closed by eb_problem_close. */
eb_code eb_sweep_open(const eb_setup *setup, const eb_dataset *ds, eb_job *job, eb_opened *out, eb_status *status);

/* Exact |R| at each of m ascending ε, from one pass. */
eb_code eb_sweep(eb_opened *opened, const double *eps, size_t m, uint64_t *pairs, eb_status *status);

/* EB_USAGE unless the ε are distances, ascend, and are no smaller than FP64 can tell from 0 beside these points. */
eb_code eb_sweep_check(const eb_opened *opened, const double *eps, size_t m, eb_status *status);
