/* recall: the share of the k nearest neighbours that an approximate search finds (recall@k).
 *
 * Queries are a dataset of their own, or rows drawn with a seed and taken out of the dataset. If rows are taken out,
 * the base set is all other rows, so no query finds itself. A row found counts if it is at most as far as the k-th
 * nearest of the base set in FP64: among equally near rows any will do.
 */
#pragma once

#include "core/data/ground_truth.h"
#include "core/engine/problem.h"

/* Queries, base set and the true distance of each query's k-th nearest neighbour. */
typedef struct eb_recall_truth {
    const eb_dataset *asked; /* queries that are a set of their own; NULL: rows of the dataset */
    size_t queries, n, k;
    uint32_t *query; /* [queries] rows of `asked` or of the dataset, ascending */
    uint32_t *base;  /* [n] rows, ascending */
    double *reach;   /* [queries] distance of the k-th nearest */
} eb_recall_truth;

/* EB_USAGE unless queries ≥ 1, k ≥ 1, and at least k of the n points are not queries. */
eb_code eb_recall_check(size_t n, size_t queries, size_t k, eb_status *status);

/* Draws `queries` rows, or takes all of `asked` if not NULL, and finds the distance of their k-th nearest neighbours
 * (core/knn/knn.h) by an engine that gives the FP64 result. The caller frees *out with eb_recall_truth_free. EB_USAGE
 * as eb_recall_check. Progress: one unit a query. */
eb_code eb_recall_truth_find(const eb_setup *truth, const eb_dataset *ds, const eb_dataset *asked, size_t queries,
                             size_t k, uint64_t seed, eb_job *job, eb_recall_truth *out, eb_status *status);
void eb_recall_truth_free(eb_recall_truth *truth);

/* Like eb_recall_truth_find for all of `asked`, but takes the first k neighbours that a file gives for each query.
 * `given` must be verified for these queries and hold k or more neighbours of each; distances are computed in FP64.
 * Progress as above. */
eb_code eb_recall_truth_given(const eb_ground_truth *given, const eb_dataset *ds, const eb_dataset *asked, size_t k,
                              eb_job *job, eb_recall_truth *out, eb_status *status);

/* Number of queries of `computed` whose reach is the same in `truth`. The queries of `computed` are the first ones of
 * `truth`. */
size_t eb_recall_truth_agree(const eb_recall_truth *truth, const eb_recall_truth *computed);

/* Mean over the queries with its 95 % interval by their scatter. If all M queries are alike, the interval follows the
 * rule of three: up to 3/M may differ. */
typedef struct eb_recall {
    double mean, low, high;
} eb_recall;

/* found: queries × k rows; EB_NO_POINT where nothing was found. */
eb_recall eb_recall_of(const eb_recall_truth *truth, const eb_dataset *ds, const uint32_t *found);
