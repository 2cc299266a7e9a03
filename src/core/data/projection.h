/* projection: a dataset projected on its first two principal axes, the directions of largest variance.
 *
 * It uses a sample of evenly spaced rows: at most EB_PROJECTION_POINTS, and fewer for large d, so that it is cheap for
 * every n and d. The result does not depend on the number of threads. Method: subspace iteration with Rayleigh–Ritz on
 * the centred sample, without the d × d covariance matrix. Values are scaled first, so that no square overflows.
 */
#pragma once

#include "core/base/job.h"
#include "core/data/dataset.h"

#define EB_PROJECTION_POINTS 4096u

typedef struct eb_projection {
    size_t points;
    double *x, *y;   /* [points] coordinates on each axis, relative to the sample's mean; y is 0 if d = 1 */
    double share[2]; /* share of the sample's variance along each axis, 0 … 1; NAN if all points are equal */
    unsigned rounds; /* of the iteration */
    bool settled;    /* false: no convergence, since other directions have nearly the same variance */
} eb_projection;

/* The row, of n, of the i-th projected point. */
static inline size_t eb_projection_row(const eb_projection *projection, size_t n, size_t i)
{
    return (size_t)((uint64_t)i * n / projection->points);
}

/* points: size limit of the sample; 0: EB_PROJECTION_POINTS. */
eb_code eb_project(const eb_dataset *ds, size_t points, unsigned threads, eb_job *job, eb_projection *out,
                   eb_status *status);
void eb_projection_free(eb_projection *projection); /* frees its arrays, not the struct */
