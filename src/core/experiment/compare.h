/* compare: runs several engines on the same problem at the same ε and measures each one's accuracy against the most
 * exact one.
 *
 * The reference is an FP64-exact engine (EB_TRUTH), else a certified one, else an approximate one; among equally exact
 * engines the last named. Against an approximate reference, deviations are differences, not errors.
 *
 * A comparison may draw some of the points (core/sample/rows.h) and join only these with all points. Their neighbours
 * and distances have the bits of the whole self-join's, except with engines that have `nearest`. Times, pairs and
 * tables of the runs are then those of the sample; run.n is the number of points drawn, run.others that of all points.
 */
#pragma once

#include "core/accuracy/accuracy.h"
#include "core/accuracy/self_pairs.h"
#include "core/experiment/experiment.h"

#define EB_MOST_COMPARED 16u

typedef struct eb_comparison {
    size_t wanted, count; /* engines asked for; runs begun: the last may have fewer trials than wanted, or none */
    size_t reference;     /* index of the run that the others are compared with */
    eb_sampled_rows rows; /* the points drawn; count 0: all are compared */
    double whole_s;       /* forecast seconds for all points, if they are why a sample was drawn; else NAN */
    eb_run run[EB_MOST_COMPARED];
    bool compared[EB_MOST_COMPARED]; /* true if accuracy[k] is filled; always false for the reference */
    eb_accuracy accuracy[EB_MOST_COMPARED];
    bool self_pairs; /* whether reports include self pairs by default */
    double
        *self[EB_MOST_COMPARED]; /* [n], or [rows.count]: distances of points to themselves; NULL: not computed yet */
} eb_comparison;

typedef struct eb_compare_request {
    const eb_setup *setup; /* [count], 2 to EB_MOST_COMPARED */
    size_t count;
    const eb_dataset *dataset;
    double eps;
    unsigned trials;
    eb_warm_up warm_up;
    uint64_t memory_limit;  /* bytes for one engine's points and all tables together; 0: no limit. Without room for two
                               tables there is no accuracy */
    eb_distances distances; /* kept in the tables, never EB_DISTANCES_NONE; FP32 only where the engine computes FP32,
                               else FP64 */
    size_t bins, boundary;  /* as in eb_accuracy_request */
    unsigned threads;       /* for comparing tables */
    size_t sample;          /* points to draw, of n or more: all; 0: as may_sample says */
    bool may_sample;        /* draws a sample if all points would take long on a CPU (compare_sample.h) */
    uint64_t seed;          /* of the sample */
    bool brief; /* leaves out the further passes for pairs near ε; tables are freed once they are compared */
    /* Called when accuracy[k] is known, with out->count runs so far; NULL: nobody looks. An engine before the reference
     * is compared only after all runs. */
    void (*compared)(void *context, const eb_comparison *out, size_t k);
    void *context;
} eb_compare_request;

/* EB_USAGE if these engines cannot be compared by such distances. */
eb_code eb_compare_check(const eb_compare_request *request, eb_status *status);

/* Fills *out with the finished part also on failure and cancel; the caller frees with eb_comparison_free. Each run's
 * setup is set, even if the run was not begun. */
eb_code eb_compare(const eb_compare_request *request, const eb_run_observer *observer, eb_job *job, eb_comparison *out,
                   eb_status *status);

/* accuracy[k] with the self pairs counted as pairs. Computes the engines' self distances on first use, unless a sample
 * was compared, whose joins have computed them. compared[k] must be true, and `dataset` the one compared on. The caller
 * frees *out with eb_accuracy_free. */
eb_code eb_comparison_with_self(eb_comparison *comparison, size_t k, const eb_dataset *dataset, eb_job *job,
                                eb_accuracy *out, eb_status *status);

void eb_comparison_drop_neighbours(eb_comparison *comparison); /* frees the tables, keeps the figures */
void eb_comparison_free(eb_comparison *comparison);            /* frees what *comparison holds */
