/* recall: which share of the k nearest an approximate search finds (recall@k).
 *
 * Queries are rows of the dataset, drawn with a seed and taken out of it: the base set is all other rows, so that none
 * finds itself. A row that was found counts where it is as near as the k-th nearest of the base set by FP64's truth:
 * of equally near rows any will do.
 */
#ifndef EB_CORE_STUDY_RECALL_H
#define EB_CORE_STUDY_RECALL_H

#include "core/engine/problem.h"

typedef struct eb_knn {
    size_t queries, n, k;
    uint32_t *query; /* [queries] rows, ascending */
    uint32_t *base;  /* [n] rows, ascending */
    double *reach;   /* [queries] s of the k-th nearest, of points times 2^exponent */
    int exponent;
} eb_knn;

/* EB_USAGE where the base set of n points without queries would have fewer than k. */
eb_code eb_knn_check(size_t n, size_t queries, size_t k, eb_status *status);

/* Draws the queries and finds how far their k nearest reach, by an engine that gives the truth; the caller frees what
 * *out holds. EB_USAGE by eb_knn_check. Progress: one unit a query. */
eb_code eb_knn_find(const eb_setup *truth, const eb_dataset *ds, size_t queries, size_t k, uint64_t seed, eb_job *job,
                    eb_knn *out, eb_status *status);
void eb_knn_free(eb_knn *nearest);

/* The mean over the queries, and its 95 % interval by how much they differ; where none does, by the rule of three: of M
 * alike, up to 3/M may differ. */
typedef struct eb_recall {
    double mean, low, high;
} eb_recall;

/* found: queries × k rows, UINT32_MAX: none. */
eb_recall eb_recall_of(const eb_knn *nearest, const eb_dataset *ds, const uint32_t *found);

#endif
