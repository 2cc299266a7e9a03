/* refine: of the points that codes say are nearest, those that are, by FP64 distances to the points themselves. */
#pragma once

#include "core/base/job.h"
#include "core/inverted/inverted.h"

/* found: [count × among] rows of points (EB_NO_POINT: none), near in whatever order; queries: [count × d], as
 * eb_inverted_row makes them. rows, distances: [count × k], nearest first, of equally near the smaller row; k ≤ among.
 */
typedef struct eb_refinement {
    const eb_inverted_file *file;
    const eb_dataset *points;
    const float *queries;
    const uint32_t *found;
    size_t count, among, k;
    uint32_t *rows;
    double *distances;
} eb_refinement;

eb_code eb_inverted_refine(const eb_refinement *work, unsigned threads, eb_job *job, eb_status *status);
