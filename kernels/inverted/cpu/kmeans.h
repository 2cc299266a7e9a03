/* kmeans: Lloyd's algorithm (Least squares quantization in PCM, 1982) from distinct random points.
 *
 * The same seed gives the same bits on any number of threads and by any instruction set: distances are the kernels',
 * means FP64 sums in the points' order. A centroid without points takes the point that is farthest from its own, while
 * there is one away from it. Fewer points than centroids are all of them centroids, and the last one is repeated.
 */
#ifndef EB_KERNELS_INVERTED_CPU_KMEANS_H
#define EB_KERNELS_INVERTED_CPU_KMEANS_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/job.h"
#include "core/inverted/assigner.h"

typedef struct eb_kmeans_request {
    const float *points; /* count × d, `stride` floats apart; finite */
    size_t stride, count, d, k;
    unsigned rounds;
    uint64_t seed;
    const eb_assigner *assigner; /* stride = d; NULL: the threads */
} eb_kmeans_request;

/* centroids: k × d. Progress: one unit a round, the phase is the caller's. */
eb_code eb_kmeans(const eb_kmeans_request *request, unsigned threads, eb_job *job, float *centroids, eb_status *status);

#endif
