/* recall: which share of the k nearest an approximate search finds (recall@k).
 *
 * Queries are a dataset of their own, or rows of the dataset, drawn with a seed and taken out of it: the base set is
 * all other rows, so that none finds itself. A row that was found counts where it is as near as the k-th nearest of the
 * base set by FP64's truth: of equally near rows any will do.
 */
#pragma once

#include "core/data/ground_truth.h"
#include "core/engine/problem.h"

/* Whoever has true neighbours already, from a file, fills reach with how far the k-th is. */
typedef struct eb_recall_truth {
    const eb_dataset *asked; /* the queries, a set of their own; NULL: rows of the dataset */
    size_t queries, n, k;
    uint32_t *query; /* [queries] rows, ascending, of asked or of the dataset */
    uint32_t *base;  /* [n] rows, ascending */
    double *reach;   /* [queries] distance of the k-th nearest */
} eb_recall_truth;

/* EB_USAGE where the base set of n points without queries would have fewer than k. */
eb_code eb_recall_check(size_t n, size_t queries, size_t k, eb_status *status);

/* Draws the queries, or takes all of `asked` where there are some, and finds how far their k nearest reach
 * (core/knn/knn.h), by an engine that gives the truth; the caller frees what *out holds. EB_USAGE by eb_recall_check.
 * Progress: one unit a query. */
eb_code eb_recall_truth_find(const eb_setup *truth, const eb_dataset *ds, const eb_dataset *asked, size_t queries,
                             size_t k, uint64_t seed, eb_job *job, eb_recall_truth *out, eb_status *status);
void eb_recall_truth_free(eb_recall_truth *truth);

/* The same for all of `asked` by the first k neighbours that a file gives of each, `given` having been verified for
 * them or for more queries, with k or more of each; FP64 tells how far they reach. Progress as above. */
eb_code eb_recall_truth_given(const eb_ground_truth *given, const eb_dataset *ds, const eb_dataset *asked, size_t k,
                              eb_job *job, eb_recall_truth *out, eb_status *status);

/* Of the queries of `computed`, the first ones of `truth`, how many reach as far in both. */
size_t eb_recall_truth_agree(const eb_recall_truth *truth, const eb_recall_truth *computed);

/* The mean over the queries, and its 95 % interval by how much they differ; where none does, by the rule of three: of M
 * alike, up to 3/M may differ. */
typedef struct eb_recall {
    double mean, low, high;
} eb_recall;

/* found: queries × k rows, EB_NO_POINT: none. */
eb_recall eb_recall_of(const eb_recall_truth *truth, const eb_dataset *ds, const uint32_t *found);
