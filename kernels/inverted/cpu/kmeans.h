/* kmeans: Lloyd's algorithm (Least squares quantization in PCM, 1982) from distinct random points.
 *
 * The same seed gives the same bits on any number of threads and by any instruction set: distances are the kernels',
 * means FP64 sums in the points' order. A centroid without points takes the point that is farthest from its own, while
 * there is one away from it. Fewer points than centroids are all of them centroids, and the last one is repeated.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/job.h"

/* Of many points the nearest of k vectors each: what building spends most of its time in, so that who has something
 * faster than the host's threads may do it. s ← s + t·t, t = point − vector, both rounded to FP32, coordinates
 * ascending; of equal ones the first vector. The same bits from everyone. Used by one caller at a time. Vectors and
 * points are finite. */
typedef struct eb_assigner {
    void *state;
    /* The points of the calls that follow: count × d. They stay where they are and as they are meanwhile. */
    eb_code (*take)(void *state, const float *points, size_t count, size_t d, eb_status *status);
    /* vectors: k × d; place, s: [count] */
    eb_code (*find)(void *state, const float *vectors, size_t k, uint32_t *place, float *s, eb_status *status);
} eb_assigner;

typedef struct eb_kmeans_request {
    const float *points; /* count × d, `stride` floats apart; finite */
    size_t stride, count, d, k;
    unsigned rounds;
    uint64_t seed;
    const eb_assigner *assigner; /* stride = d; NULL: the threads */
} eb_kmeans_request;

/* centroids: k × d. Progress: one unit a round, the phase is the caller's. */
eb_code eb_kmeans(const eb_kmeans_request *request, unsigned threads, eb_job *job, float *centroids, eb_status *status);
