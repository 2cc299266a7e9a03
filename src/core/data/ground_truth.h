/* ground_truth: which of n points are nearest to each of some queries, nearest first, as a file says.
 *
 * Files state distances as they are (ann-benchmarks), squared (big-ann-benchmarks) or not at all, and most were found
 * with sums in FP32: two neighbours that such sums cannot tell apart may stand in either order.
 */
#pragma once

#include "core/base/job.h"
#include "core/data/dataset.h"

typedef enum eb_stated { EB_STATED_NOT, EB_STATED_PLAIN, EB_STATED_SQUARED } eb_stated;

typedef struct eb_ground_truth {
    size_t queries, k;
    uint32_t *id;                 /* [queries × k] rows of the points */
    float *distance;              /* [queries × k] as the file states them; NULL: it states none */
    eb_stated stated;             /* what they are, once it is verified */
    char *source;                 /* "/path/gt.ibin", "/path/x.hdf5:/neighbors"; heap */
    eb_file_id file;              /* the file they were read from */
    void (*release)(void *owner); /* of owner, which tells whether the file is still the same */
    eb_code (*check)(const void *owner, eb_status *status);
    void *owner;
} eb_ground_truth;

/* Room for the ids, and the distances; source is copied. NULL: out of memory. */
eb_ground_truth *eb_ground_truth_new(const char *source, size_t queries, size_t k, bool distances);
void eb_ground_truth_free(eb_ground_truth *truth); /* NULL is fine */

/* EB_CHANGED when the file is no longer what was read. */
eb_code eb_ground_truth_check(const eb_ground_truth *truth, eb_status *status);

/* Whether it can be these queries' among these points, of one d and type: a row for each query, ids of points, none
 * twice; by FP64 each neighbour as far as the one before it or farther, and as far as stated, within what sums in FP32
 * may be off. EB_BAD_VALUE with the first place that is not so. Fills truth->stated. Progress: a unit a query. */
eb_code eb_ground_truth_verify(eb_ground_truth *truth, const eb_dataset *points, const eb_dataset *queries,
                               unsigned threads, eb_job *job, eb_status *status);

/* How far its first k neighbours of a query reach: the greatest of FP64's distances. Where they are not the nearest
 * that is too far, never too near. */
double eb_ground_truth_reach(const eb_ground_truth *truth, const eb_dataset *points, const eb_dataset *queries,
                             size_t query, size_t k);
