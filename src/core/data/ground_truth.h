/* ground_truth: the nearest points of each query, nearest first, as a file states them.
 *
 * Files state distances plain (ann-benchmarks), squared (big-ann-benchmarks) or not at all. Most files were computed
 * with FP32 sums, so two neighbours that such sums cannot distinguish may come in either order.
 */
#pragma once

#include "core/base/job.h"
#include "core/data/dataset.h"

typedef enum eb_stated { EB_STATED_NOT, EB_STATED_PLAIN, EB_STATED_SQUARED } eb_stated;

typedef struct eb_ground_truth {
    size_t queries, k;
    uint32_t *id;                 /* [queries × k] rows of the points */
    float *distance;              /* [queries × k] as stated in the file; NULL: none */
    eb_stated stated;             /* kind of the stated distances, set by eb_ground_truth_verify */
    char *source;                 /* "/path/gt.ibin", "/path/x.hdf5:/neighbors"; heap */
    eb_file_id file;              /* the file of the ids */
    void (*release)(void *owner); /* frees owner; NULL: nothing to free */
    eb_code (*check)(const void *owner, eb_status *status); /* for eb_ground_truth_check; NULL: it cannot change */
    void *owner;
} eb_ground_truth;

/* Allocates ids and, if wanted, distances; copies source. NULL: out of memory. */
eb_ground_truth *eb_ground_truth_new(const char *source, size_t queries, size_t k, bool distances);
void eb_ground_truth_free(eb_ground_truth *truth); /* NULL is fine */

/* EB_CHANGED if the file changed after it was read. */
eb_code eb_ground_truth_check(const eb_ground_truth *truth, eb_status *status);

/* Checks that the file can belong to these queries and points, which have the same d and type: one row for each query,
 * ids below the number of points, none twice in a row; FP64 distances ascend and agree with the stated ones, both
 * within the error of FP32 sums. EB_BAD_VALUE names the first violation. Fills truth->stated. Progress: a unit a
 * query. */
eb_code eb_ground_truth_verify(eb_ground_truth *truth, const eb_dataset *points, const eb_dataset *queries,
                               unsigned threads, eb_job *job, eb_status *status);

/* The greatest FP64 distance of the query's first k neighbours: an upper bound of its k-th nearest distance. */
double eb_ground_truth_reach(const eb_ground_truth *truth, const eb_dataset *points, const eb_dataset *queries,
                             size_t query, size_t k);
