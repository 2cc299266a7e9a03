/* projection: a dataset seen along its first two principal axes: the directions in which its points differ most.
 *
 * Of a sample of evenly spaced rows, at most EB_PROJECTION_POINTS and fewer where d is large, so that it stays cheap
 * for every n and d. The same dataset gives the same projection on any number of threads. Found by subspace iteration
 * with Rayleigh–Ritz on the centred sample, never forming d × d; values are scaled first, so that no square overflows.
 */
#pragma once

#include "core/base/job.h"
#include "core/data/dataset.h"

#define EB_PROJECTION_POINTS 4096u

typedef struct eb_projection {
    size_t points;
    double *x, *y;   /* [points] along each axis, from the sample's mean; y is 0 where there is no second */
    double share[2]; /* of the sample's variance along each axis, 0 … 1; NAN where all points are equal */
    unsigned rounds; /* of the iteration */
    bool settled;    /* false: others carry nearly as much variance, the axes are among them somewhere */
} eb_projection;

/* The row that the i-th projected point is, of n. */
static inline size_t eb_projection_row(const eb_projection *projection, size_t n, size_t i)
{
    return (size_t)((uint64_t)i * n / projection->points);
}

/* points: how many at most, 0: as many as are allowed. */
eb_code eb_project(const eb_dataset *ds, size_t points, unsigned threads, eb_job *job, eb_projection *out,
                   eb_status *status);
void eb_projection_free(eb_projection *projection); /* frees what it holds */
