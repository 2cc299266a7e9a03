/* refine: selects the nearest among points found by codes, by FP64 distances to the points themselves. */
#pragma once

#include "core/base/job.h"
#include "core/inverted/inverted.h"

/* found: [count × among] rows of points in any order (EB_NO_POINT: none); queries: [count × d], as eb_inverted_row
 * makes them. rows, distances: [count × k], nearest first, among equally near ones the smaller row; k ≤ among.
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
