/* compare: several engines on the same problem at the same ε, each measured against the most exact one.
 *
 * The reference is the truth, else a certified engine, else an approximate one; among equals the last named. Against an
 * approximate reference what is found are differences, not errors.
 */
#pragma once

#include "core/accuracy/accuracy.h"
#include "core/accuracy/self_pairs.h"
#include "core/experiment/experiment.h"

#define EB_MOST_COMPARED 8u

typedef struct eb_comparison {
    size_t wanted, count; /* engines; runs begun, the last may have fewer trials than wanted, or none */
    size_t reference;     /* index of the run that the others are measured against */
    eb_run run[EB_MOST_COMPARED];
    bool compared[EB_MOST_COMPARED]; /* accuracy[k] is there: never of the reference itself */
    eb_accuracy accuracy[EB_MOST_COMPARED];
    bool self_pairs;                /* it was asked for with them: what is shown when nothing else is said */
    double *self[EB_MOST_COMPARED]; /* [n] distances of points to themselves; NULL: nobody asked yet */
} eb_comparison;

typedef struct eb_compare_request {
    const eb_setup *setup; /* [count], 2 to EB_MOST_COMPARED */
    size_t count;
    const eb_dataset *dataset;
    double eps;
    unsigned trials;
    eb_warm_up warm_up;
    uint64_t memory_limit;  /* bytes for an engine's points and all tables together, 0: none: where they do not fit,
                               accuracy is not there */
    eb_distances distances; /* that the tables keep: errors need some; FP32 where the engine's own are, else FP64 */
    size_t bins, boundary;  /* as accuracy's */
    unsigned threads;       /* that compare tables */
} eb_compare_request;

/* EB_USAGE: these engines cannot be compared by such distances. */
eb_code eb_compare_check(const eb_compare_request *request, eb_status *status);

/* Fills *out also on failure and cancel, with what was finished; the caller frees with eb_comparison_free. Every run
 * says what its engine is, begun or not. */
eb_code eb_compare(const eb_compare_request *request, const eb_run_observer *observer, eb_job *job, eb_comparison *out,
                   eb_status *status);

/* accuracy[k] with self pairs among the pairs: engines are asked about theirs the first time. compared[k] must hold;
 * the dataset is the one that was compared on. The caller frees with eb_accuracy_free. */
eb_code eb_comparison_with_self(eb_comparison *comparison, size_t k, const eb_dataset *dataset, eb_job *job,
                                eb_accuracy *out, eb_status *status);

void eb_comparison_drop_neighbours(eb_comparison *comparison); /* the figures stay */
void eb_comparison_free(eb_comparison *comparison);            /* frees what it holds */
